"""Verbs about skills: procedures that are saved and invoked by name."""
