"""Suggesting to archive what the code has made untrue.

A memory whose code is gone for a day, or has been another for a month, waits in the inbox as stale.
What passes (a branch, an edit half made) is not worth asking about, so the first look only notes
it. Asked once for what a memory stands on: anchored anew it is another question.
"""

import json

from gitmem.app import App
from gitmem.branches import visible_here
from gitmem.capture import steward
from gitmem.clock import DAY
from gitmem.freshness import anchor_verdict
from gitmem.model.anchor import STALE, Freshness
from gitmem.model.memory import Memory
from gitmem.model.suggestion import PENDING, REJECTED, Suggestion
from gitmem.store.db import projects
from gitmem.store.db.connection import Database
from gitmem.store.memory import anchors, memories, suggestions
from gitmem.store.memory.memory_rows import digest
from gitmem.text.digest import sha256

KIND = "recheck"
# For how long a memory's code must be seen so before somebody is asked.
GONE_MS, CHANGED_MS = DAY, 30 * DAY
# Noted and suggested at most; a look takes no longer than this.
MOST, MOST_SUGGESTED = 1000, 10
LOOK_MS = 5000.0
NOTE = "stale_since"

# Memory id -> the verdict that was seen, and since when.
Seen = dict[str, tuple[str, int]]


def run(app: App, store: Database) -> int:
    """Hold every memory against its code; how many are suggested. Nothing where another does."""
    found = 0

    def look(app: App, store: Database) -> str:
        nonlocal found
        found = _look(app, store)
        return json.dumps({"suggested": found})

    last = projects.meta(store, projects.RECHECKED_AT) or ""
    # What was put aside is due again a day later, not at each command.
    if steward.run(app, store, KIND, last, look) not in steward.ENDED:
        return 0
    with store.write():
        projects.set_meta(store, projects.RECHECKED_AT, str(app.now))
    return found


def _look(app: App, store: Database) -> int:
    away = visible_here.away(app, store, ids := anchors.memories(store))
    here = [id for id in ids if id not in away]
    known = anchor_verdict.of_ids(app, store, here, deadline_ms=LOOK_MS)
    seen = noted(_noted(store), known, app.now)
    ripe = [id for id, (word, since) in seen.items() if app.now - since >= _patience(word)]
    with store.write():
        projects.set_meta(store, NOTE, json.dumps(seen))
        # Clear away the questions about what holds again.
        for one in suggestions.pending(store, MOST):
            told = known.get(one.memory)
            if one.kind == "stale" and told is not None and told.freshness in ("fresh", "moved"):
                suggestions.resolve(store, one.id, REJECTED, at=app.now, agent="")
        made = 0
        for id in ripe:
            memory = memories.get(store, id)
            if made < MOST_SUGGESTED and memory is not None and memory.state == "active":
                made += _suggest(app, store, memory, known[id])
        return made


def noted(before: Seen, known: dict[str, Freshness], now: int) -> Seen:
    """What is stale now, and since when it is seen so; what could not be told stays as it was."""
    found: Seen = {}
    for id, one in known.items():
        word, since = before.get(id, ("", now))
        if one.freshness in STALE:
            # A clock that went back begins anew.
            found[id] = (one.freshness, since if word == one.freshness and since <= now else now)
        elif one.freshness == "unknown" and word:
            found[id] = (word, since)
    return dict(list(found.items())[:MOST])


def _patience(word: str) -> int:
    return GONE_MS if word == "gone" else CHANGED_MS


def _noted(store: Database) -> Seen:
    try:
        told = json.loads(projects.meta(store, NOTE) or "{}")
        return {str(id): (str(word), int(since)) for id, (word, since) in told.items()}
    except (ValueError, TypeError, AttributeError):
        return {}


def _suggest(app: App, store: Database, memory: Memory, known: Freshness) -> bool:
    """Ask about a memory; False where it was asked before, or cannot be told any more."""
    wrong = [anchor for anchor in known.anchors if anchor.verdict in STALE]
    if not wrong:
        return False
    reason = wrong[0].reason or f"{wrong[0].cited} is {wrong[0].verdict}"
    return suggestions.add(
        store,
        Suggestion(
            id=app.new_id(),
            key=_key(store, memory),
            kind="stale",
            memory=memory.id,
            other="",
            similarity=1.0 if known.freshness == "gone" else 0.5,
            reason=reason,
            state=PENDING,
            agent=app.agent,
            created_at=app.now,
        ),
    )


def _key(store: Database, memory: Memory) -> str:
    """The same for a text that stands on the same code, whatever its id."""
    stood = [f"{one.cited}@{one.blob}" for one in anchors.of(store, [memory.id])[memory.id]]
    told = "\x1f".join(["stale", digest(memory), *sorted(stood)])
    return sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:32]
