"""The session that is running, and how sessions are shown."""
