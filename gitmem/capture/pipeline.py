"""Turning a draft into a stored memory: every new memory takes these steps.

``prepare_memory`` does what needs no lock: layer, provenance, checks and redaction, anchors, near
duplicates. ``store_prepared_memory`` writes the memory in the caller's transaction; ``save_memory``
does both.
"""

from gitmem.app import App
from gitmem.branches import visible_here
from gitmem.capture import layer_choice
from gitmem.capture.layer_choice import MemoryLayerChoice
from gitmem.capture.provenance import may_change, memory_origin
from gitmem.capture.save import MemoryReadyToStore, add_near_duplicate, store_or_reinforce_memory
from gitmem.errors import Conflict
from gitmem.memory import draft
from gitmem.memory.draft import MemoryDraft, MemoryOrigin
from gitmem.model.frozen import dataclass, replace
from gitmem.model.memory import Memory
from gitmem.store.db.connection import Database
from gitmem.store.db.redaction_gate import redact_memory
from gitmem.store.memory.branch_visibility import HiddenMemories

_PROPOSED = (
    "a person stands behind {}, so it stays in force: yours is kept as proposed, linked as "
    "CONTRADICTS; ask the person to decide"
)


@dataclass(frozen=True, slots=True)
class SaveMemoryRequest:
    """A draft of a memory to store, and how.

    ``layer`` is working, project or global; empty: chosen by the rules. ``duplicates`` says what to
    do with a repeat (smart, skip, merge or allow); empty: only exact repeats are looked for.
    ``strategy`` is how two texts are merged; empty: as the settings say. ``valid_from`` and
    ``valid_until`` are in ms since 1970, ``supersedes`` is the id of a memory to replace. ``agent``
    is the writing agent, if not the one that calls; ignored where a person calls.
    """

    draft: MemoryDraft
    layer: str = ""
    session: str = ""
    author: str = ""
    valid_from: int | None = None
    valid_until: int | None = None
    duplicates: str = ""
    supersedes: str = ""
    strategy: str = ""
    agent: str = ""


@dataclass(frozen=True, slots=True)
class BatchSharedContext:
    """What the memories of a batch share: provenance (MemoryOrigin) and memories of other branches.

    Both are by scope, project or global.
    """

    origins: dict[str, MemoryOrigin]
    hidden: dict[str, HiddenMemories]


@dataclass(frozen=True, slots=True)
class PreparedMemory:
    """A checked memory that can be stored, where it is kept, and the memory that it replaces.

    ``redacted`` names the kinds of secrets masked in it. ``proposal``: an agent may not replace a
    person's memory, so the new one is only proposed.
    """

    ready: MemoryReadyToStore
    choice: MemoryLayerChoice
    redacted: tuple[str, ...]
    superseded: Memory | None
    proposal: bool = False


@dataclass(frozen=True, slots=True)
class SavedMemory:
    """The id of a stored memory, and what was done: added, reinforced, merged or suggested.

    ``reinforced``: the text was known, and the known memory counts as used again. ``suggested``:
    added, and the inbox asks a person about a similar memory. This is ``duplicate_of``, with the
    cosine ``similarity``; ``suggestion`` is what is asked, ``merge`` or ``contradiction``.
    ``superseded`` is the id of the replaced memory; ``notes`` are for the writer.
    """

    id: str
    action: str
    redacted: tuple[str, ...]
    choice: MemoryLayerChoice
    notes: tuple[str, ...]
    duplicate_of: str
    similarity: float | None
    superseded: str
    suggestion: str


@dataclass(frozen=True, slots=True)
class BatchLineResult:
    """What was done with a line of a batch: the memory's id and an action, or an error.

    ``line`` counts from 1. ``duplicate_of`` is a memory that says nearly the same, with the cosine
    of the two; ``layer`` is where the memory was stored.
    """

    line: int
    id: str
    action: str
    error: str
    duplicate_of: str = ""
    similarity: float | None = None
    layer: str = ""


def save_memory(app: App, request: SaveMemoryRequest) -> SavedMemory:
    """Store one memory; returns the SavedMemory. Raises InvalidInput, Conflict and NotFound."""
    prepared = prepare_memory(app, request)
    with prepared.ready.database.write():
        return store_prepared_memory(app, prepared)


def prepare_memory(
    app: App, request: SaveMemoryRequest, batch_context: BatchSharedContext | None = None
) -> PreparedMemory:
    """Check a draft, mask its secrets and look up the code it cites; returns the PreparedMemory.

    Nothing is stored. ``batch_context`` caches what other memories of a batch need as well. Raises
    InvalidInput and NotFound.
    """
    batch_context = batch_context or BatchSharedContext({}, {})
    scope = draft.require_one_of("scope", request.draft.scope, ("project", "global"))
    layer = "global" if scope == "global" else request.draft.layer or request.layer
    placed, choice = layer_choice.choose_layer(app, request.draft, layer, request.session)
    database = app.store_for_scope(placed.scope)
    provenance = _origin(app, placed.scope, request, batch_context.origins)
    checked = draft.prepare_memory(
        placed, provenance, max_bytes=app.settings.number("memory.max_bytes")
    )
    memory = layer_choice.with_layer_and_expiry(app, checked.memory, placed, choice)
    if request.valid_from is not None or request.valid_until is not None:
        memory = replace(memory, valid_from=request.valid_from, valid_until=request.valid_until)
    old = _replaced(database, request.supersedes) if request.supersedes else None
    proposal = old is not None and not may_change(app, old)
    if proposal:
        memory = replace(memory, status="proposed")
    # Before the transaction: loading the rules takes longer than the transaction itself.
    memory = redact_memory(memory)
    hidden = batch_context.hidden.get(placed.scope)
    if hidden is None:
        hidden = batch_context.hidden[placed.scope] = visible_here.hidden_memories(app, database)
    ready = MemoryReadyToStore(database, memory, hidden, strategy=request.strategy)
    # A memory that supersedes another is meant to be a new one, however alike.
    if request.duplicates and old is None:
        ready = add_near_duplicate(app, ready, request.duplicates)
    return PreparedMemory(_add_anchors(app, ready), choice, checked.redacted, old, proposal)


def _replaced(database: Database, id: str) -> Memory:
    from gitmem.store.memory import short_ids  # noqa: PLC0415 - most memories replace nothing

    return short_ids.find_memory([database], id)[1]


def _origin(
    app: App, scope: str, request: SaveMemoryRequest, origins_by_scope: dict[str, MemoryOrigin]
) -> MemoryOrigin:
    if scope in origins_by_scope:
        return replace(origins_by_scope[scope], id=app.new_id())
    origin = memory_origin(app, scope, request.session)
    if request.author:
        origin = replace(origin, author=request.author)
    if request.agent and origin.agent:
        origin = replace(origin, agent=request.agent)
    origins_by_scope[scope] = origin
    return origin


def _add_anchors(app: App, ready: MemoryReadyToStore) -> MemoryReadyToStore:
    if not ready.memory.paths:
        return ready
    # Imported here: most memories cite nothing.
    from gitmem.freshness import anchoring  # noqa: PLC0415

    anchored = anchoring.make_code_anchors(app, ready.memory)
    return replace(ready, anchors=anchored.anchors, notes=anchored.notes)


def store_prepared_memory(app: App, prepared: PreparedMemory) -> SavedMemory:
    """Store a prepared memory, mark the one that it replaces, and return the SavedMemory.

    Call it in a transaction. A proposal is only linked to the memory it is to replace. Raises
    Conflict.
    """
    ready, old = prepared.ready, prepared.superseded
    id, action = store_or_reinforce_memory(app, ready)
    if old is not None and old.id == id:
        raise Conflict(
            f"The text is already that of decision {id}, which cannot supersede itself.",
            "To record a new decision, give another text; `gitmem revise` changes this one.",
        )
    notes = ready.notes
    if prepared.choice.because == layer_choice.ONLY_PEOPLE:
        _ask_everywhere(app, ready.database, id)
        notes = (*notes, f"kept in the project layer: {layer_choice.ONLY_PEOPLE}")
    if old is not None:
        from gitmem.capture import supersede  # noqa: PLC0415 - most memories replace nothing

        if prepared.proposal:
            supersede.link_contradiction(app, ready.database, old, id)
            notes = (*notes, _PROPOSED.format(old.id[:12]))
        else:
            supersede.supersede_memory(app, ready.database, old, id)
    near = _describe_near(ready, id, action)
    return SavedMemory(
        id,
        action,
        prepared.redacted,
        prepared.choice,
        (*notes, *near[0]),
        *near[1:3],
        "" if old is None or prepared.proposal else old.id,
        near[3],
    )


def _ask_everywhere(app: App, database: Database, id: str) -> None:
    from gitmem.capture import proposals  # noqa: PLC0415 - hardly any write asks for that
    from gitmem.store.memory import memories  # noqa: PLC0415 - as above

    memory = memories.get_memory(database, id)
    if memory is not None and memory.state == "active":
        proposals.suggest_global_visibility(app, database, memory)


def _describe_near(
    ready: MemoryReadyToStore, id: str, action: str
) -> tuple[tuple[str, ...], str, float | None, str]:
    """Notes on the nearest memory, its id, the cosine of the two, and what the inbox asks."""
    if ready.near is None:
        return (), "", None, ""
    from gitmem.capture import repeats  # noqa: PLC0415 - most memories have no neighbours

    notes = repeats.describe_duplicate(ready.near, id, action)
    return (
        notes,
        *repeats.duplicate_result_fields(ready.near, id, action),
        repeats.suggestion_kind_after_save(ready.near, action),
    )
