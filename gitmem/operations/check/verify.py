"""Looking whether memories still hold for the code, and saying what is to become of those."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Annotated

from gitmem.app import App
from gitmem.branches import visible_here
from gitmem.capture import resolve
from gitmem.capture.resolve import Wish
from gitmem.errors import GitmemError, InvalidInput, NotFound
from gitmem.freshness import anchor_verdict
from gitmem.memory.visibility import HERE
from gitmem.model.anchor import STALE, Freshness, Verdict
from gitmem.model.frozen import dataclass, replace
from gitmem.model.memory import Memory
from gitmem.operations.registry import WRITE, Arg, Operation
from gitmem.retrieval import memory_view
from gitmem.store.db.connection import Database
from gitmem.store.memory import anchors, cited_by, memories, short_ids
from gitmem.text.fence import one_line

_BATCH = 500
# Asking git which commit changed a place takes 0.1 s: of a long list only the first are asked for.
_MOST_EXPLAINED = 20


@dataclass(frozen=True, slots=True)
class Verify:
    """Which memories to look at, and what to do with them."""

    id: Annotated[
        tuple[str, ...],
        Arg("Ids or unique prefixes (default: all)", positional=True, metavar="ID"),
    ] = ()
    changed: Annotated[bool, Arg("Only those whose code changed or is gone")] = False
    all: Annotated[bool, Arg("Also those that are fresh")] = False
    accept: Annotated[bool, Arg("Still true: anchor them to the code as it is now")] = False
    re_anchor: Annotated[
        str,
        Arg(
            "Cite this place instead: src/app.py, src/app.py:40-60 or src/app.py::Server.start",
            metavar="PATH[:LINES|::SYMBOL]",
        ),
    ] = ""
    cited: Annotated[
        str, Arg("Which citation --re-anchor replaces, if more than one is not fresh")
    ] = ""
    correct: Annotated[
        str, Arg("The corrected text; - reads it from standard input", metavar="TEXT", stdin=True)
    ] = ""
    retire: Annotated[bool, Arg("No longer useful: archive them")] = False


@dataclass(frozen=True, slots=True)
class Verified:
    """A memory, whether it still holds, and what was done (``action``, ``error``; mostly neither).

    ``freshness`` and ``anchors`` are as after the action.
    """

    id: str
    handle: str
    title: str
    kind: str
    freshness: str
    anchors: tuple[Verdict, ...]
    action: str
    error: str


@dataclass(frozen=True, slots=True)
class Looked:
    """The memories asked for. ``counts``: freshness -> how many of all that were looked at.

    Which commit did it is told for the first 20 places; ask for one memory to know of any.
    """

    items: tuple[Verified, ...]
    counts: dict[str, int]
    failed: int


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A memory that was found, or why none was."""

    text: str
    database: Database | None
    memory: Memory | None
    error: str = ""


def verify(app: App, request: Verify) -> Looked:
    """Show which memories still hold, and resolve those that may not.

    Without ids: all on this branch that cite a file and are not fresh. Nothing is changed unless
    --accept, --re-anchor, --correct or --retire says so; --correct may be combined with
    --re-anchor. What a memory said and cited before stays in its history.
    """
    _check(request)
    if request.id:
        wanted = [_found(app, text, alone=len(request.id) == 1) for text in request.id]
    else:
        wanted = _every(app)
    known = _judged(app, wanted)
    chosen = [one for one in wanted if _is_asked(request, one, known)]
    looked = [_settled(app, request, one, known) for one in chosen]
    return Looked(
        tuple(_explained(app, looked)), _counts(known), sum(1 for one in looked if one.error)
    )


def _check(request: Verify) -> None:
    said = [
        name
        for name, given in (
            ("--accept", request.accept),
            ("--re-anchor", bool(request.re_anchor)),
            ("--correct", bool(request.correct)),
            ("--retire", request.retire),
        )
        if given
    ]
    if len(said) > 1 and said != ["--re-anchor", "--correct"]:
        raise InvalidInput(
            f"{' and '.join(said)} cannot be combined.", "Use one of them at a time."
        )
    if said and said[0] in ("--re-anchor", "--correct") and len(request.id) != 1:
        raise InvalidInput(f"{said[0]} works on a single memory.", "Give one id.")
    if said and not (request.id or request.changed or request.all):
        raise InvalidInput(
            f"{said[0]} needs to know which memories you mean.",
            "Give their ids, or --changed or --all to select them.",
        )
    if request.cited and not request.re_anchor:
        raise InvalidInput(
            "--cited works only with --re-anchor.", "Give the new place with --re-anchor."
        )


def _wish(request: Verify) -> Wish:
    return Wish(request.accept, request.re_anchor, request.cited, request.correct, request.retire)


# --- which --------------------------------------------------------------------------------------


def _found(app: App, text: str, *, alone: bool) -> _Wanted:
    try:
        database, memory = short_ids.find(app.stores(), text)
    except GitmemError as error:
        if alone:
            raise
        return _Wanted(text, None, None, error.message)
    return _Wanted(memory.id, database, memory)


def _every(app: App) -> list[_Wanted]:
    """All memories in use that cite something; those of other branches are judged there."""
    ids = [id for id, _ in cited_by.every(app.store)]
    seen = visible_here.visible(app, app.store, ids)
    return [_Wanted(id, app.store, None) for id in ids if seen[id] == HERE]


def _judged(app: App, wanted: Sequence[_Wanted]) -> dict[str, Freshness]:
    """Memory id -> whether it holds. A global memory cites no file of this repository."""
    ids = [one.text for one in wanted if one.database is app.store]
    found = {one.text: memory_view.NOWHERE for one in wanted if one.database is not None}
    for start in range(0, len(ids), _BATCH):
        found |= anchor_verdict.of_ids(app, app.store, ids[start : start + _BATCH])
        app.progress("verify", min(start + _BATCH, len(ids)), len(ids))
    return found


def _is_asked(request: Verify, one: _Wanted, known: dict[str, Freshness]) -> bool:
    if one.error:
        return True
    word = known[one.text].freshness
    if request.changed:
        return word in STALE
    return bool(request.id) or request.all or word not in ("fresh", "none")


def _counts(known: dict[str, Freshness]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for one in known.values():
        counts[one.freshness] = counts.get(one.freshness, 0) + 1
    return counts


# --- what becomes of it -------------------------------------------------------------------------


def _settled(app: App, request: Verify, one: _Wanted, known: dict[str, Freshness]) -> Verified:
    """The memory after what was asked for; an error is told beside it, or raised if it is alone."""
    if one.error or one.database is None:
        return Verified(one.text, one.text, "", "", "none", (), "", one.error)
    action, error = "", ""
    try:
        memory = one.memory or memories.get(one.database, one.text)
        if memory is None:
            raise NotFound(f"Memory {one.text} was removed a moment ago.", "Run `gitmem list`.")
        action = resolve.settle(app, _wish(request), one.database, memory, known[one.text])
    except GitmemError as problem:
        if len(request.id) == 1:
            raise
        error = problem.message
    return _item(app, one, known[one.text], action, error)


def _item(app: App, one: _Wanted, before: Freshness, action: str, error: str) -> Verified:
    assert one.database is not None
    memory, now = None, before
    with suppress(GitmemError):
        memory = memories.get(one.database, one.text)
    if action and one.database is app.store:
        now = anchor_verdict.of_ids(app, app.store, [one.text])[one.text]
    return Verified(
        one.text,
        short_ids.shortest(one.database, one.text),
        memory.headline if memory else "",
        memory.kind if memory else "",
        now.freshness,
        now.anchors,
        action,
        error,
    )


# --- what is shown ------------------------------------------------------------------------------


def _explained(app: App, looked: Sequence[Verified]) -> list[Verified]:
    """The items, with the commits that changed what they stand on."""
    room = _MOST_EXPLAINED
    told = []
    for one in looked:
        if room > 0 and one.freshness in ("moved", *STALE):
            own = {a.number: a for a in anchors.of(app.store, [one.id]).get(one.id, ())}
            room -= len(own)
            verdicts = tuple(
                anchor_verdict.explained(app, own[v.number], v) if v.number in own else v
                for v in one.anchors
            )
            one = replace(one, anchors=verdicts)
        told.append(one)
    return told


def view(result: Looked) -> str:
    """For each memory a line, what was done, and one for each place that it cites."""
    lines = []
    for one in result.items:
        lines.append(one.error if not one.kind else _headline(one))
        # Of one that was asked for all is told; a long list keeps to the width of a screen.
        room = 96 if len(result.items) > 1 else 400
        lines += ["    " + one_line(memory_view.told(verdict), room) for verdict in one.anchors]
        if one.error and one.kind:
            lines.append("    " + one_line(one.error, 96))
    if any(one.action for one in result.items):
        return "\n".join(lines)
    order = ("fresh", "moved", "unknown", "changed", "gone", "none")
    told = [f"{result.counts[word]} {word}" for word in order if result.counts.get(word)]
    return "\n".join([*lines, ", ".join(told) or "No memory cites a file yet."])


def _headline(one: Verified) -> str:
    done = f"{one.action}, now {one.freshness}" if one.action else one.freshness
    mark = f"  [{'archived' if one.action == 'retired' else done}]"
    return f"{one.handle}  {one.kind:<10} {one_line(one.title, 78 - len(mark))}{mark}"


def failures(result: Looked) -> int:
    """How many could not be done."""
    return result.failed


VERIFY = Operation(
    name="verify",
    request=Verify,
    run=verify,
    view=view,
    effect=WRITE,
    example="gitmem verify 01M6ZK3P --accept",
    tool="verify",
    failures=failures,
)
