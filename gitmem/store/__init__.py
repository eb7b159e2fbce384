"""The one owner of SQL. Only this package imports apsw."""
