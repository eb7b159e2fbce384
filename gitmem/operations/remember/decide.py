"""Recording a decision: what was decided, why, and what it replaces."""

from gitmem.app import App
from gitmem.capture import pipeline
from gitmem.capture.pipeline import SaveMemoryRequest
from gitmem.maintenance import usage
from gitmem.memory import citations, draft
from gitmem.memory.draft import MemoryDraft
from gitmem.model.frozen import copy_fields, dataclass
from gitmem.operations import shared_fields as shared
from gitmem.operations.registry import WRITE, Annotated, Arg, Operation, unquoted_words_arg
from gitmem.retrieval import request_filters


@dataclass(frozen=True, slots=True)
class RecordDecisionRequest:
    """Arguments of `gitmem decide`: a decision (``title``), its reasons, and what it is about.

    ``path`` are files, ``anchor`` code it depends on, ``supersedes`` the id of the decision it
    replaces (empty: none); ``weight`` is 1 to 5 (None: 3), ``valid_from`` and ``valid_until`` are
    times.
    """

    title: Annotated[str, unquoted_words_arg("What was decided, in one line")]
    why: Annotated[
        str, Arg("The reasons, and the alternatives rejected", short="-w", max_stdin_mb=1)
    ] = ""
    path: shared.Paths = ()
    anchor: shared.Anchors = ()
    tag: shared.Tags = ()
    status: Annotated[str, Arg("Status of the decision", choices=shared.STATUSES)] = "accepted"
    supersedes: Annotated[str, Arg("Id of the decision that it replaces", metavar="ID")] = ""
    weight: shared.Weight = None
    author: Annotated[str, Arg("Who decided, if not you")] = ""
    session: shared.ItsSession = ""
    scope: shared.AppliesTo = "project"
    project: shared.SubProject = ""
    valid_from: shared.ValidFrom = ""
    valid_until: shared.ValidUntil = ""
    duplicates: Annotated[
        str,
        Arg(
            "If a decision says the same already: strengthen it (skip), extend it (merge), keep "
            "both (allow), or smart: ask before anything is extended",
            choices=("smart", "skip", "merge", "allow"),
            mcp=False,
        ),
    ] = "smart"


@dataclass(frozen=True, slots=True)
class RecordDecisionResult:
    """The id of the decision, and what was done: added, reinforced or merged (``action``).

    ``duplicate_of`` is the id of a decision that says nearly the same, ``similarity`` the cosine of
    the two.
    """

    id: str
    action: str
    superseded: str
    redacted: tuple[str, ...]
    notes: tuple[str, ...] = ()
    duplicate_of: str = ""
    similarity: float | None = None


def record_decision(app: App, request: RecordDecisionRequest) -> RecordDecisionResult:
    """Record a decision, why it was made and which files it is about.

    With --supersedes it replaces an earlier decision, which is kept, marked superseded and linked,
    but no longer shown unless asked for.
    """
    draft.check_title(request.title)
    draft.check_content(request.title, draft.LONGEST_TITLE * 4)
    text = MemoryDraft(
        content=request.why,
        title=request.title,
        kind="decision",
        tags=request.tag,
        paths=citations.unique_citations(request.path, request.anchor),
        weight=request.weight,
        importance=0.8,
        scope=request.scope,
        status=request.status,
    )
    first, last = request_filters.validity_period(app, request.valid_from, request.valid_until)
    addition = copy_fields(
        SaveMemoryRequest,
        request,
        draft=text,
        layer=request.scope,
        valid_from=first,
        valid_until=last,
    )
    saved = pipeline.save_memory(app, addition)
    usage.record_usage_event(app, "store")
    return copy_fields(RecordDecisionResult, saved)


def view(result: RecordDecisionResult) -> str:
    """Return the text to print: a line that says what was recorded."""
    done = "added" if result.action == "suggested" else result.action  # merging waits in the inbox
    lines = [f"{done} decision {result.id}"]
    if result.superseded:
        lines.append(f"supersedes {result.superseded}")
    lines += [f"note: {note}" for note in result.notes]
    if result.redacted:
        lines.append(f"secrets redacted before storing: {', '.join(sorted(set(result.redacted)))}")
    return "\n".join(lines)


DECIDE = Operation(
    "decide",
    record_decision,
    view,
    WRITE,
    '"Use SQLite, not a server" --why "One file, no daemon"',
    tool="decide",
)
