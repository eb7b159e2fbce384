"""Verbs that write memories."""
