"""Firing what was wired as a host would, and looking into transcripts for what arrived."""
