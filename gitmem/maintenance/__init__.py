"""What keeps a store healthy: when it is due, fading, backups, usage counts, settings files."""
