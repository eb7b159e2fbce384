"""What keeps a store healthy: schedule, fading, verifying, backups, usage, settings, model."""
