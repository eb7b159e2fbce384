"""The rules of ranking, as pure functions over rows that ``retrieval`` reads."""
