"""What uses a piece of code and what it uses, as every verb asks it: by edges, and by name."""
