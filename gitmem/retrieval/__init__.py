"""From a question to ranked hits: memories, code, notes and commits."""
