"""Serving programs over HTTP: a thin reader of the table of operations."""
