"""What uses a piece of code and what it uses: by edges of the code graph, and by name."""
