"""What a hook answers at each event of an agent's session, and what it notes for the drain."""
