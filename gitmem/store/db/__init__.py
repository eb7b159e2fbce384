"""The database: connection, transactions, schema, errors, and redaction of all stored text."""
