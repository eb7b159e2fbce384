"""Searching: candidates from the index and the store, ranked and made ready to show."""
