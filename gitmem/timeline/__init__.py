"""What happened, and what somebody who comes back needs to know of it: pure functions."""
