"""Rows of memories: read, written, filtered, anchored, linked, ended."""
