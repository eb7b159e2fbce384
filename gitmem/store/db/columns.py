"""Building parts of SQL statements: column names, INSERT statements, JSON arrays."""

from __future__ import annotations

TYPE_CHECKING = False  # importing typing costs 4 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# ``commit`` is a keyword of SQL.
_NAMES = {"commit": "commit_id"}


def columns_of_dataclass_fields(field_names: Sequence[str]) -> tuple[str, ...]:
    """The names of table columns for some dataclass fields: ``commit`` becomes ``commit_id``."""
    return tuple([_NAMES.get(name, name) for name in field_names])


def insert_statement(table: str, columns: Sequence[str], *, verb: str = "INSERT") -> str:
    """The SQL statement that adds a row with these columns, with ``?`` for each value.

    With the ``verb`` INSERT OR REPLACE it replaces a row with the same key.
    """
    marks = ", ".join("?" * len(columns))
    return f"{verb} INTO {table} ({', '.join(columns)}) VALUES ({marks})"


def json_array(values: Iterable[str]) -> str:
    """Texts as a JSON array, for ``IN (SELECT value FROM json_each(?))``."""
    texts = list(values)
    if not texts:
        return "[]"
    if not "".join(texts).isalnum():
        import json  # noqa: PLC0415 - 2 ms; ids of git and of memories need no escaping

        return json.dumps(texts)
    return '["' + '","'.join(texts) + '"]'
