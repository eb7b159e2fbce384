"""Decay: memories that nobody used for a long time are archived. Nothing is deleted."""

from gitmem.app import App
from gitmem.capture.provenance import is_agent
from gitmem.maintenance.fade import (
    MAX_ARCHIVED,
    ArchivedMemory,
    archive_unused_memories,
    decay_settings,
)
from gitmem.model.frozen import dataclass
from gitmem.operations import shared_fields as shared
from gitmem.operations.registry import WRITE, Annotated, Arg, Operation
from gitmem.text.fence import one_line


@dataclass(frozen=True, slots=True)
class ArchiveFadedRequest:
    """Arguments of `gitmem decay`: whether to change nothing, whether to explain the scores."""

    dry_run: shared.DryRun = False
    explain: Annotated[bool, Arg("Also show the formula and how each score is made up")] = False


@dataclass(frozen=True, slots=True)
class ArchiveFadedResult:
    """The memories archived for want of use (``archived``), and counts of those that stay.

    ``kept`` counts those that stay, ``exempt`` those that never fade, ``held_back`` those that stay
    only because a run archives no more at once; ``failed`` could not be read. ``rule`` is the
    formula of the score with its constants.
    """

    archived: tuple[ArchivedMemory, ...]
    kept: int
    exempt: int
    held_back: int
    failed: int
    dry_run: bool
    explain: bool
    rule: str


def archive_faded_memories(app: App, request: ArchiveFadedRequest) -> ArchiveFadedResult:
    """Archive memories that nobody has used for a long time.

    Each memory has a score that falls with its age and the time since it was read or edited, and
    rises with each use. Pinned memories, decisions, conventions, memories of an importance of 0.8
    or more, memories that expire anyway and those restored once never fade. A run archives at most
    a fifth of a store and never more than 200 memories; of fewer than five it archives one. It runs
    by itself once a day while gitmem is used (decay.enabled). Run by an agent, it archives only
    what agents wrote.
    """
    agent = not request.dry_run and is_agent(app)
    results = [
        archive_unused_memories(app, store, dry_run=request.dry_run, by_agent=agent)
        for store in app.stores()
    ]
    days, below = decay_settings(app)
    return ArchiveFadedResult(
        archived=tuple(item for result in results for item in result.archived),
        kept=sum(result.unchanged for result in results),
        exempt=sum(result.exempt for result in results),
        held_back=sum(result.held_back for result in results),
        failed=sum(result.failed for result in results),
        dry_run=request.dry_run,
        explain=request.explain,
        rule=f"0.3*exp(-age/{2 * days:g}d) + 0.7*exp(-idle/{days:g}d) + min(accesses/10, 0.5)"
        f" < {below:g}",
    )


def view(result: ArchiveFadedResult) -> str:
    """Return the text to print: a line for each archived memory, the counts, how to restore one."""
    lines = [f"fades if {result.rule}"] if result.explain else []
    for item in result.archived:
        lines.append(f"{item.handle}  {item.score:.2f}  {one_line(item.title, 60)}")
        lines += [f"    {item.why}"] if result.explain else []
    did = "would be archived" if result.dry_run else "archived"
    lines.append(f"{len(result.archived)} {did}, {result.kept} kept, {result.exempt} exempt")
    if result.held_back:
        lines.append(
            f"{result.held_back} more left for the next run: one run archives at most a fifth "
            f"of the store and never more than {MAX_ARCHIVED} (of fewer than five memories one)"
        )
    if result.failed:
        lines.append(f"{result.failed} could not be read: run `gitmem doctor`")
    if result.archived and not result.dry_run:
        lines.append(f"gitmem restore {result.archived[0].handle} restores one permanently")
    return "\n".join(lines)


DECAY = Operation("decay", archive_faded_memories, view, WRITE, "--dry-run --explain", tool="decay")
