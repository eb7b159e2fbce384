"""Resolving imports, calls and types to edges between definitions, and scoring risk. Pure.

From plain values: the paths of a tree, what each file defines and uses, a few small manifests. An
edge says how sure it is and why; what cannot be resolved is no edge.
"""
