"""Embedding models that turn texts into vectors, and the arithmetic of comparing vectors."""
