"""Recording a decision: what was decided, why, and what it replaces."""

from typing import Annotated

from gitmem.app import App
from gitmem.errors import Conflict
from gitmem.memory import draft, edit
from gitmem.memory.draft import Draft
from gitmem.model.memory import Link, Memory
from gitmem.model.value import dataclass, replace
from gitmem.operations.actor import origin
from gitmem.operations.registry import WRITE, Arg, Operation
from gitmem.operations.remember import keep
from gitmem.store import lookup, memories, revisions
from gitmem.store.connection import Database


@dataclass(frozen=True, slots=True)
class Decide:
    """A request to record a decision."""

    title: Annotated[str, Arg("What was decided, in one line.", positional=True, words=True)]
    why: Annotated[
        str,
        Arg(
            "Why, and what was turned down; - reads standard input.",
            short="-w",
            stdin=True,
        ),
    ] = ""
    path: Annotated[tuple[str, ...], Arg("A file it is about; may be repeated.")] = ()
    tag: Annotated[tuple[str, ...], Arg("A tag; may be repeated.")] = ()
    status: Annotated[
        str,
        Arg("How far it is.", choices=("proposed", "accepted", "deprecated", "superseded")),
    ] = "accepted"
    supersedes: Annotated[str, Arg("The id of the decision that it replaces.", metavar="ID")] = ""
    weight: Annotated[int | None, Arg("How much it counts (3 if not given).", least=1, most=5)] = (
        None
    )
    author: Annotated[str, Arg("Who decided, where it was not you.")] = ""
    session: Annotated[
        str, Arg("The session it belongs to; the running one if not given.", mcp=False)
    ] = ""
    scope: Annotated[
        str, Arg("Whether it holds here or in every project.", choices=("project", "global"))
    ] = "project"


@dataclass(frozen=True, slots=True)
class Decided:
    """The decision's id and ``action`` (``added`` or ``reinforced``)."""

    id: str
    action: str
    superseded: str
    redacted: tuple[str, ...]


def decide(app: App, request: Decide) -> Decided:
    """Record a decision, why it was made, what it is about.

    A decision with --supersedes replaces an earlier one: that one is kept, marked superseded and
    linked, and no longer shown unless asked for.
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
    draft.check_content(request.title, draft.LONGEST_TITLE * 4)
    database = app.store_for(request.scope)
    provenance = replace(origin(app, request.scope, request.session), author=request.author)
    prepared = draft.prepare(given, provenance, max_bytes=app.settings.number("memory.max_bytes"))
    old = lookup.find([database], request.supersedes)[1] if request.supersedes else None
    with database.write():
        memory_id, action = keep(database, prepared, app)
        if old is not None and old.id == memory_id:
            raise Conflict(
                "A decision cannot supersede itself.",
                "Say what is decided now; see `gitmem revise`.",
            )
        if old is not None:
            supersede(app, database, old, memory_id)
    return Decided(memory_id, action, "" if old is None else old.id, prepared.redacted)


def supersede(app: App, database: Database, old: Memory, by: str) -> None:
    """Mark a memory as replaced by another and link the two. In a transaction."""
    current = memories.get(database, old.id) or old
    changed = edit.superseded(current, by)
    revisions.revise(
        database,
        current,
        changed,
        draft.digest(changed),
        at=app.now,
        action="superseded",
        agent=app.agent,
    )
    revisions.add_link(database, Link(app.new_id(), by, old.id, "SUPERSEDES", 1.0, "", app.now))


def view(result: Decided) -> str:
    """A line on what was recorded."""
    lines = [f"{result.action} decision {result.id}"]
    if result.superseded:
        lines.append(f"supersedes {result.superseded}")
    if result.redacted:
        lines.append(f"secrets taken out before storing: {', '.join(sorted(set(result.redacted)))}")
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
