"""What git's history tells of code: why it is so, what changed, what broke it."""
