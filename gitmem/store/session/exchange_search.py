"""Searching exchanges: which pass a filter, and which named a file.

Words are looked up by ``store.code.code_search``, in the source ``exchange``.
"""

from __future__ import annotations

from gitmem.model.frozen import dataclass
from gitmem.store.db.columns import json_array

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitmem.store.db.connection import Database


@dataclass(frozen=True, slots=True)
class ExchangeFilter:
    """Which exchanges (a user's question and the answer) pass: by time (ms), agent, branch, path.

    ``host`` is the beginning of the agent program's name (``claude``); ``path`` is a file that a
    tool was given, a folder of such files, or a glob. Empty or None: any.
    """

    since: int | None = None
    until: int | None = None
    host: str = ""
    branch: str = ""
    path: str = ""

    @property
    def has_conditions(self) -> bool:
        """Whether any of the filter's fields is set, so that it may leave something out."""
        return self != ExchangeFilter()


def has_exchanges(database: Database) -> bool:
    """Whether any transcript (an agent's record of a session) was imported."""
    return database.value("SELECT 1 FROM exchanges LIMIT 1") is not None


def count_all_exchanges(database: Database) -> int:
    """The number of stored exchanges (a user's question with the agent's answer)."""
    return int(database.value("SELECT count(*) FROM exchanges"))


def exchange_row_numbers_matching(database: Database, filter: ExchangeFilter) -> set[int]:
    """The row numbers of the exchanges (question and answer) that pass a filter."""
    return set(
        database.column(
            "SELECT e.seq FROM exchanges e JOIN conversations c ON c.id = e.conversation "
            "WHERE (?1 IS NULL OR e.at >= ?1) AND (?2 IS NULL OR e.at <= ?2) "
            "AND substr(c.host, 1, length(?3)) = ?3 AND ?4 IN ('', c.branch) "
            "AND (?5 = '' OR EXISTS (SELECT 1 FROM exchange_paths p WHERE p.exchange = e.seq "
            "AND (p.path GLOB ?5 OR substr(p.path, 1, length(?5) + 1) = ?5 || '/')))",
            (filter.since, filter.until, filter.host, filter.branch, filter.path.rstrip("/")),
        )
    )


def exchange_row_numbers_naming_files(
    database: Database, paths: Iterable[str], since_ms: int, until_ms: int, limit: int
) -> list[int]:
    """The row numbers of exchanges whose tools were given one of these files, newest first.

    An exchange is a question and its answer. At most ``limit``, from ``since_ms`` to ``until_ms``.
    """
    return database.column(
        "SELECT DISTINCT e.seq FROM exchange_paths p JOIN exchanges e ON e.seq = p.exchange "
        "WHERE p.path IN (SELECT value FROM json_each(?)) AND e.at BETWEEN ? AND ? "
        "ORDER BY e.at DESC, e.seq DESC LIMIT ?",
        (json_array(paths), since_ms, until_ms, limit),
    )
