"""The documents of gitmem, and the command that writes the generated ones."""
