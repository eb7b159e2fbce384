"""Saving named procedures as skills: importing and exporting SKILL.md folders."""
