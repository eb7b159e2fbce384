"""The command line: a thin reader of the table of operations."""
