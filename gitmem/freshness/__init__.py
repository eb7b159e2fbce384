"""Checking whether the code that memories cite is unchanged, and what a diff touches."""
