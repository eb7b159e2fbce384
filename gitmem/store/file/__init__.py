"""The store as a file: created, opened, migrated, backed up, restored, checked for damage."""
