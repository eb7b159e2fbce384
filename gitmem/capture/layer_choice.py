"""Where a new memory goes: what the router advises, settled, and how long it lives then."""

from gitmem.app import App
from gitmem.memory import layer_router, lifecycle
from gitmem.memory.draft import Draft
from gitmem.model.frozen import dataclass, replace
from gitmem.model.memory import Memory
from gitmem.store.db.connection import Database
from gitmem.store.memory import working_memory

MINUTE_MS = 60_000


@dataclass(frozen=True, slots=True)
class Place:
    """The layer a memory goes to, and why."""

    layer: str
    because: str


def place(app: App, given: Draft, said: str, session: str) -> tuple[Draft, Place]:
    """The draft in the scope where it belongs, and its layer; ``said`` is what was asked for."""
    importance = 0.5 if given.importance is None else given.importance
    advice = layer_router.route(
        given.kind or "note",
        given.tags,
        layer=said,
        has_ttl=given.ttl_ms is not None,
        content=given.content,
        session=session,
    )
    layer, because = layer_router.settled(
        advice, explicit=said, source=app.source, ttl_ms=given.ttl_ms, importance=importance
    )
    scope = "global" if layer == "global" else "project"
    return replace(given, scope=scope), Place(layer, because)


def settled(app: App, memory: Memory, given: Draft, place: Place) -> Memory:
    """The memory in its layer, with the end that follows from it."""
    layer = "working" if place.layer == "working" else ""
    ttl_ms, expires_at = lifecycle.term(
        now=app.now,
        said_ms=given.ttl_ms,
        source=memory.source,
        layer=layer,
        importance=memory.importance,
        working_ms=app.settings.number("working.ttl_minutes") * MINUTE_MS,
    )
    return replace(memory, layer=layer, ttl_ms=ttl_ms, expires_at=expires_at)


def make_room(app: App, database: Database, session: str) -> None:
    """Let the least recently used working memories of a session make room. In a transaction."""
    most = app.settings.number("working.most")
    working_memory.make_room(database, session, most, now=app.now, agent=app.agent)
