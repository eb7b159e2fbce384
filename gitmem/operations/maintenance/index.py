"""Making the repository searchable: files, notes and commits."""

import os

from gitmem.app import App
from gitmem.errors import InvalidInput, NotFound
from gitmem.indexing import refresh
from gitmem.indexing.refresh import IndexRun
from gitmem.model.frozen import dataclass, replace
from gitmem.operations import shared_fields as shared
from gitmem.operations.registry import WRITE, Annotated, Arg, Operation, Texts, positional_arg
from gitmem.store.code import indexed_files
from gitmem.store.memory import derived_rows
from gitmem.text.fence import one_line
from gitmem.text.quantity import quantity

_WIDTH = 200
# Seconds in which an index run lets the contextual model read memories: about 5,000.
INDEX_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class IndexRequest:
    """Arguments of `gitmem index`: what to update in the tables that searches read.

    ``action`` is refresh, or prune to drop what no worktree contains; ``path`` are the only files
    and folders (empty: all). ``full`` builds all anew; ``verbose`` names the files left out.
    """

    action: Annotated[
        str,
        positional_arg(
            "refresh, or prune: drop what no worktree contains and no ref reaches",
            choices=("refresh", "prune"),
        ),
    ] = "refresh"
    path: Annotated[Texts, Arg("Only this file, or what is in this folder", path_kind="path")] = ()
    full: Annotated[bool, Arg("Rebuild the index from scratch")] = False
    dry_run: shared.DryRun = False
    verbose: Annotated[bool, Arg("Name the files that were left out, and why", mcp=False)] = False


def index_repository(app: App, request: IndexRequest) -> IndexRun:
    """Index files, notes and commits for searching.

    Takes the files that git tracks or would track, except those in .gitmemignore, those that
    usually hold secrets, binaries and files over 1 MB. A rename, a branch switch or a rebase costs
    only what is new. An interrupted run continues where it stopped. With --path nothing else is
    looked at. --verbose names each file that was left out, and why. The result counts what was
    indexed and what was left out.
    """
    if request.path:
        return _index_paths(app, request)
    if request.action == "prune":
        return refresh.prune_index(app)
    if request.dry_run:
        return refresh.preview_index_refresh(app, list_skipped_paths=request.verbose)
    if request.full:
        with app.store.write():
            derived_rows.delete_indexed_files_and_commits(app.store)
    done = refresh.refresh_index(app, list_skipped_paths=request.verbose)
    from gitmem.background import follow  # noqa: PLC0415 - not for those who only look

    follow.process_events_after_indexing(app)
    return replace(done, memories=_read_memories(app))


def _read_memories(app: App) -> int:
    """Let the contextual model read new memories for a while, the rest in the background."""
    from gitmem.maintenance import contextual_reading  # noqa: PLC0415 - as above

    stores = [store for store in app.stores() if not store.read_only]
    return sum(
        contextual_reading.embed_waiting_memories(app, store, INDEX_SECONDS) for store in stores
    )


def _index_paths(app: App, request: IndexRequest) -> IndexRun:
    if request.action == "prune" or request.full:
        raise InvalidInput(
            "--path cannot be combined with prune or --full.", "Leave out one of them."
        )
    # "." is the whole worktree; a trailing slash or line numbers do not matter here.
    paths = [path.partition("::")[0].rstrip("/") for path in request.path]
    for path in paths:
        _check_there(app, path)
    if request.dry_run:
        looked = refresh.list_and_plan_worktree_files(app, () if "." in paths else paths)
        return refresh.preview_index_refresh(app, looked)
    return (
        refresh.refresh_index(app) if "." in paths else refresh.refresh_index_of_paths(app, paths)
    )


def _check_there(app: App, path: str) -> None:
    """Raise NotFound for a path that is neither in the work tree nor in its index."""
    exists = os.path.lexists(os.path.join(app.worktree, path))
    if not (exists or indexed_files.paths_with_prefix(app.store, app.worktree, path, 1)):
        raise NotFound(
            f"There is no file or folder {one_line(path, _WIDTH)!r} in this repository.",
            "Give a path from its root.",
        )


def view(result: IndexRun) -> str:
    """Return the text to print: the number of files and commits indexed, in a line or two."""
    if result.pruned:
        return f"pruned {quantity(result.pruned, 'row')} no longer used"
    would = "would be " if result.dry_run else ""
    files = ", ".join(
        f"{count} {would}{name}"
        for name, count in (
            ("added", result.added),
            ("updated", result.updated),
            ("moved", result.moved),
            ("dropped", result.dropped),
        )
        if count
    )
    lines = [f"files: {files or 'nothing new'}, {result.kept} kept, {result.skipped} skipped"]
    if result.reasons:
        reasons = ", ".join(f"{count} {reason}" for reason, count in result.reasons.items())
        lines.append(f"skipped: {reasons}")
    lines += [f"  {reason}: {one_line(path, _WIDTH)}" for path, reason in result.left_out.items()]
    if result.gave_up:
        lines.append(f"{quantity(result.gave_up, 'file')}: could not be parsed, split by lines")
    if result.lacks:
        lines.append(f"vectors are missing: {result.lacks}")
    if result.memories:
        lines.append(f"the contextual model read {quantity(result.memories, 'memory')}")
    if not result.dry_run:
        lines.append(
            f"chunks: {result.chunks} new; commits: {result.commits} new; vectors: "
            f"{result.vectors} new; {result.seconds:.1f} s"
        )
    return "\n".join(lines)


INDEX = Operation("index", index_repository, view, WRITE, tool="index")
