"""From files and commits to searchable rows: which files count, how they are chunked."""
