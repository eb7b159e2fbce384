"""Recording a decision: what was decided, why, and what it replaces."""

from typing import Annotated

from gitmem.app import App
from gitmem.capture import pipeline
from gitmem.capture.pipeline import Wanted
from gitmem.maintenance import usage
from gitmem.memory import draft
from gitmem.memory.draft import Draft
from gitmem.model.frozen import dataclass
from gitmem.operations.registry import WRITE, Arg, Operation
from gitmem.retrieval import request_filters


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
    valid_from: Annotated[str, Arg("It holds since then: 2026-01-31, v1.2.", mcp=False)] = ""
    valid_until: Annotated[str, Arg("It holds until then.", mcp=False)] = ""
    duplicates: Annotated[
        str,
        Arg(
            "What says the same already is strengthened (skip), extended (merge), or both are kept "
            "(allow).",
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
    """Record a decision, why it was made, what it is about.

    A decision with --supersedes replaces an earlier one: that one is kept, marked superseded and
    linked, and no longer shown unless asked for.
    """
    draft.check_title(request.title)
    draft.check_content(request.title, draft.LONGEST_TITLE * 4)
    said = Draft(
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
    first, last = request_filters.bounds(app, request.valid_from, request.valid_until)
    wanted = Wanted(
        said,
        layer=request.scope,
        session=request.session,
        author=request.author,
        valid_from=first,
        valid_until=last,
        duplicates=request.duplicates,
        supersedes=request.supersedes,
    )
    kept = pipeline.keep(app, wanted)
    usage.note(app, "store")
    return Decided(
        kept.id,
        kept.action,
        kept.superseded,
        kept.redacted,
        kept.notes,
        kept.duplicate_of,
        kept.similarity,
    )


def view(result: Decided) -> str:
    """A line on what was recorded."""
    lines = [f"{result.action} decision {result.id}"]
    if result.superseded:
        lines.append(f"supersedes {result.superseded}")
    lines += [f"note: {note}" for note in result.notes]
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
