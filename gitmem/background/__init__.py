"""What runs detached after a hook: following git's and sessions' events, and upkeep that is due."""
