"""Looking after a store: schedule, decay, verification, backups, usage, settings, model."""
