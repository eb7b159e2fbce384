"""The effects of accepting a suggestion, and whether they are still those shown to the person.

A foreign text may name memories that it replaces. One that a person vouches for stays in force
unless the person names it, too.
"""

import json
from collections.abc import Sequence
from contextlib import suppress

from gitmem.app import App
from gitmem.capture import consolidate, versions
from gitmem.capture.pair_suggestions import CONTRADICTION
from gitmem.capture.proposals import KIND as MEMORY
from gitmem.capture.proposals import MOST_REPLACED, SUPERSEDES
from gitmem.capture.provenance import is_agent
from gitmem.errors import Conflict, GitmemError
from gitmem.memory import trust
from gitmem.model.frozen import dataclass
from gitmem.model.memory import Memory
from gitmem.model.suggestion import Suggestion
from gitmem.store.db import projects
from gitmem.store.db.connection import Database
from gitmem.store.memory import memories
from gitmem.text.digest import sha256

STALE = "stale"
ACCEPT, ALTER, SUPERSEDE, ARCHIVE, KEEP = "accept", "alter", "supersede", "archive", "keep"
SPREAD = "spread"
# The fields of a memory that a person sees before accepting.
_SHOWN = ("id", "kind", "title", "content", "paths", "metadata", "trust_tier")
# The key under which the store has a fingerprint of what was shown, for each open suggestion.
_NOTE = "inbox_shown"
_MOST_NOTED = 500


@dataclass(frozen=True, slots=True)
class InboxEntry:
    """A suggestion for a person to decide, its store, and the one or two memories it is about.

    ``memory`` or ``other`` is None if the memory no longer exists, or the suggestion has none.
    """

    database: Database
    suggestion: Suggestion
    memory: Memory | None
    other: Memory | None


@dataclass(frozen=True, slots=True)
class AcceptanceEffect:
    """A change to a memory that accepting a suggestion makes.

    ``action`` is accept, alter, supersede, archive, ``spread`` (it will hold in every project) or
    ``keep`` (the suggestion would replace it, which happens only if a person names it).
    """

    action: str
    memory: Memory


def effects_of_accepting(
    entry: InboxEntry, ids_to_replace: Sequence[str] = ()
) -> tuple[AcceptanceEffect, ...]:
    """The AcceptanceEffects that accepting a suggestion would have; empty if its memory is gone.

    ``ids_to_replace`` are ids of memories that the person expressly wants replaced.
    """
    memory, other = entry.memory, entry.other
    kind = entry.suggestion.kind
    if memory is None:
        return ()
    if entry.suggestion.is_for_all_projects:
        return (AcceptanceEffect(SPREAD, memory),)
    if kind == MEMORY:
        targets = _targets(entry, memory, ids_to_replace)
        replacing = (_replacing(target, target.id in ids_to_replace) for target in targets)
        return (AcceptanceEffect(ACCEPT, memory), *replacing)
    if kind == STALE:
        return (AcceptanceEffect(ARCHIVE, memory),)
    if other is None:
        return ()
    if kind == versions.KIND:
        return (AcceptanceEffect(ALTER, other),)
    if kind == CONTRADICTION:
        older, newer = consolidate.older_and_newer_memory(memory, other)
        return (
            _replacing(older, older.id in ids_to_replace or trust.is_accepted_by_person(newer)),
        )
    target, source = consolidate.choose_merge_target_and_source(memory, other)
    return AcceptanceEffect(ALTER, target), AcceptanceEffect(SUPERSEDE, source)


def _replacing(old: Memory, named: bool) -> AcceptanceEffect:
    return AcceptanceEffect(
        SUPERSEDE if named or not trust.is_accepted_by_person(old) else KEEP, old
    )


def _targets(entry: InboxEntry, proposed: Memory, named: Sequence[str]) -> list[Memory]:
    ids = dict.fromkeys((*ids_replaced_by_proposal(proposed), *named))
    targets = (memories.get_undamaged_memory(entry.database, id) for id in ids)
    return [memory for memory in targets if memory is not None and memory.state == "active"]


def ids_replaced_by_proposal(proposed: Memory) -> list[str]:
    """The ids of memories that a proposed memory is to replace, as its metadata says."""
    value = json.loads(proposed.metadata or "{}").get(SUPERSEDES)
    ids = [value] if isinstance(value, str) else value if isinstance(value, list) else []
    return [id for id in ids[:MOST_REPLACED] if isinstance(id, str) and id != proposed.id]


def describe_memory_source(memory: Memory) -> str:
    """How far a memory is trusted, in words such as ``said by a person`` or ``unreviewed``."""
    if memory.trust_tier == "agent":
        return f"said by {memory.agent or 'an agent'}, unreviewed"
    return {"person": "said by a person", "accepted": "accepted by a person"}.get(
        memory.trust_tier, trust.trust_tier_mark(memory.trust_tier)
    )


def hash_acceptance_effects(entry: InboxEntry) -> str:
    """A hash (16 hex digits) of what accepting a suggestion would change, and of these memories."""
    facts = [
        (effect.action, *(getattr(effect.memory, name) for name in _SHOWN))
        for effect in effects_of_accepting(entry)
    ]
    return sha256(repr(facts).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def record_shown_effects(app: App, entries: Sequence[InboxEntry]) -> None:
    """Store hashes of what accepting each of these suggestions would do, as a person just saw it.

    ``check_effects_unchanged`` compares with them. For an agent nothing is stored; errors are
    ignored.
    """
    if is_agent(app):
        return
    for database in {id(entry.database): entry.database for entry in entries}.values():
        before = _shown(database)
        shown = {
            entry.suggestion.id: hash_acceptance_effects(entry)
            for entry in entries
            if entry.database is database and entry.suggestion.is_open
        }
        others = {id: mark for id, mark in before.items() if id not in shown}
        after = dict(list({**others, **shown}.items())[-_MOST_NOTED:])
        if after != before and not database.read_only:
            with suppress(GitmemError), database.write(keep_caches=True):
                projects.set_meta(database, _NOTE, json.dumps(after))


def record_shown_effects_of_edit(app: App, old_entry: InboxEntry, edited_entry: InboxEntry) -> None:
    """Record a person's own edit as shown to them, unless they had not seen what they edited."""
    shown = _shown(old_entry.database).get(old_entry.suggestion.id)
    if shown == hash_acceptance_effects(old_entry):
        record_shown_effects(app, [edited_entry])


def check_effects_unchanged(app: App, shown_entry: InboxEntry, current_entry: InboxEntry) -> None:
    """Raise Conflict if accepting would now have other effects than the person was shown.

    ``shown_entry`` is the suggestion as it was read first, ``current_entry`` as it is now.
    """
    shown = (
        "" if is_agent(app) else _shown(current_entry.database).get(current_entry.suggestion.id, "")
    )
    current = hash_acceptance_effects(current_entry)
    if current != hash_acceptance_effects(shown_entry) or shown not in ("", current):
        raise Conflict(
            f"Suggestion {current_entry.suggestion.id} changed: accepting it would not do what was "
            "shown.",
            "Look at it again with `gitmem inbox`, then accept it.",
        )


def _shown(database: Database) -> dict[str, str]:
    try:
        shown: dict[str, str] = json.loads(projects.get_meta(database, _NOTE) or "{}")
    except ValueError:
        return {}
    return shown
