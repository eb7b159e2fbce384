"""Verbs about skills: procedures that are kept and invoked by name."""
