"""Skills: their file format and their parameters. Pure."""
