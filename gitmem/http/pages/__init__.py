"""Pages for a browser, rendered on the server: see what the project remembers, and change it."""
