"""Summaries of old memories, made of their sentences; the memories are archived."""

from gitmem.app import App
from gitmem.clock import durations
from gitmem.errors import InvalidInput
from gitmem.maintenance import summaries
from gitmem.maintenance.summaries import SkippedMemories, SummaryOfMemories, UndoSummaryResult
from gitmem.memory import draft
from gitmem.memory.extractive_summary import MAX_TOKENS
from gitmem.model.frozen import dataclass
from gitmem.operations import shared_fields as shared
from gitmem.operations.registry import WRITE, Annotated, Arg, Operation, Texts
from gitmem.text.fence import one_line
from gitmem.text.quantity import quantity

OLD = "30d"


@dataclass(frozen=True, slots=True)
class SummarizeMemoriesRequest:
    """Arguments of `gitmem summarize`: which old memories to summarise, or a summary to undo.

    ``older_than`` is a time such as 30d (empty: 30 days), ``kind`` the only kinds of memory (empty:
    all), ``tokens`` the size of a summary. ``undo`` is the id of a summary; it must be given alone.
    """

    older_than: Annotated[
        str,
        Arg(
            "Only memories not added, changed or used twice in this time (default: 30d)",
            metavar="TIME",
        ),
    ] = ""
    kind: Annotated[Texts, Arg("Only this kind of memory")] = ()
    tokens: Annotated[
        int, Arg("About how many tokens a summary has", minimum=100, maximum=4000)
    ] = MAX_TOKENS
    dry_run: shared.DryRun = False
    undo: Annotated[str, Arg("Undo this summary: restore its memories", metavar="ID")] = ""


@dataclass(frozen=True, slots=True)
class SummarizeResult:
    """The summaries made, and which memories stay and why.

    ``undone`` is the summary that was undone, null otherwise.
    """

    made: tuple[SummaryOfMemories, ...]
    stays: tuple[SkippedMemories, ...]
    undone: UndoSummaryResult | None
    dry_run: bool


def summarize_memories(app: App, request: SummarizeMemoriesRequest) -> SummarizeResult:
    """Summarise old memories; --undo brings them back as they were.

    Memories of the same month, kind, branch and level of trust become one summary of some of their
    sentences, each citing its memories by id; no word is new. The memories are archived and stay
    linked to it: see `gitmem show ID` and `gitmem related ID`. Memories that faded into the archive
    before are summarised as well, and stay there. It takes at least three to make a summary, and
    what is shorter than its summary stays.
    Pinned memories, decisions, conventions, skills, and those that are marked critical, important
    (0.8 or more), linked to others or were restored once stay as they are; fixes, problems,
    workflows, patterns and tasks are summarised only with --kind. Run by an agent, it summarises
    only what agents wrote.
    """
    if request.undo:
        if request.older_than or request.kind or request.dry_run:
            raise InvalidInput(
                "--undo cannot be combined with other options.", "Give only --undo ID."
            )
        return SummarizeResult((), (), summaries.undo_summary(app, request.undo), False)
    older = durations.parse_duration(request.older_than or OLD)
    kinds = tuple(draft.check_memory_kind(kind) for kind in request.kind)
    made, stays = summaries.summarise_memories(
        app, min_age_ms=older, kinds=kinds, max_tokens=request.tokens, dry_run=request.dry_run
    )
    return SummarizeResult(tuple(made), tuple(stays), None, request.dry_run)


def view(result: SummarizeResult) -> str:
    """Return the text to print: each summary, then the memories that stay; or what was undone."""
    if result.undone is not None:
        return _view_undone(result.undone)
    lines = []
    for summary in result.made:
        lines.append(f"{summary.handle or 'would be'}  {one_line(summary.title, 90)}")
        lines += [f"    {one_line(line, 300)}" for line in summary.text.split("\n")]
    many = sum(len(summary.memories) for summary in result.made)
    before, after = (sum(getattr(item, of) for item in result.made) for of in ("before", "tokens"))
    did = "would be summarised" if result.dry_run else "summarised"
    lines.append(
        f"{quantity(many, 'memory')} {did} in {quantity(len(result.made), 'summary', 'summaries')}"
        + (f": {before:,} tokens are now {after:,}" if many else "")
    )
    if result.stays:
        lines.append("stay: " + ", ".join(f"{stay.count} {stay.why}" for stay in result.stays))
    if result.made and not result.dry_run:
        lines.append(f"gitmem summarize --undo {result.made[0].handle} restores them")
    return "\n".join(lines)


def _view_undone(undone: UndoSummaryResult) -> str:
    lines = [quantity(len(undone.back), "memory is as it was", "memories are as they were")]
    if undone.changed:
        lines.append(f"{quantity(len(undone.changed), 'memory')} restored with later changes")
    if undone.gone:
        gone = quantity(undone.gone, "memory was", "memories were")
        lines.append(f"{gone} no longer in the archive")
    if undone.summary == "archived":
        lines.append(f"the summary {undone.id} was edited, so it was archived")
    return "\n".join(lines)


SUMMARIZE = Operation(
    "summarize", summarize_memories, view, WRITE, "--older-than 30d --dry-run", tool="summarize"
)
