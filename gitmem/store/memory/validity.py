"""Whether memories were in force at a moment, as SQL.

A property test holds it against the same rule in plain words.
"""

from __future__ import annotations

from gitmem.store.memory import expiry

_IN_FORCE = (
    "coalesce(m.valid_from, m.created_at) <= ?",
    "(m.archived_at IS NULL OR m.archived_at > ?)",
    # What was replaced before ends were kept held until its last edit at most.
    "(CASE WHEN m.superseded_by <> '' OR m.status IN ('superseded', 'deprecated') "
    "THEN coalesce(m.valid_until, m.updated_at) ELSE coalesce(m.valid_until, 1 << 62) END) > ?",
)


def clause(at: int) -> tuple[str, list[object]]:
    """The condition over ``memories AS m`` that they were in force at ``at``, and its values."""
    lasts, values = expiry.lasts(at)
    return " AND ".join((*_IN_FORCE, lasts)), [*[at] * len(_IN_FORCE), *values]
