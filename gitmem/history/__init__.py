"""What the past says of code: why it is so, what changed, what changes often, what broke it."""
