"""Recording a decision: what was decided, why, and what it replaces."""

from typing import Annotated

from gitmem.app import App
from gitmem.capture import near_duplicates
from gitmem.capture.provenance import origin
from gitmem.capture.save import ground, keep
from gitmem.capture.supersede import supersede
from gitmem.errors import Conflict
from gitmem.maintenance import usage
from gitmem.memory import draft
from gitmem.memory.draft import Draft
from gitmem.model.frozen import dataclass, replace
from gitmem.operations.registry import WRITE, Arg, Operation
from gitmem.retrieval import request_filters
from gitmem.store.memory import short_ids


@dataclass(frozen=True, slots=True)
class Decide:
    """A request to record a decision."""

    title: Annotated[str, Arg("What was decided, in one line", positional=True, words=True)]
    why: Annotated[
        str,
        Arg(
            "The reasons, and the alternatives rejected; - reads standard input",
            short="-w",
            stdin=True,
        ),
    ] = ""
    path: Annotated[tuple[str, ...], Arg("A file it is about; may be repeated")] = ()
    tag: Annotated[tuple[str, ...], Arg("A tag; may be repeated")] = ()
    status: Annotated[
        str,
        Arg("Status of the decision", choices=("proposed", "accepted", "deprecated", "superseded")),
    ] = "accepted"
    supersedes: Annotated[str, Arg("Id of the decision that it replaces", metavar="ID")] = ""
    weight: Annotated[int | None, Arg("Weight in the ranking (default: 3)", least=1, most=5)] = None
    author: Annotated[str, Arg("Who decided, if not you")] = ""
    session: Annotated[
        str, Arg("The session it belongs to (default: the running one)", mcp=False)
    ] = ""
    scope: Annotated[
        str,
        Arg("Whether it applies to this project or to all of them", choices=("project", "global")),
    ] = "project"
    valid_from: Annotated[str, Arg("Valid from this time on: 2026-01-31, v1.2", mcp=False)] = ""
    valid_until: Annotated[str, Arg("Valid until this time", mcp=False)] = ""
    duplicates: Annotated[
        str,
        Arg(
            "What says the same already is strengthened (skip), extended (merge), or both are kept "
            "(allow)",
            choices=("skip", "merge", "allow"),
            mcp=False,
        ),
    ] = "skip"


@dataclass(frozen=True, slots=True)
class Decided:
    """The decision's id and ``action`` (``added``, ``reinforced`` or ``merged``).

    ``duplicate_of`` and ``similarity`` are as those of ``remember``.
    """

    id: str
    action: str
    superseded: str
    redacted: tuple[str, ...]
    notes: tuple[str, ...] = ()
    duplicate_of: str = ""
    similarity: float | None = None


def decide(app: App, request: Decide) -> Decided:
    """Record a decision, why it was made and which files it is about.

    With --supersedes it replaces an earlier decision: that one is kept, marked superseded and
    linked, but no longer shown unless asked for.
    """
    given = Draft(
        content=request.why,
        title=request.title,
        kind="decision",
        tags=request.tag,
        paths=request.path,
        weight=request.weight,
        importance=0.8,
        scope=request.scope,
        status=request.status,
    )
    draft.check_title(request.title)
    draft.check_content(request.title, draft.LONGEST_TITLE * 4)
    database = app.store_for(request.scope)
    provenance = replace(origin(app, request.scope, request.session), author=request.author)
    prepared = draft.prepare(given, provenance, max_bytes=app.settings.number("memory.max_bytes"))
    first, last = request_filters.bounds(app, request.valid_from, request.valid_until)
    memory = replace(prepared.memory, valid_from=first, valid_until=last)
    prepared = replace(prepared, memory=memory)
    old = short_ids.find([database], request.supersedes)[1] if request.supersedes else None
    # What replaces another decision is meant to be a new one, however alike.
    mode = "" if old is not None else request.duplicates
    stands = ground(app, database, memory, mode)
    with database.write():
        memory_id, action = keep(database, prepared, app, stands)
        if old is not None and old.id == memory_id:
            raise Conflict(
                "A decision cannot supersede itself.",
                "Record the new decision, or see `gitmem revise`.",
            )
        if old is not None:
            supersede(app, database, old, memory_id)
    usage.note(app, "store")
    other, similarity = near_duplicates.answer(stands.near, memory_id, action)
    return Decided(
        memory_id,
        action,
        "" if old is None else old.id,
        prepared.redacted,
        (*stands.notes, *near_duplicates.told(stands.near, memory_id, action)),
        other,
        similarity,
    )


def view(result: Decided) -> str:
    """A line on what was recorded."""
    lines = [f"{result.action} decision {result.id}"]
    if result.superseded:
        lines.append(f"supersedes {result.superseded}")
    lines += [f"note: {note}" for note in result.notes]
    if result.redacted:
        lines.append(f"secrets redacted before storing: {', '.join(sorted(set(result.redacted)))}")
    return "\n".join(lines)


DECIDE = Operation(
    name="decide",
    request=Decide,
    run=decide,
    view=view,
    effect=WRITE,
    example='gitmem decide "Use SQLite, not a server" --why "One file, no daemon"',
    tool="decide",
)
