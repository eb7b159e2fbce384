"""What accepting a suggestion changes: worked out before, shown, and held against what was shown.

A stranger's text may name what it replaces. Where a person stands behind that and nobody behind the
text it stays in force, unless the person names it too.
"""

import json
from collections.abc import Sequence
from contextlib import suppress

from gitmem.app import App
from gitmem.capture import consolidate
from gitmem.capture.pair_suggestions import CONTRADICTION
from gitmem.capture.proposals import KIND as MEMORY
from gitmem.capture.proposals import MOST_REPLACED, SUPERSEDES
from gitmem.capture.provenance import by_agent
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
# What a memory is to whoever agrees to something about it.
_SHOWN = ("id", "kind", "title", "content", "paths", "metadata", "tier")
# What a person was shown of each suggestion that waits, as a fingerprint.
_NOTE = "inbox_shown"
_MOST_NOTED = 500


@dataclass(frozen=True, slots=True)
class Entry:
    """A suggestion with the memories it speaks of; None where one is gone."""

    database: Database
    suggestion: Suggestion
    memory: Memory | None
    other: Memory | None


@dataclass(frozen=True, slots=True)
class Effect:
    """What becomes of a memory: ``accept``, ``alter``, ``supersede``, ``archive`` or ``keep``.

    ``keep``: the suggestion would replace it, and a person has to name it for that.
    """

    action: str
    memory: Memory


def effects(entry: Entry, named: Sequence[str] = ()) -> tuple[Effect, ...]:
    """What accepting would do; ``named`` are the ids of what the person wants replaced."""
    one, other = entry.memory, entry.other
    kind = entry.suggestion.kind
    if one is None:
        return ()
    if kind == MEMORY:
        old = _targets(entry, one, named)
        return (Effect(ACCEPT, one), *(_replacing(each, each.id in named) for each in old))
    if kind == STALE:
        return (Effect(ARCHIVE, one),)
    if other is None:
        return ()
    if kind == CONTRADICTION:
        older, newer = consolidate.by_age(one, other)
        return (_replacing(older, older.id in named or trust.vouched(newer)),)
    target, source = consolidate.target_first(one, other)
    return Effect(ALTER, target), Effect(SUPERSEDE, source)


def _replacing(old: Memory, wanted: bool) -> Effect:
    return Effect(SUPERSEDE if wanted or not trust.vouched(old) else KEEP, old)


def _targets(entry: Entry, proposed: Memory, named: Sequence[str]) -> list[Memory]:
    """The memories in force that a proposal names, and that the person does."""
    ids = dict.fromkeys((*replaces(proposed), *named))
    found = (memories.usable(entry.database, id) for id in ids)
    return [one for one in found if one is not None and one.state == "active"]


def replaces(proposed: Memory) -> list[str]:
    """The ids of what a proposal itself says that it replaces."""
    said = json.loads(proposed.metadata or "{}").get(SUPERSEDES)
    ids = [said] if isinstance(said, str) else said if isinstance(said, list) else []
    return [id for id in ids[:MOST_REPLACED] if isinstance(id, str) and id != proposed.id]


def standing(memory: Memory) -> str:
    """Whose a memory is, in words: ``said by a person``."""
    if memory.tier == "agent":
        return f"said by {memory.agent or 'an agent'}, unreviewed"
    return {"person": "said by a person", "accepted": "accepted by a person"}.get(
        memory.tier, trust.mark(memory.tier)
    )


def fingerprint(entry: Entry) -> str:
    """The same for as long as accepting would do the same to the same words."""
    told = [(one.action, *(getattr(one.memory, name) for name in _SHOWN)) for one in effects(entry)]
    return sha256(repr(told).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def note_shown(app: App, entries: Sequence[Entry]) -> None:
    """Note what a person has been shown of what waits. No list fails by it."""
    if by_agent(app):
        return
    for database in {id(one.database): one.database for one in entries}.values():
        before = _shown(database)
        shown = {
            one.suggestion.id: fingerprint(one)
            for one in entries
            if one.database is database and one.suggestion.open
        }
        others = {id: told for id, told in before.items() if id not in shown}
        after = dict(list({**others, **shown}.items())[-_MOST_NOTED:])
        if after != before and not database.read_only:
            with suppress(GitmemError), database.write(harmless=True):
                projects.set_meta(database, _NOTE, json.dumps(after))


def refuse_changed(app: App, before: Entry, now: Entry) -> None:
    """Raise Conflict where accepting would do something else than what was shown."""
    shown = "" if by_agent(app) else _shown(now.database).get(now.suggestion.id, "")
    current = fingerprint(now)
    if current != fingerprint(before) or shown not in ("", current):
        raise Conflict(
            f"What suggestion {now.suggestion.id} would change was changed since it was shown.",
            "Look at it with `gitmem inbox`, then accept it again.",
        )


def _shown(database: Database) -> dict[str, str]:
    try:
        found: dict[str, str] = json.loads(projects.meta(database, _NOTE) or "{}")
    except ValueError:
        return {}
    return found
