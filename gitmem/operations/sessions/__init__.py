"""Verbs about sessions of work."""
