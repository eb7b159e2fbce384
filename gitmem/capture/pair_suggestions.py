"""Suggestions about pairs of memories: duplicates and contradictions, each suggested once."""

from gitmem.app import App
from gitmem.model.memory import Memory
from gitmem.model.suggestion import PENDING, REJECTED, Suggestion
from gitmem.store.db.connection import Database
from gitmem.store.memory import suggestions
from gitmem.store.memory.memory_rows import duplicate_detection_hash
from gitmem.text.digest import sha256

MERGE, DUPLICATE, CONTRADICTION = "merge", "duplicate", "contradiction"


def memory_pair_key(memory: Memory, other: Memory) -> str:
    """A key for two memories: a hash of both texts, whatever their order and ids."""
    pair = "\x1f".join(sorted((duplicate_detection_hash(memory), duplicate_detection_hash(other))))
    return sha256(f"pair\x1f{pair}".encode()).hexdigest()[:32]


def add_pair_suggestion(
    app: App,
    database: Database,
    suggestion_kind: str,
    memory: Memory,
    other: Memory,
    similarity: float,
    reason: str,
) -> bool:
    """Put the question into the inbox whether two memories are duplicates or contradictory.

    Call it in a transaction. ``suggestion_kind`` is merge, duplicate or contradiction,
    ``similarity`` their cosine, ``reason`` is shown. Returns False if the pair was suggested
    before.
    """
    suggestion = make_pair_suggestion(
        app,
        suggestion_kind,
        memory_pair_key(memory, other),
        memory.id,
        other.id,
        similarity,
        reason,
    )
    return suggestions.add_suggestion(database, suggestion)


def mark_as_distinct(app: App, database: Database, memory: Memory, other: Memory) -> None:
    """Record that two memories are no duplicates: the pair is never suggested or merged again.

    Call it in a transaction.
    """
    add_pair_suggestion(app, database, MERGE, memory, other, 0.0, "")
    suggestion = suggestions.find_suggestion_by_key(database, memory_pair_key(memory, other))
    assert suggestion is not None
    if suggestion.state != PENDING:
        suggestions.reopen_suggestion(database, suggestion.id)
    suggestions.resolve_suggestion(
        database, suggestion.id, REJECTED, at_ms=app.now, agent=app.agent
    )


def make_pair_suggestion(
    app: App,
    suggestion_kind: str,
    pair_key: str,
    memory_id: str,
    other_memory_id: str,
    similarity: float,
    reason: str,
) -> Suggestion:
    """A new Suggestion about one or two memories, not stored.

    ``suggestion_kind`` is merge, duplicate, contradiction and so on. ``pair_key`` is the same for
    the same question, so that it is asked once. ``other_memory_id`` may be empty, ``similarity`` is
    0 to 1.
    """
    return Suggestion(
        id=app.new_id(),
        key=pair_key,
        kind=suggestion_kind,
        memory=memory_id,
        other=other_memory_id,
        similarity=min(max(similarity, 0.0), 1.0),
        reason=reason,
        state=PENDING,
        agent=app.agent,
        created_at=app.now,
    )
