"""Sharing memories by the user's own git remote: records, their merge, and the refs they lie in."""
