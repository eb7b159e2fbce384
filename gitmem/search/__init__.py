"""From a question to ranked hits: pure functions; the operation brings the rows."""
