"""What a memory may be, and what becomes of it: pure decisions, no input or output."""
