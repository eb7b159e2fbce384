"""Patterns: the conventions of a project as rules over syntax trees, learned and checked."""
