"""Verbs that look after index, model, hooks, store, backups and settings."""
