"""Whether the code that memories cite still stands, and what a diff touches of it."""
