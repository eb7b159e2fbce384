"""Findings of reviews that were set aside, by a rule or by a place, with the reason.

Functions that write run inside a transaction of the caller (``Database.write``).
"""

from __future__ import annotations

from gitmem.model.frozen import dataclass
from gitmem.store.db.columns import insert_statement
from gitmem.store.db.connection import Database
from gitmem.store.db.redaction_gate import redact_text


@dataclass(frozen=True, slots=True)
class AcceptedReviewFinding:
    """A finding of a code review, or a whole rule, that is not to be reported any more, and why.

    ``key`` is the finding's id or the rule's name. ``agent`` is who said so, empty for a person;
    ``at`` is in milliseconds; ``path`` is empty for a rule.
    """

    key: str
    rule: str
    path: str
    why: str
    agent: str
    at: int


_COLUMNS = AcceptedReviewFinding.__slots__


def accepted_review_findings(database: Database) -> dict[str, AcceptedReviewFinding]:
    """A dict: finding's id or rule's name -> why reviews are not to report it any more."""
    rows = database.rows(f"SELECT {', '.join(_COLUMNS)} FROM review_acceptances")
    return {row[0]: AcceptedReviewFinding(*row) for row in rows}


def accept_review_finding(database: Database, acceptance: AcceptedReviewFinding) -> None:
    """Store that reviews are not to report a finding or rule; replaces an older entry for it."""
    values = {name: getattr(acceptance, name) for name in _COLUMNS}
    values |= {name: redact_text(values[name]) for name in ("path", "why", "agent")}
    sql = insert_statement("review_acceptances", _COLUMNS, verb="INSERT OR REPLACE")
    database.connection.execute(sql, tuple(values.values()))


def withdraw_review_acceptance(database: Database, finding_id_or_rule: str) -> bool:
    """Let reviews report a finding or rule again; False if it was not accepted."""
    database.run("DELETE FROM review_acceptances WHERE key = ?", (finding_id_or_rule,))
    return database.connection.changes() == 1
