"""Filters over memories, as a value and as SQL."""

from __future__ import annotations

from collections.abc import Sequence

from gitmem.model.frozen import dataclass
from gitmem.store.db.columns import json_array
from gitmem.store.memory import expiry
from gitmem.store.memory.memory_rows import IN_SESSION

# At a commit, or before the first one that a branch has on top of it (``model.memory.WAITING``).
_WRITTEN_AT = (
    "m.commit_id IN (WITH asked (at) AS (SELECT value FROM json_each(?)) SELECT at FROM asked "
    "UNION SELECT w.commit_id FROM memories AS w, asked "
    "WHERE w.commit_id >= '+' AND w.commit_id < ',' AND instr(w.commit_id, asked.at) = 2)"
)
# At any depth: the language of a block of code is one too.
_HAS_FACT = (
    "(EXISTS (SELECT 1 FROM json_tree(coalesce(nullif(m.metadata, ''), '{}')) AS fact "
    "WHERE fact.key = ? AND lower(fact.atom) = lower(?)) "
    "OR m.seq IN (SELECT seq FROM memory_tags WHERE tag = ?))"
)
_IN_FORCE = (
    "coalesce(m.valid_from, m.created_at) <= ?",
    "(m.archived_at IS NULL OR m.archived_at > ?)",
    # Memories replaced before ``valid_until`` existed were in force until their last edit at most.
    "(CASE WHEN m.superseded_by <> '' OR m.status IN ('superseded', 'deprecated') "
    "THEN coalesce(m.valid_until, m.updated_at) ELSE coalesce(m.valid_until, 1 << 62) END) > ?",
)

# As ``Memory.trust_tier`` has it.
TIERS = ("person", "accepted", "agent", "repository", "foreign")
TIER_SQL = (
    "coalesce(nullif(m.trust, ''), CASE WHEN m.agent <> '' OR m.source = 'ai_inferred' THEN "
    "'agent' WHEN m.source <> 'system_auto' THEN 'person' "
    "WHEN m.scope = 'global' THEN 'foreign' ELSE 'repository' END)"
)


@dataclass(frozen=True, slots=True)
class MemoryFilter:
    """Conditions on memories that must all hold; empty sequences and None mean "any".

    ``states``: ``active``, ``proposed``, ``suggested`` (found by gitmem, not accepted yet),
    ``superseded``, ``archived``. ``tags``: at least one of them. ``layers``: working, project,
    global. Times are milliseconds: made from ``since`` and before ``until``; ``changed_since``:
    made before that time and edited after it; ``now`` leaves out what has expired by then;
    ``as_of`` selects what was in force at that moment (states and ``now`` are ignored then).
    ``working_session``: a session, and working memories of other sessions are left out.
    ``trusted_only`` leaves out foreign memories and those marked as wrong, ``without_proposals``
    what gitmem proposed and nobody accepted, be it waiting or rejected. ``author``: part of the
    name of the author or agent. ``branch``, ``commits``: where the memory was saved.
    ``naming_paths``: it names one of these paths, exactly. ``min_weight``: the least weight.
    ``facts``: keys of the metadata with their values, in any case; a tag of that name counts too.
    ``trust``: one of ``TIERS``. ``extra_conditions``: further conditions over ``memories AS m``
    with their values.
    """

    states: Sequence[str] = ("active", "proposed")
    kinds: Sequence[str] = ()
    tags: Sequence[str] = ()
    agent: str = ""
    session: str = ""
    path: str = ""
    layers: Sequence[str] = ()
    pinned: bool = False
    since: int | None = None
    until: int | None = None
    now: int | None = None
    changed_since: int | None = None
    as_of: int | None = None
    working_session: str | None = None
    trusted_only: bool = False
    without_proposals: bool = False
    author: str = ""
    branch: str = ""
    commits: Sequence[str] | None = None
    naming_paths: Sequence[str] | None = None
    min_weight: int | None = None
    facts: Sequence[tuple[str, str]] = ()
    trust: str = ""
    extra_conditions: Sequence[tuple[str, Sequence[object]]] = ()

    @property
    def has_only_default_conditions(self) -> bool:
        """Whether nearly every memory passes: no condition but the usual states is set."""
        usual = not self.states or "active" in self.states
        bounds: tuple[object, ...] = (self.since, self.until, self.changed_since, self.as_of)
        named = self.kinds or self.tags or self.agent or self.session or self.path or self.pinned
        narrow = named or self.layers or self.author or self.branch or self.min_weight or self.trust
        return bool(
            usual
            and not (narrow or self.facts)
            and all(value is None for value in (*bounds, self.commits, self.naming_paths))
        )

    def sql_condition(self) -> tuple[str, list[object]]:
        """(the filter as an SQL condition over ``memories AS m``, list of its values)."""
        parts, values = self._state_clauses()
        if self.kinds:
            parts.append(f"m.kind IN ({','.join('?' * len(self.kinds))})")
            values += self.kinds
        if self.tags:
            marks = ",".join("?" * len(self.tags))
            parts.append(f"m.seq IN (SELECT seq FROM memory_tags WHERE tag IN ({marks}))")
            values += self.tags
        if self.layers:
            any_layer = " OR ".join(LAYER_SQL[layer] for layer in self.layers)
            parts.append(f"({any_layer})")
        for test, value in (
            ("m.agent = ?", self.agent or None),
            ("m.session = ?", self.session or None),
            ("m.branch = ?", self.branch or None),
            ("instr(lower(m.author || ' ' || m.agent), ?)", self.author.lower() or None),
            (_WRITTEN_AT, _json_list(self.commits)),
            (
                "EXISTS (SELECT 1 FROM json_each(m.paths) AS p WHERE p.value IN "
                "(SELECT value FROM json_each(?)))",
                _json_list(self.naming_paths),
            ),
            ("m.pinned = ?", 1 if self.pinned else None),
            ("m.weight >= ?", self.min_weight),
            (f"{TIER_SQL} = ?", self.trust or None),
            ("m.created_at >= ?", self.since),
            ("m.created_at < ?", self.until),
            (IN_SESSION, self.working_session),
        ):
            if value is not None:
                parts.append(test)
                values.append(value)
        if self.changed_since is not None:
            parts.append("m.updated_at >= ? AND m.created_at < ? AND m.version > 1")
            values += [self.changed_since, self.changed_since]
        for key, fact in self.facts:
            parts.append(_HAS_FACT)
            values += [key, fact, fact.lower()]
        if self.path:
            place = self.path.rstrip("/")
            parts.append(
                "EXISTS (SELECT 1 FROM json_each(m.paths) "
                "WHERE value = ? OR substr(value, 1, ?) IN (?, ?))"
            )
            values += [place, len(place) + 1, place + "/", place + ":"]
        if self.trusted_only:
            # The plus keeps SQLite from the large index of trust where few memories are pinned,
            # proposed or suggested: those have indexes of their own.
            few = self.pinned or tuple(self.states) in (("proposed",), ("suggested",))
            parts.append(f"{'+' if few else ''}m.trust <> 'foreign'")
            parts += [f"NOT {_DOUBTED}", f"NOT {_OF_ANOTHER_PROJECT}"]
        if self.without_proposals:
            parts.append(f"NOT {expiry.UNACCEPTED}")
        for condition, some in self.extra_conditions:
            parts.append(condition)
            values += some
        return " AND ".join(parts), values

    def _state_clauses(self) -> tuple[list[str], list[object]]:
        """The conditions on the state of a memory, now or ``as_of``, and their values."""
        if self.as_of is not None:
            clause, values = in_force_sql_condition(self.as_of)
            return [clause, f"NOT {expiry.UNACCEPTED}"], values
        any_state = " OR ".join(STATE_SQL[state] for state in self.states) or "1"
        parts, values = [f"({any_state})"], list[object]()
        if self.now is not None:
            clause, values = expiry.unexpired_sql_condition(self.now)
            # A replaced memory ended by being replaced: with those states asked for, it passes.
            parts += [clause, f"({STATE_SQL['superseded']} OR {_HOLDS})"]
            values += [self.now, self.now]
        return parts, values


def _json_list(values: Sequence[str] | None) -> str | None:
    return None if values is None else json_array(values)


_HOLDS = (
    "((m.valid_from IS NULL OR m.valid_from <= ?) AND (m.valid_until IS NULL OR m.valid_until > ?))"
)
# As ``Memory.trust_tier`` has it: taken from a repository, but stored for every project.
_OF_ANOTHER_PROJECT = (
    "(m.scope = 'global' AND (m.trust = 'repository' "
    "OR (m.trust = '' AND m.agent = '' AND m.source = 'system_auto')))"
)
# The last feedback of readers says that it is wrong (``memory.feedback``).
_DOUBTED = (
    "(instr(m.metadata, '\"feedback\"') "
    "AND coalesce(json_extract(m.metadata, '$.feedback.doubted'), 0) = 1)"
)
LAYER_SQL = {
    "working": "m.layer = 'working'",
    "project": "(m.layer <> 'working' AND m.scope = 'project')",
    "global": "m.scope = 'global'",
}
STATE_SQL = {
    "archived": "m.archived_at IS NOT NULL",
    "superseded": "(m.archived_at IS NULL AND (m.superseded_by <> '' "
    "OR m.status IN ('superseded', 'deprecated')))",
    # What capture found waits in the inbox and is shown only there.
    "proposed": "(m.archived_at IS NULL AND m.superseded_by = '' AND m.status = 'proposed' "
    "AND m.source <> 'system_auto')",
    "suggested": f"(m.archived_at IS NULL AND m.superseded_by = '' AND {expiry.UNACCEPTED})",
    "active": "(m.archived_at IS NULL AND m.superseded_by = '' AND m.status IN ('', 'accepted'))",
}


def in_force_sql_condition(at_ms: int) -> tuple[str, list[object]]:
    """(SQL condition over ``memories AS m`` that a memory was in force at a time, its values).

    In force: saved, and not yet archived, replaced or expired. ``at_ms`` is milliseconds since
    1970.
    """
    lasts, values = expiry.unexpired_sql_condition(at_ms)
    return " AND ".join((*_IN_FORCE, lasts)), [*[at_ms] * len(_IN_FORCE), *values]
