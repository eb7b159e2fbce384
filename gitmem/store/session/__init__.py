"""The rows of sessions: notes, recent files, usage, and the queries of session hooks."""
