"""Suggesting to archive memories whose cited code is gone or changed.

The inbox asks about a memory whose code has been gone for a day, or changed for a month; until then
its state is only noted, as a branch or a half-made edit may pass. It asks once for given anchors.
"""

import json

from gitmem.app import App
from gitmem.branches import visible_here
from gitmem.capture import pair_suggestions, steward
from gitmem.clock import DAY
from gitmem.freshness import anchor_verdict
from gitmem.model.anchor import STALE, Freshness
from gitmem.model.memory import Memory
from gitmem.model.suggestion import REJECTED
from gitmem.store.db import projects
from gitmem.store.db.connection import Database
from gitmem.store.memory import anchors, memories, suggestions
from gitmem.store.memory.memory_rows import duplicate_detection_hash
from gitmem.text.digest import sha256

KIND = "recheck"
# How long the code must have been gone or changed.
GONE_MS, CHANGED_MS = DAY, 30 * DAY
# The most memories that are noted and suggested, and the time of a run.
MAX_STALE, MAX_SUGGESTED = 1000, 10
LOOK_MS = 5000.0
NOTE = "stale_since"

# Memory id -> its verdict, and since when.
StaleSince = dict[str, tuple[str, int]]


def suggest_archiving_stale_memories(app: App, store: Database) -> int:
    """Suggest to archive memories whose cited code changed; return how many were suggested.

    It compares all memories with the code that they cite. A person decides in the inbox.
    """
    last = projects.get_meta(store, projects.RECHECKED_AT) or ""
    # A job that was put aside is due again a day later, not with each command.
    state, made = steward.run_suggestion_job(app, store, KIND, last, _scan)
    if state:
        with store.write():
            projects.set_meta(store, projects.RECHECKED_AT, str(app.now))
    return made


def _scan(app: App, store: Database) -> int:
    away = visible_here.memories_of_other_branches(
        app, store, ids := anchors.anchored_memory_ids(store)
    )
    here = [id for id in ids if id not in away]
    freshness_by_id = anchor_verdict.freshness_by_memory_id(app, store, here, deadline_ms=LOOK_MS)
    stale = update_stale_memories(_read_note(store), freshness_by_id, app.now)
    wait = {"gone": GONE_MS}
    ripe = [
        id for id, (word, since) in stale.items() if app.now - since >= wait.get(word, CHANGED_MS)
    ]
    with store.write():
        projects.set_meta(store, NOTE, json.dumps(stale))
        # Withdraw suggestions about memories that hold again.
        for suggestion in suggestions.pending_suggestions(store, MAX_STALE):
            verdict = freshness_by_id.get(suggestion.memory)
            if (
                suggestion.kind == "stale"
                and verdict is not None
                and verdict.freshness in ("fresh", "moved")
            ):
                suggestions.resolve_suggestion(
                    store, suggestion.id, REJECTED, at_ms=app.now, agent=""
                )
        suggested = 0
        for id in ripe:
            memory = memories.get_memory(store, id)
            if suggested < MAX_SUGGESTED and memory is not None and memory.state == "active":
                suggested += _suggest(app, store, memory, freshness_by_id[id])
        return suggested


def update_stale_memories(
    previous: StaleSince, freshness_by_id: dict[str, Freshness], now_ms: int
) -> StaleSince:
    """Return the memories whose cited code is changed or gone: id -> (which, since when in ms).

    ``previous`` is the last such result, ``freshness_by_id`` the state now; where that is unknown,
    the previous entry stays.
    """
    stale: StaleSince = {}
    for id, freshness in freshness_by_id.items():
        word, since = previous.get(id, ("", now_ms))
        if freshness.freshness in STALE:
            # After a clock was put back, the time starts again.
            stale[id] = (
                freshness.freshness,
                since if word == freshness.freshness and since <= now_ms else now_ms,
            )
        elif freshness.freshness == "unknown" and word:
            stale[id] = (word, since)
    return dict(list(stale.items())[:MAX_STALE])


def _read_note(store: Database) -> StaleSince:
    try:
        value = json.loads(projects.get_meta(store, NOTE) or "{}")
        return {str(id): (str(word), int(since)) for id, (word, since) in value.items()}
    except (ValueError, TypeError, AttributeError):
        return {}


def _suggest(app: App, store: Database, memory: Memory, known: Freshness) -> bool:
    """Suggest to archive a memory; False where that was suggested before."""
    wrong = [anchor for anchor in known.anchors if anchor.verdict in STALE]
    if not wrong:
        return False
    reason = wrong[0].reason or f"{wrong[0].cited} is {wrong[0].verdict}"
    likeness = 1.0 if known.freshness == "gone" else 0.5
    suggestion = pair_suggestions.make_pair_suggestion(
        app, "stale", _key(store, memory), memory.id, "", likeness, reason
    )
    return suggestions.add_suggestion(store, suggestion)


def _key(store: Database, memory: Memory) -> str:
    """The key of the suggestion; it depends on the text and its anchors, not on the id."""
    cited = anchors.anchors_by_memory(store, [memory.id])[memory.id]
    places = sorted(f"{anchor.cited}@{anchor.blob}" for anchor in cited)
    text = "\x1f".join(["stale", duplicate_detection_hash(memory), *places])
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
