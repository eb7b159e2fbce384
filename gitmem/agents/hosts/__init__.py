"""The hosts that gitmem can be wired to, as data."""
