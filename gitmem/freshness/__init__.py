"""Whether the code that memories cite is unchanged, and which of it a diff touches."""
