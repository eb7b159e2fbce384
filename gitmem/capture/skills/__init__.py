"""Skills: procedures kept by name, read from SKILL.md folders and written to them."""
