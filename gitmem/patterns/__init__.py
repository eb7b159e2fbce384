"""Patterns: conventions as rules over syntax trees, learned, ranked and checked."""
