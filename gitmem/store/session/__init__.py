"""Rows of sessions: their notes, recent files, usage, and what the session hooks ask."""
