"""Choosing the layer of a new memory, and how long the memory lives there."""

from gitmem.app import App
from gitmem.capture.provenance import is_agent
from gitmem.clock import MINUTE
from gitmem.memory import layer_router, lifecycle
from gitmem.memory.draft import MemoryDraft
from gitmem.memory.layer_router import MemoryLayerAdvice
from gitmem.model.frozen import dataclass, replace
from gitmem.model.memory import Memory
from gitmem.store.db.connection import Database

CAPTURED = "system_auto"
ONLY_PEOPLE = "only a person keeps something for every project; it waits in the inbox for that"


@dataclass(frozen=True, slots=True)
class MemoryLayerChoice:
    """Where a new memory is kept (working, project or global), why, and the advice of the rules."""

    layer: str
    because: str
    advice: MemoryLayerAdvice


def choose_layer(
    app: App, draft: MemoryDraft, requested_layer: str, session_id: str
) -> tuple[MemoryDraft, MemoryLayerChoice]:
    """(the draft with its scope set, the MemoryLayerChoice): where a new memory is kept.

    ``requested_layer`` is the layer that the user named, or empty; ``session_id`` the session that
    the user named, or empty.
    """
    importance = 0.5 if draft.importance is None else draft.importance
    advice = layer_router.advise_memory_layer(
        draft.kind or "note",
        draft.tags,
        layer=requested_layer,
        has_ttl=draft.ttl_ms is not None,
        content=draft.content,
        session=session_id or _session_of_origin(draft),
    )
    layer, because = layer_router.decide_memory_layer(
        advice,
        requested_layer=requested_layer,
        is_captured=app.source == CAPTURED,
        is_written_by_agent=is_agent(app),
        ttl_ms=draft.ttl_ms,
        importance=importance,
    )
    if layer == layer_router.GLOBAL and is_agent(app):
        layer, because = layer_router.PROJECT, ONLY_PEOPLE
    scope = "global" if layer == "global" else "project"
    return replace(draft, scope=scope), MemoryLayerChoice(layer, because, advice)


def _session_of_origin(draft: MemoryDraft) -> str:
    """The session that the draft's provenance names; provenance is checked only later."""
    origin = (draft.metadata or {}).get("provenance")
    return str(origin.get("sessionId") or "") if isinstance(origin, dict) else ""


def with_layer_and_expiry(
    app: App, memory: Memory, draft: MemoryDraft, choice: MemoryLayerChoice
) -> Memory:
    """A copy of the memory with its layer, time to live and end set; it is not stored."""
    layer = "working" if choice.layer == "working" else ""
    length, expires_at = lifecycle.ttl_and_expiry(
        now_ms=app.now,
        requested_ttl_ms=draft.ttl_ms,
        is_captured=draft.is_temporary or _is_captured(app, memory, layer, choice),
        layer=layer,
        kind=memory.kind,
        has_fixed_lifetime=draft.fixed,
        importance=memory.importance,
        working_ttl_ms=working_memory_ttl_ms(app),
        captured_ttl_ms=captured_memory_ttl_ms(app),
        min_lasting_importance=app.settings.float_number("captured.keep_from"),
    )
    if (memory.layer, memory.ttl_ms, memory.expires_at) == (layer, length, expires_at):
        return memory
    return replace(memory, layer=layer, ttl_ms=length, expires_at=expires_at)


def _is_captured(app: App, memory: Memory, layer: str, choice: MemoryLayerChoice) -> bool:
    """Whether nobody asked for the memory: it was captured, or is an agent's working note.

    A memory that an agent expressly put into the working layer is not a captured one.
    """
    named = choice.advice.rule in ("layer", "tag")
    return memory.source == CAPTURED or (layer == "working" and is_agent(app) and not named)


def working_memory_ttl_ms(app: App) -> int:
    """How long a memory in the working layer (of one session) lives by setting, in milliseconds."""
    return app.settings.number("working.ttl_minutes") * MINUTE


def captured_memory_ttl_ms(app: App) -> int:
    """How long a memory that nobody asked for lives by setting, in milliseconds."""
    return app.settings.number("captured.ttl_minutes") * MINUTE


def archive_excess_working_memories(app: App, database: Database, session_id: str) -> None:
    """Archive a session's least recently used working memories if it has over ``working.most``.

    Call it in a transaction.
    """
    from gitmem.store.memory import working_memory  # noqa: PLC0415 - most memories are lasting

    most = app.settings.number("working.most")
    working_memory.archive_least_used_working_memories(
        database, session_id, most, now_ms=app.now, agent=app.agent
    )
