"""Reviewing a diff: what the project has decided and learned that speaks against it."""
