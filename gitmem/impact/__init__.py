"""What a change would concern: dependants, tests, decisions on the way, and the risk."""
