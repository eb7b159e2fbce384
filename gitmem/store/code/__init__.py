"""Rows about code: indexed files, chunks, symbols, commits, vectors."""
