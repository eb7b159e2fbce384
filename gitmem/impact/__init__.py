"""What a change affects: dependants, tests and decisions, and how risky the change is."""
