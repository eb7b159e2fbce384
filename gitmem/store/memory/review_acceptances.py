"""Findings of reviews that were set aside, by a rule or by a place, with the reason.

Functions that write run inside a transaction of the caller (``Database.write``).
"""

from __future__ import annotations

from gitmem.model.frozen import dataclass
from gitmem.store.db.columns import insert_statement
from gitmem.store.db.connection import Database
from gitmem.store.db.redaction_gate import redact_text


@dataclass(frozen=True, slots=True)
class AcceptedFinding:
    """A finding, or all of a rule, that a review reports no more, and why.

    ``key`` is the finding's id or the rule's name. ``agent`` is empty for a person, ``at`` is in
    milliseconds; ``path`` is empty for a rule.
    """

    key: str
    rule: str
    path: str
    why: str
    agent: str
    at: int


_COLUMNS = AcceptedFinding.__slots__


def accepted_findings(database: Database) -> dict[str, AcceptedFinding]:
    """Rule's name or finding's id -> its acceptance, of all that reviews report no more."""
    rows = database.rows(f"SELECT {', '.join(_COLUMNS)} FROM review_acceptances")
    return {row[0]: AcceptedFinding(*row) for row in rows}


def accept_finding(database: Database, acceptance: AcceptedFinding) -> None:
    """Store an acceptance, so that the finding or rule counts no more; replaces an older one."""
    values = {name: getattr(acceptance, name) for name in _COLUMNS}
    values |= {name: redact_text(values[name]) for name in ("path", "why", "agent")}
    sql = insert_statement("review_acceptances", _COLUMNS, verb="INSERT OR REPLACE")
    database.connection.execute(sql, tuple(values.values()))


def withdraw_acceptance(database: Database, key: str) -> bool:
    """Let reviews report a finding or rule again; False if it was not accepted."""
    database.run("DELETE FROM review_acceptances WHERE key = ?", (key,))
    return database.connection.changes() == 1
