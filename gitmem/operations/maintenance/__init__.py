"""Verbs that look after index, model, hooks, store and settings."""
