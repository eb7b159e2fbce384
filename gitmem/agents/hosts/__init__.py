"""The hosts that gitmem can be wired to: one file for each, with all that is special about it."""
