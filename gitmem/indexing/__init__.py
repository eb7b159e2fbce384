"""Indexing files and commits: choosing, reading, chunking and storing them."""
