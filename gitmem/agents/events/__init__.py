"""What a session of an agent is told at each of its events, and what is recorded of it."""
