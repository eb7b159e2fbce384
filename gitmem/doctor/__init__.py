"""Checks of store, index and hooks: what is wrong, and what to do about it."""
