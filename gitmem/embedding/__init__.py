"""Vectors for meaning: models that turn text into numbers, and the arithmetic on those numbers."""
