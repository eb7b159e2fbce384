"""Orientation: what a session needs to know first, within a token budget."""

from collections.abc import Iterable

from gitmem.app import App
from gitmem.assembly import orientation
from gitmem.assembly.orientation import Orientation
from gitmem.clock import format_iso, local_zone
from gitmem.model.frozen import dataclass
from gitmem.model.memory import Memory
from gitmem.model.section import PackedSections, SectionCost
from gitmem.operations import shared_fields as shared
from gitmem.operations.registry import READ, Annotated, Arg, Operation
from gitmem.retrieval import annotate, memory_view
from gitmem.retrieval.memory_view import CommitItem

# Milliseconds to wait for the store, to record the visit.
PATIENCE_MS = 50


@dataclass(frozen=True, slots=True)
class OrientRequest:
    """Arguments of `gitmem orient`: how long the orientation may be and how it is written.

    ``budget`` is in tokens (None: the setting orient.budget), ``format`` text, json or markdown,
    ``timezone`` a name such as Asia/Tokyo (empty: the setting); ``explain`` adds the tokens of each
    section.
    """

    budget: Annotated[
        int | None, Arg("Token budget (default: 1200)", short="-b", minimum=200, maximum=20_000)
    ] = None
    format: Annotated[
        str, Arg("Output format", choices=("text", "json", "markdown"), mcp=False)
    ] = "text"
    project: shared.SubProject = ""
    timezone: Annotated[
        str, Arg("Time zone of the times shown, such as Asia/Tokyo (default: the setting)")
    ] = ""
    explain: Annotated[bool, Arg("Also show how many tokens each section uses", mcp=False)] = False


@dataclass(frozen=True, slots=True)
class OrientationResult:
    """What a session is told first: the text, and the facts that it was made from.

    ``gap_seconds`` is the time since the last session, null in the first. ``commits`` are those
    since the last session (in the first session the latest few), ``memories`` are pinned, new and
    changed ones, ``decisions`` begin with open ones. ``sections`` are the tokens of each part of
    the text.
    """

    project: str
    name: str
    branch: str | None
    commit: str | None
    worktree: str
    first_session: bool
    just_here: bool
    gap_seconds: int | None
    since: str | None
    commits: tuple[CommitItem, ...]
    memories: tuple[memory_view.MemoryItem, ...]
    decisions: tuple[memory_view.MemoryItem, ...]
    text: str
    tokens: int
    sections: tuple[SectionCost, ...]
    explain: bool


def orient_session(app: App, request: OrientRequest) -> OrientationResult:
    """Show what a session needs to know first.

    Project, branch and worktree, time since the last session, commits by author, merged branches
    and changed areas since then, new and changed memories, open decisions, what was being worked
    on. Never longer than the budget. The same state gives the same text, apart from the clock line.
    """
    prepared, oriented = _orient(app, request)
    orientation.record_visit(app, prepared, wait_ms=PATIENCE_MS)
    app.refresh_wanted = bool(app.refresh_wanted)  # from now on a server watches the files
    return oriented


def preview_orientation(app: App, request: OrientRequest) -> OrientationResult:
    """Return the same as ``orient_session``; the next orientation tells the same news again."""
    return _orient(app, request)[1]


def _orient(app: App, request: OrientRequest) -> tuple[Orientation, OrientationResult]:
    app.requested_time_zone = local_zone.validate_zone_name(request.timezone)
    prepared = orientation.prepare_orientation(app)
    packed = prepared.pack_to_budget(request.budget, markdown=request.format == "markdown")
    return prepared, _result(app, prepared, packed, request.explain)


def _result(
    app: App, orientation: Orientation, packed: PackedSections, explain: bool
) -> OrientationResult:
    facts, visit = orientation.facts, orientation.facts.visit
    memories = {memory.id: memory for memory in (*facts.pinned, *facts.added, *facts.changed)}
    memories.update({memory.id: memory for memory in facts.conventions})
    decided = {memory.id: memory for memory in (*facts.open_decisions, *facts.decisions)}
    # Just after a first visit there is no earlier period to report, but a last visit.
    begins = visit.since
    if begins is None and visit.gap_ms is not None:
        begins = app.now - visit.gap_ms
    return OrientationResult(
        project=facts.key,
        name=facts.name,
        branch=facts.branch,
        commit=facts.commit,
        worktree=app.worktree,
        first_session=visit.first,
        just_here=visit.just_here,
        gap_seconds=None if visit.gap_ms is None else visit.gap_ms // 1000,
        since=None if begins is None else format_iso(begins),
        commits=tuple(
            CommitItem(
                commit.sha, commit.author, format_iso(commit.committed_time * 1000), commit.subject
            )
            for commit in facts.commits
        ),
        memories=_items(app, orientation, memories.values()),
        decisions=_items(app, orientation, decided.values()),
        text=packed.text,
        tokens=packed.tokens,
        sections=packed.costs,
        explain=explain,
    )


def _items(
    app: App, orientation: Orientation, chosen: Iterable[Memory]
) -> tuple[memory_view.MemoryItem, ...]:
    """The memories in the text, with the freshness found for the text."""
    if orientation.store is None:
        return ()
    pairs = [(memory, orientation.store) for memory in chosen]
    return tuple(annotate.make_memory_items(app, pairs, known_freshness=orientation.facts.standing))


def view(result: OrientationResult) -> str:
    """Return the text to print: the orientation, and with --explain a line for each section."""
    if not result.explain:
        return result.text
    rows = [
        f"  {section.name:<12} {section.tokens:>5} tokens  {section.shown:>3} shown  "
        f"{section.left_out:>3} left out"
        for section in result.sections
        if section.shown or section.left_out
    ]
    return "\n".join([result.text, "", f"Cost: {result.tokens} tokens", *rows])


ORIENT = Operation(
    "orient",
    orient_session,
    view,
    READ,
    "--budget 800",
    tool="orient",
    run_uncounted=preview_orientation,
)
