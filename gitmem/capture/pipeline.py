"""From a draft to a saved memory: the one sequence that everything that is said goes through.

``prepare`` does what needs no lock: layer, provenance, checks and redaction, anchors, near
duplicates. ``store`` writes it in a transaction of the caller, ``keep`` does both for one memory.
"""

from gitmem.app import App
from gitmem.branches import visible_here
from gitmem.capture import layer_choice
from gitmem.capture.layer_choice import LayerChoice
from gitmem.capture.provenance import may_change, origin
from gitmem.capture.save import Ready, compare, save
from gitmem.capture.supersede import contradict, supersede
from gitmem.errors import Conflict
from gitmem.memory import draft
from gitmem.memory.draft import Draft, Origin
from gitmem.model.frozen import dataclass, replace
from gitmem.model.memory import Memory
from gitmem.store.db.connection import Database
from gitmem.store.db.redaction_gate import seal
from gitmem.store.memory import memories, short_ids
from gitmem.store.memory.branch_visibility import Hidden

_PROPOSED = (
    "a person stands behind {}, so it stays in force: yours is kept as proposed, linked as "
    "CONTRADICTS; ask the person to decide"
)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be kept, and what its writer asked for beside it.

    ``layer`` is empty where the router is to settle it. ``duplicates`` is what becomes of what says
    the same already (smart, skip, merge or allow); empty: only an exact repeat is looked for.
    ``strategy`` is how two are merged; empty: as the settings have it.
    """

    draft: Draft
    layer: str = ""
    session: str = ""
    author: str = ""
    valid_from: int | None = None
    valid_until: int | None = None
    duplicates: str = ""
    supersedes: str = ""
    strategy: str = ""


@dataclass(frozen=True, slots=True)
class Shared:
    """What holds for each memory of a batch, by scope: provenance, and what is hidden here."""

    origins: dict[str, Origin]
    hidden: dict[str, Hidden]


@dataclass(frozen=True, slots=True)
class Prepared:
    """A memory that may be stored, its layer, and the one that it is to supersede.

    ``proposal``: it cannot, because an agent says so of what a person said; it is kept as proposed.
    """

    ready: Ready
    choice: LayerChoice
    redacted: tuple[str, ...]
    superseded: Memory | None
    proposal: bool = False


@dataclass(frozen=True, slots=True)
class Kept:
    """What became of a memory: ``action`` is ``added``, ``reinforced``, ``merged``, ``suggested``.

    ``suggested``: added, and somebody is asked what to do. ``duplicate_of`` is a memory that says
    nearly the same, ``similarity`` the cosine of the two;
    ``superseded`` the id of the one that it replaced. ``notes`` say what its writer should know.
    """

    id: str
    action: str
    redacted: tuple[str, ...]
    choice: LayerChoice
    notes: tuple[str, ...]
    duplicate_of: str
    similarity: float | None
    superseded: str


@dataclass(frozen=True, slots=True)
class LineResult:
    """What became of one line of a batch: an id and an action, or an error.

    ``duplicate_of`` is the memory that says nearly the same, with the cosine of the two.
    """

    line: int
    id: str
    action: str
    error: str
    duplicate_of: str = ""
    similarity: float | None = None


def keep(app: App, wanted: Wanted) -> Kept:
    """Keep one memory. Raises InvalidInput, Conflict and NotFound."""
    prepared = prepare(app, wanted)
    with prepared.ready.database.write():
        return store(app, prepared)


def prepare(app: App, wanted: Wanted, shared: Shared | None = None) -> Prepared:
    """The memory that is to be stored. Raises InvalidInput and NotFound.

    ``shared`` keeps what is asked for one memory of a batch for the next.
    """
    shared = shared or Shared({}, {})
    scope = draft.one_of("scope", wanted.draft.scope, ("project", "global"))
    asked = "global" if scope == "global" else wanted.layer
    said, choice = layer_choice.choose(app, wanted.draft, asked, wanted.session)
    database = app.store_for(said.scope)
    provenance = _origin(app, said.scope, wanted, shared.origins)
    checked = draft.prepare(said, provenance, max_bytes=app.settings.number("memory.max_bytes"))
    memory = layer_choice.in_layer(app, checked.memory, said, choice)
    if wanted.valid_from is not None or wanted.valid_until is not None:
        memory = replace(memory, valid_from=wanted.valid_from, valid_until=wanted.valid_until)
    old = short_ids.find([database], wanted.supersedes)[1] if wanted.supersedes else None
    proposal = old is not None and not may_change(app, old)
    if proposal:
        memory = replace(memory, status="proposed")
    # Before anybody waits for it: the rules take longer to load than the transaction takes.
    memory = seal(memory)
    hidden = shared.hidden.get(said.scope)
    if hidden is None:
        hidden = shared.hidden[said.scope] = visible_here.hidden(app, database)
    ready = Ready(database, memory, hidden, strategy=wanted.strategy)
    # What replaces another memory is meant to be a new one, however alike.
    if wanted.duplicates and old is None:
        ready = compare(app, ready, wanted.duplicates)
    return Prepared(_anchored(app, ready), choice, checked.redacted, old, proposal)


def _origin(app: App, scope: str, wanted: Wanted, known: dict[str, Origin]) -> Origin:
    if scope in known:
        return replace(known[scope], id=app.new_id())
    known[scope] = replace(origin(app, scope, wanted.session), author=wanted.author)
    return known[scope]


def _anchored(app: App, ready: Ready) -> Ready:
    if not ready.memory.paths:
        return ready
    # Imported here: most memories cite nothing.
    from gitmem.freshness import anchoring  # noqa: PLC0415

    made = anchoring.anchor_citations(app, ready.memory)
    return replace(ready, anchors=made.anchors, notes=made.notes)


def store(app: App, prepared: Prepared) -> Kept:
    """Store a prepared memory, and mark the one that it supersedes. In a transaction.

    A proposal is linked to what it goes against, and leaves that in force.
    """
    ready, old = prepared.ready, prepared.superseded
    id, action = save(app, ready)
    if old is not None and old.id == id:
        raise Conflict(
            "A decision cannot supersede itself.",
            "Record the new decision, or see `gitmem revise`.",
        )
    notes = ready.notes
    if prepared.choice.because == layer_choice.ONLY_PEOPLE:
        _ask_everywhere(app, ready.database, id)
        notes = (*notes, f"kept in the project layer: {layer_choice.ONLY_PEOPLE}")
    if old is not None and prepared.proposal:
        contradict(app, ready.database, old, id)
        notes = (*notes, _PROPOSED.format(old.id[:12]))
    elif old is not None:
        supersede(app, ready.database, old, id)
    said = _of_near(ready, id, action)
    return Kept(
        id,
        action,
        prepared.redacted,
        prepared.choice,
        (*notes, *said[0]),
        *said[1:],
        "" if old is None or prepared.proposal else old.id,
    )


def _ask_everywhere(app: App, database: Database, id: str) -> None:
    from gitmem.capture import proposals  # noqa: PLC0415 - hardly any write asks for that

    memory = memories.get(database, id)
    if memory is not None and memory.state == "active":
        proposals.ask_everywhere(app, database, memory)


def _of_near(ready: Ready, id: str, action: str) -> tuple[tuple[str, ...], str, float | None]:
    """What is said of what comes nearest: notes, its id and the cosine of the two."""
    if ready.near is None:
        return (), "", None
    from gitmem.capture import repeats  # noqa: PLC0415 - most memories have no neighbours

    notes = repeats.notes(ready.near, id, action)
    return notes, *repeats.answer(ready.near, id, action)
