"""Finding the running session, and formatting sessions."""
