"""What depends on a piece of code: callers, importers, the tests and decisions on the way."""
