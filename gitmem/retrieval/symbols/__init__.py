"""Looking up what code calls by a name: definitions, mentions, tests, settings."""
