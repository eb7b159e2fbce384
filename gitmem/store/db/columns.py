"""Tables whose columns are the fields of a value: named once, in the value."""

from __future__ import annotations

TYPE_CHECKING = False  # importing typing costs 4 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Sequence

# A word of SQL's own is no name of a column.
_NAMES = {"commit": "commit_id"}


def columns(fields: Sequence[str]) -> tuple[str, ...]:
    """The columns of some fields, in their order."""
    return tuple([_NAMES.get(name, name) for name in fields])


def insert(table: str, columns: Sequence[str], *, verb: str = "INSERT") -> str:
    """The statement that adds a row of these columns, or with INSERT OR REPLACE replaces one."""
    marks = ", ".join("?" * len(columns))
    return f"{verb} INTO {table} ({', '.join(columns)}) VALUES ({marks})"
