"""From a work tree to searchable pieces: which files count, how they are cut, what has changed."""
