"""The store: all reading and writing of SQLite. Only this package imports apsw."""
