"""The store's file: creating, opening, migrating, backing up, restoring and checking it."""
