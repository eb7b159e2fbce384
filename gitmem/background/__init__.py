"""Detached processes: following git's and sessions' events, and maintenance that is due."""
