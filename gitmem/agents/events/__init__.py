"""The answers of hooks to the events of an agent's session, and what they record."""
