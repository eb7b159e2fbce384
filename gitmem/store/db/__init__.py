"""The database itself: connection, transactions, schema, errors, and the gate no secret passes."""
