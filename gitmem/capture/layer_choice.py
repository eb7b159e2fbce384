"""Where a new memory goes: what the router advises, settled, and how long it lives then."""

from gitmem.app import App
from gitmem.capture.provenance import by_agent
from gitmem.clock import MINUTE
from gitmem.memory import layer_router, lifecycle
from gitmem.memory.draft import Draft
from gitmem.memory.layer_router import Route
from gitmem.model.frozen import dataclass, replace
from gitmem.model.memory import Memory
from gitmem.store.db.connection import Database
from gitmem.store.memory import working_memory

CAPTURED = "system_auto"
ONLY_PEOPLE = "only a person keeps something for every project; it waits in the inbox for that"


@dataclass(frozen=True, slots=True)
class LayerChoice:
    """The layer a memory goes to, and why; ``advice`` is what the router said before."""

    layer: str
    because: str
    advice: Route


def choose(app: App, draft: Draft, asked: str, session: str) -> tuple[Draft, LayerChoice]:
    """The draft in the scope where it belongs, and its layer; ``asked`` is what was asked for."""
    importance = 0.5 if draft.importance is None else draft.importance
    advice = layer_router.route(
        draft.kind or "note",
        draft.tags,
        layer=asked,
        has_ttl=draft.ttl_ms is not None,
        content=draft.content,
        session=session,
    )
    layer, because = layer_router.settle(
        advice,
        explicit=asked,
        captured=app.source == CAPTURED,
        agent=by_agent(app),
        ttl_ms=draft.ttl_ms,
        importance=importance,
    )
    if layer == layer_router.GLOBAL and by_agent(app):
        layer, because = layer_router.PROJECT, ONLY_PEOPLE
    scope = "global" if layer == "global" else "project"
    return replace(draft, scope=scope), LayerChoice(layer, because, advice)


def in_layer(app: App, memory: Memory, draft: Draft, choice: LayerChoice) -> Memory:
    """The memory in its layer, with the end that follows from it and from what was said."""
    layer = "working" if choice.layer == "working" else ""
    length, expires_at = lifecycle.term(
        now=app.now,
        said_ms=draft.ttl_ms,
        captured=_is_captured(app, memory, layer, choice),
        layer=layer,
        kind=memory.kind,
        fixed=draft.fixed,
        importance=memory.importance,
        working_ms=working_ms(app),
        captured_ms=captured_ms(app),
        kept_from=app.settings.real("captured.keep_from"),
    )
    if (memory.layer, memory.ttl_ms, memory.expires_at) == (layer, length, expires_at):
        return memory
    return replace(memory, layer=layer, ttl_ms=length, expires_at=expires_at)


def _is_captured(app: App, memory: Memory, layer: str, choice: LayerChoice) -> bool:
    """Whether nobody asked to keep it: it was captured, or an agent noted it for itself.

    What an agent put in the working layer by name lives as that layer says.
    """
    named = choice.advice.rule in ("layer", "tag")
    return memory.source == CAPTURED or (layer == "working" and by_agent(app) and not named)


def working_ms(app: App) -> int:
    """How long a working memory lives without use."""
    return app.settings.number("working.ttl_minutes") * MINUTE


def captured_ms(app: App) -> int:
    """How long what was captured lives without use."""
    return app.settings.number("captured.ttl_minutes") * MINUTE


def make_room(app: App, database: Database, session: str) -> None:
    """Let the least recently used working memories of a session make room. In a transaction."""
    most = app.settings.number("working.most")
    working_memory.make_room(database, session, most, now=app.now, agent=app.agent)
