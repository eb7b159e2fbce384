"""Which memories a diff concerns: those that cite code it touches."""

from collections.abc import Iterator, Sequence

from gitmem.app import App
from gitmem.freshness import diff_citations, diff_lines
from gitmem.freshness.diff_files import DiffFileVersions
from gitmem.freshness.diff_lines import Judged
from gitmem.git import diff
from gitmem.git.display import display_path
from gitmem.model.frozen import dataclass
from gitmem.operations.registry import READ, Annotated, Arg, Operation, positional_arg
from gitmem.store.db.connection import Database
from gitmem.store.memory import memories, short_ids
from gitmem.text.fence import join_lines


@dataclass(frozen=True, slots=True)
class AffectedRequest:
    """Arguments of `gitmem affected`, which lists memories that cite code that a diff touches.

    ``revisions`` is A..B, A...B, or one revision to compare the worktree with (empty: HEAD).
    ``staged``: only what is staged for the next commit.
    """

    revisions: Annotated[
        str,
        positional_arg(
            "Two revisions (v1.2..HEAD, main...feature), or one to compare the worktree with; "
            "default: HEAD",
            metavar="REV..REV|REV",
        ),
    ] = ""
    staged: Annotated[bool, Arg("Only what is staged for the next commit")] = False


@dataclass(frozen=True, slots=True)
class MemoryCitationInDiff:
    """A memory, and one place in the code that it cites and that the diff touches.

    ``path`` is the file that was touched. ``lines`` are the cited lines as numbered before the diff
    (after the diff, if they are new), empty for a whole file or folder; ``why`` says what happened.
    """

    id: str
    handle: str
    title: str
    kind: str
    cited: str
    path: str
    lines: str
    why: str


@dataclass(frozen=True, slots=True)
class AffectedMemories:
    """The memories that cite code a diff touches, by path: an entry for each such citation."""

    memories: tuple[MemoryCitationInDiff, ...]


def find_affected_memories(app: App, request: AffectedRequest) -> AffectedMemories:
    """Show which memories cite code that a diff touches.

    Without revisions: uncommitted changes, including untracked files. A memory is listed if lines
    that it cites changed, if a file that it cites changed, was renamed or deleted, or if this
    happened to a file in a folder that it cites.
    """
    between = diff.resolve_diff_sides(app.layout, request.revisions, staged=request.staged)
    database = app.store
    changed = diff.changed_paths(app.layout, between)
    versions = DiffFileVersions(app, between)
    hits = diff_citations.find_citations_in_diff(app, database, changed, versions)
    judged = list(diff_lines.citations_touched_by_diff(app, between, hits, versions))
    judged.sort(key=lambda pair: (pair[1], pair[0].memory))
    return AffectedMemories(tuple(_items(database, judged)))


# --- what is shown ------------------------------------------------------------------------------


def _items(database: Database, judged: Sequence[Judged]) -> Iterator[MemoryCitationInDiff]:
    for hit, path, lines, why in judged:
        memory = memories.get_undamaged_memory(database, hit.memory)
        if memory is not None:
            handle = short_ids.shortest_unique_prefix(database, memory.id)
            title, kind = memory.headline, memory.kind
            yield MemoryCitationInDiff(memory.id, handle, title, kind, hit.cited, path, lines, why)


def view(result: AffectedMemories) -> str:
    """Return the text to print: a line for each memory and each citation that the diff touches."""
    if not result.memories:
        return "No memory cites code that this diff touches."
    lines = []
    last = ""
    for memory in result.memories:
        if memory.id != last:
            lines.append(f"{memory.handle}  {memory.kind:<10} {join_lines(memory.title)}")
        lines.append("    " + join_lines(f"{display_path(memory.cited)}: {memory.why}"))
        last = memory.id
    return "\n".join(lines)


AFFECTED = Operation("affected", find_affected_memories, view, READ, "main...HEAD", tool="affected")
