"""Assembling what a session or a question needs, within a token budget."""
