"""The code graph, pure: what an import means, what a call calls, who depends on what.

From plain values: the paths of a tree, what each file defines and uses, a few small manifests. An
edge says how sure it is and why; what cannot be resolved is no edge.
"""
