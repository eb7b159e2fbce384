"""Pairs of memories that somebody should look at: each is suggested once (CT-10, CT-14)."""

from gitmem.app import App
from gitmem.model.memory import Memory
from gitmem.model.suggestion import PENDING, REJECTED, Suggestion
from gitmem.store.db.connection import Database
from gitmem.store.memory import suggestions
from gitmem.store.memory.memory_rows import digest
from gitmem.text.digest import sha256

MERGE, DUPLICATE, CONTRADICTION = "merge", "duplicate", "contradiction"


def key(memory: Memory, other: Memory) -> str:
    """The same for two texts in whatever order, and under whatever ids they come back."""
    pair = "\x1f".join(sorted((digest(memory), digest(other))))
    return sha256(f"pair\x1f{pair}".encode()).hexdigest()[:32]


def suggest(
    app: App,
    database: Database,
    kind: str,
    memory: Memory,
    other: Memory,
    similarity: float,
    reason: str,
) -> bool:
    """Suggest a pair, the newer memory first; False where it was before. In a transaction."""
    wanted = _of(app, kind, memory, other, similarity, reason)
    return suggestions.add(database, wanted)


def keep_apart(app: App, database: Database, memory: Memory, other: Memory) -> None:
    """Never suggest this pair again, nor merge it unasked. In a transaction."""
    suggestions.add(database, _of(app, MERGE, memory, other, 0.0, ""))
    known = suggestions.with_key(database, key(memory, other))
    assert known is not None
    if known.state != PENDING:
        suggestions.reopen(database, known.id)
    suggestions.resolve(database, known.id, REJECTED, at=app.now, agent=app.agent)


def _of(
    app: App, kind: str, memory: Memory, other: Memory, similarity: float, reason: str
) -> Suggestion:
    return Suggestion(
        id=app.new_id(),
        key=key(memory, other),
        kind=kind,
        memory=memory.id,
        other=other.id,
        similarity=min(max(similarity, 0.0), 1.0),
        reason=reason,
        state=PENDING,
        agent=app.agent,
        created_at=app.now,
    )
