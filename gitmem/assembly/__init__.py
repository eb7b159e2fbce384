"""What a session is given at its start, assembled inside a token budget."""
