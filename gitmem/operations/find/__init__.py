"""Verbs that find memories, code and history."""
