"""Verbs that gitmem runs itself, in the background."""
