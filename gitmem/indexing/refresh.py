"""Updating the index of a worktree, and removing what no worktree needs any more."""

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial

from gitmem.app import App
from gitmem.clock import DAY, MINUTE, SystemClock
from gitmem.embedding.registry import is_remote_model
from gitmem.errors import GitmemError, Unavailable
from gitmem.git import branch_contents
from gitmem.git import history as git_history
from gitmem.git.listing import DifferingFiles, FileListing
from gitmem.git.mtimes import index_file_stamp
from gitmem.indexing import (
    code_graph,
    commit_history,
    commit_releases,
    contextual_vectors,
    differing_files,
    dropped_commits,
    moved_tree,
    pipeline,
    text_vectors,
)
from gitmem.indexing.index_settings import index_settings
from gitmem.indexing.pipeline import BREATH, FilesReport
from gitmem.indexing.plan import FilesPlan
from gitmem.model.frozen import dataclass, replace
from gitmem.store.code import chunks, commits, indexed_files, tree_state, vectors
from gitmem.store.code.indexed_files import WorktreeIndexState
from gitmem.store.db import projects
from gitmem.store.db.content_hash import hash_text
from gitmem.store.memory import anchors

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    _Result = TypeVar("_Result")

BASIS = "commits_basis"
# The model by which every text of the index had its vector when it was last whole.
EMBEDDED = "index_model"
# How long a background run leaves the server of a model alone that failed.
PAUSE_MS = 5 * MINUTE
# More paths than this are not looked at one by one.
MOST_PATHS = 200
# Branches whose content stays indexed, those with the newest commits.
BRANCHES = 30
# Merging the full-text index of so many pieces takes 0.15 s of CPU; of more it is done once a day.
MERGED_AT_ONCE = 20_000
MERGED = "code_merged_at"


@dataclass(frozen=True, slots=True)
class IndexPlan:
    """The files of a worktree (``found``), and what updating the index has to do (``todo``).

    ``stamp`` has the size and time of git's index file before the files were listed, and the
    present time. ``few`` is None if all files were looked at, else the files that may differ from
    the index. ``noted`` is the list of differing files that the store had at that time.
    """

    stamp: str
    found: FileListing
    todo: FilesPlan
    few: DifferingFiles | None
    noted: str


@dataclass(frozen=True, slots=True)
class IndexRun:
    """What an index run did: counts of files, commits and vectors, and the seconds it took.

    ``updated`` files had other content before; ``chunks`` counts the pieces of new content.
    ``reasons`` counts the skipped files by reason; ``left_out`` maps their paths to reasons, if
    requested. ``gave_up`` counts files whose syntax could not be read and which were split by
    lines; ``pruned`` counts what a prune removed; ``memories`` counts the memories that the
    contextual model read. ``lacks`` says why texts still have no vector if the model's server
    failed.
    """

    added: int
    moved: int
    dropped: int
    kept: int
    skipped: int
    gave_up: int
    commits: int
    vectors: int
    seconds: float
    reasons: dict[str, int]
    pruned: int
    dry_run: bool
    left_out: dict[str, str]
    memories: int = 0
    lacks: str = ""
    updated: int = 0
    chunks: int = 0


def refresh_index(
    app: App,
    plan: IndexPlan | None = None,
    *,
    list_skipped_paths: bool = False,
    allow_long_wait: bool = True,
) -> IndexRun:
    """Bring the index of this worktree up to date; returns counts of what was done (IndexRun).

    With ``list_skipped_paths`` it lists the paths left out. ``plan`` is the plan of a caller that
    has just looked at the files. ``allow_long_wait``: if a server runs the model, wait long for its
    answers.
    """
    # Not waiting for the disk: what a power cut takes is made again by the next run.
    with app.store.lock_timeout(app.store.lock_timeout_ms, sync_commits=False):
        return _refresh(app, plan, list_skipped_paths, allow_long_wait)


def _refresh(app: App, looked: IndexPlan | None, names: bool, allow_long_wait: bool) -> IndexRun:
    begin = time.monotonic()
    store, tree = app.store, app.worktree
    if indexed_files.worktree_index_state(store, tree) is None:
        moved_tree.adopt_moved_worktree(app)
    before = indexed_files.worktree_index_state(store, tree)
    basis = _basis(app)
    same = before is not None and projects.get_meta(store, BASIS) == basis
    start = before.head if before and same else ""
    head = app.git_head.commit or ""
    look = looked or plan_index_update(app)
    meanwhile = before
    if before is None or before.head != head or not look.todo.is_empty:
        meanwhile = WorktreeIndexState(start, "", "building", app.now)
        with store.write():
            # First: a search meanwhile, or after a kill, must know that the index is not whole.
            indexed_files.set_worktree_index_state(store, tree, meanwhile)
    with _mark_failure(app):
        paths = sorted(look.few.paths) if look.few else None
        newer = vectors.last_chunk_and_commit_rows(store) if look.few else {}
        plan = look.found, look.todo
        report = pipeline.index_files(
            app.layout,
            store,
            tree,
            index_settings(app.settings),
            app.progress,
            plan,
            is_size_limit_changed=look.few is None,
        )
        added = _index_commits(app, head, start) if head else 0
        dropped_commits.delete_dropped_commits(app)
        commit_releases.save_release_commits(app)
        code_graph.update_code_edges(store, tree, app.layout.worktree or app.worktree, paths)
        # Words first: a server that hangs keeps nobody from finding them.
        whole = before is not None and before.state == "whole"
        new = bool(added or report.added or report.updated or report.moved)
        made, model, lacks = _embed_run(app, (paths, newer), whole, new, allow_long_wait)
        noted = differing_files.serialise_differing_files(
            app, look.stamp, look.found, look.few, report
        )
    with store.write():
        # Another run may have written rows meanwhile that this one did not see.
        now = (
            indexed_files.worktree_index_state(store, tree),
            tree_state.read_changed_files_list(store, tree),
        )
        if now != (meanwhile, look.noted):
            noted = ""
        indexed_files.set_worktree_index_state(
            store, tree, WorktreeIndexState(head, look.stamp, "whole", app.now)
        )
        tree_state.save_changed_files_list(store, tree, noted)
        projects.set_meta(store, BASIS, basis)
        _note_embedded(app, model, lacks)
    delete_unreachable_files(app)
    done = _counted(report, added, made, time.monotonic() - begin, names=names)
    return replace(done, lacks=lacks)


def _index_commits(app: App, head: str, start: str) -> int:
    most = app.settings.number("index.commits")
    return commit_history.index_new_commits(app.layout, app.store, head, start, most, app.progress)


def _embed_run(
    app: App,
    few: "tuple[list[str] | None, dict[str, int]]",
    whole: bool,
    new: bool,
    allow_long_wait: bool,
) -> tuple[int, str, str]:
    """Embed what a run brought: the number of vectors made, the model, and why some are missing.

    ``few`` are the paths of a run over some files, and the last row numbers before it. ``whole``:
    the index was whole before; ``new``: the run brought something.
    """
    name = partial(text_vectors.configured_model_identity, app, allow_long_wait=allow_long_wait)
    model, lacks = _of_model(app, name, "") if whole else ("", "")
    # Whether all texts of the index had their vectors by this model before the run: then a run
    # over few files asks about its own alone.
    embedded = bool(model) and projects.get_meta(app.store, EMBEDDED) == model
    paths, newer = few
    made = 0
    if not lacks:
        texts = (paths, newer if embedded else {}) if new or not embedded else None
        made, lacks = _of_model(app, partial(_embed, app, texts, allow_long_wait), 0)
    if not lacks:
        model, lacks = _of_model(app, name, "")
    return made, model, lacks


def _of_model(
    app: App, work: "Callable[[], _Result]", otherwise: "_Result"
) -> "tuple[_Result, str]":
    """What ``work`` returns; if the server of the model fails, ``otherwise`` and the reason.

    Words are indexed all the same. Raises what ``work`` raises with any other model.
    """
    try:
        return work(), ""
    except Unavailable as error:
        if not is_remote_model(app.settings.text("model")):
            raise
        return otherwise, error.as_sentences()


def _embed(
    app: App, new: tuple[Sequence[str] | None, Mapping[str, int]] | None, allow_long_wait: bool
) -> int:
    """Make vectors of memories, and of ``new`` texts: those of some files, and rows after some."""
    if new is None:
        return _embed_memories(app, allow_long_wait)
    paths, newer = new
    made = (
        text_vectors.embed_files(app, paths, allow_long_wait=allow_long_wait)
        if paths and newer
        else 0
    )
    return made + text_vectors.embed_missing_texts(
        app, app.store, app.progress, newer, allow_long_wait=allow_long_wait
    )


def _note_embedded(app: App, model: str, lacks: str) -> None:
    """Note by which model every text has its vector, or that texts wait; inside a transaction."""
    projects.set_meta(app.store, EMBEDDED, "" if lacks else model)
    if lacks or projects.get_meta(app.store, projects.VECTORS_FAILED_AT):
        projects.set_meta(app.store, projects.VECTORS_FAILED_AT, str(app.now) if lacks else "")


def are_missing_vectors_due(app: App) -> bool:
    """Whether to compute vectors that are missing since the model's server failed.

    True if it failed, and that was five minutes ago or earlier.
    """
    failed = projects.get_meta(app.store, projects.VECTORS_FAILED_AT) or ""
    return failed.isdigit() and not 0 <= app.now - int(failed) < PAUSE_MS


@contextmanager
def _mark_failure(app: App) -> Iterator[None]:
    """Mark a run that fails as failed, so that it does not look as if it were still at work."""
    try:
        yield
    except GitmemError:
        known = indexed_files.worktree_index_state(app.store, app.worktree)
        if known is not None and known.state != "whole":
            with suppress(GitmemError), app.store.write():
                failed = WorktreeIndexState(known.head, "", "failed", app.now)
                indexed_files.set_worktree_index_state(app.store, app.worktree, failed)
        raise


def refresh_index_of_paths(app: App, paths: Sequence[str]) -> IndexRun:
    """Update the index of some files and folders only; returns counts (IndexRun).

    Refreshes the whole index if it is missing or incomplete, or if there are over 200 paths. The
    former content of the files stays in the store until the next run over all files. Raises
    GitmemError.
    """
    store, tree = app.store, app.worktree
    known = indexed_files.worktree_index_state(store, tree)
    if known is None or known.state != "whole" or not 0 < len(paths) <= MOST_PATHS:
        return refresh_index(app)
    begin = time.monotonic()
    with store.lock_timeout(store.lock_timeout_ms, sync_commits=False):
        looked = list_and_plan_worktree_files(app, paths)
        todo = looked[1]
        touched = (*todo.added, *todo.moved, *todo.dropped)
        differing_files.add_differing_paths(app, touched)
        report = pipeline.index_files(
            app.layout, store, tree, index_settings(app.settings), app.progress, looked
        )
        code_graph.update_code_edges(store, tree, app.layout.worktree or app.worktree, touched)
        make = partial(text_vectors.embed_files, app, (*todo.added, *todo.moved))
        made, lacks = _of_model(app, make, 0)
        if lacks:
            with store.write():
                _note_embedded(app, "", lacks)
    return replace(_counted(report, 0, made, time.monotonic() - begin), lacks=lacks)


def _embed_memories(app: App, allow_long_wait: bool) -> int:
    made = 0
    embedder = text_vectors.configured_embedder(app, allow_long_wait=allow_long_wait)
    while some := text_vectors.embed_memories(app.store, embedder):
        made += some
    return made


def _basis(app: App) -> str:
    """What "all commits are indexed" depends on: the setting, and where a shallow clone ends."""
    try:
        with open(os.path.join(app.layout.common_dir, "shallow"), "rb") as file:
            cut = hash_text(file.read().hex()).hex()
    except OSError:
        cut = ""
    return f"{app.settings.number('index.commits')} {cut}".strip()


def plan_index_update(app: App, *, all_files: bool = True) -> IndexPlan:
    """What updating the index has to do, as an IndexPlan; changes nothing.

    With ``all_files`` it looks at all files, else only at those that may differ from the index.
    """
    # The system's clock, not one that a test sets: file times are compared with it.
    stamp = f"{index_file_stamp(app.layout)}@{SystemClock().now():x}"
    noted = tree_state.read_changed_files_list(app.store, app.worktree)
    rules = index_settings(app.settings)
    few = None if all_files else differing_files.list_differing_files(app, rules)
    if few is None:
        return IndexPlan(stamp, *list_and_plan_worktree_files(app), None, noted)
    found, todo = pipeline.plan_listed_files(
        app.store, app.worktree, rules, few.listing, sorted(few.paths)
    )
    return IndexPlan(stamp, found, todo, few, noted)


def mark_index_as_current(app: App) -> bool:
    """Record that all files are as indexed, if they are, so that readers need not compare.

    Returns whether they are. Raises GitmemError, and StoreBusy at once if another process is
    writing.
    """
    before = indexed_files.worktree_index_state(app.store, app.worktree)
    look = plan_index_update(app, all_files=False)
    if before is None or not look.todo.is_empty:
        return False
    report = pipeline.make_files_report(app.store, look.found, look.todo, is_done=False)
    noted = differing_files.serialise_differing_files(app, look.stamp, look.found, look.few, report)
    with app.store.lock_timeout(0), app.store.write():
        now = indexed_files.worktree_index_state(app.store, app.worktree)
        if (now, tree_state.read_changed_files_list(app.store, app.worktree)) == (
            before,
            look.noted,
        ):
            indexed_files.set_worktree_index_state(
                app.store, app.worktree, replace(before, stamp=look.stamp)
            )
            tree_state.save_changed_files_list(app.store, app.worktree, noted)
    return True


def list_and_plan_worktree_files(
    app: App, paths: Sequence[str] = ()
) -> tuple[FileListing, FilesPlan]:
    """(the files of the worktree with their blob ids, the FilesPlan for them); changes nothing.

    The plan says what updating the index has to do with each path. ``paths`` are the files and
    folders to look at; empty: all.
    """
    return pipeline.list_and_plan_files(
        app.layout, app.store, app.worktree, index_settings(app.settings), paths
    )


def preview_index_refresh(
    app: App,
    listing_and_plan: tuple[FileListing, FilesPlan] | None = None,
    *,
    list_skipped_paths: bool = False,
) -> IndexRun:
    """What a refresh would do to files, as an IndexRun of counts, without doing anything.

    ``listing_and_plan`` is the result of ``list_and_plan_worktree_files``; None: it is computed
    here. With ``list_skipped_paths`` the report lists the paths left out.
    """
    found, todo = listing_and_plan or list_and_plan_worktree_files(app)
    report = pipeline.make_files_report(app.store, found, todo, is_done=False)
    return _counted(report, 0, 0, 0.0, dry_run=True, names=list_skipped_paths)


def prune_index(app: App) -> IndexRun:
    """Remove what no worktree, branch or tag needs from the index; returns an IndexRun.

    Its ``pruned`` is the number of worktrees, contents of files, commits and vectors removed.
    """
    begin = time.monotonic()
    store = app.store
    reachable = git_history.reachable_commits(app.layout.cwd)
    trees = [row for row in indexed_files.indexed_worktrees(store) if os.path.isdir(row)]
    with store.write():
        pruned = indexed_files.delete_other_worktrees(store, trees)
        pruned += indexed_files.delete_unreferenced_blobs(store)
        anchors.delete_anchor_verdicts_of_other_worktrees(
            store, filter(os.path.isdir, anchors.worktrees_with_anchor_verdicts(store))
        )
        pruned += commits.delete_commits(store, commits.indexed_commit_ids(store) - reachable)
        for tree in trees:
            known = indexed_files.worktree_index_state(store, tree)
            if known is not None and known.head not in reachable:
                # "All up to here" no longer holds: should it come back, all is read again.
                indexed_files.set_worktree_index_state(store, tree, replace(known, head=""))
        pruned += vectors.delete_unused_vectors(
            store, contextual_vectors.model_identities_in_use(app)
        )
        projects.set_meta(store, "pruned_at", str(app.now))
    report = FilesReport(0, 0, 0, 0, {})
    return _counted(report, 0, 0, time.monotonic() - begin, pruned=pruned)


def _counted(
    report: FilesReport,
    commits_added: int,
    made: int,
    seconds: float,
    *,
    dry_run: bool = False,
    pruned: int = 0,
    names: bool = False,
) -> IndexRun:
    return IndexRun(
        added=report.added,
        moved=report.moved,
        dropped=report.dropped,
        kept=report.kept,
        skipped=len(report.left_out),
        gave_up=report.gave_up,
        commits=commits_added,
        vectors=made,
        seconds=round(seconds, 3),
        reasons=report.skipped_counts,
        pruned=pruned,
        dry_run=dry_run,
        left_out=_shown(report.left_out) if names else {},
        updated=report.updated,
        chunks=report.chunks,
    )


def _shown(skipped: dict[str, str]) -> dict[str, str]:
    """Sorted and redacted for printing: some paths are left out for a secret in their name."""
    from gitmem.text.redact import redact  # noqa: PLC0415 - only where they are shown

    return {redact(path).text: skipped[path] for path in sorted(skipped)}


def delete_unreachable_files(app: App) -> int:
    """Remove files that are in no worktree and no tip of a local branch; returns their number.

    Vectors stay until ``prune_index``.
    """
    store = app.store
    known = indexed_files.indexed_worktrees(store)
    there = [tree for tree in known if os.path.isdir(tree)]
    if len(there) < len(known):
        with store.write():
            indexed_files.delete_other_worktrees(store, there)
    unseen = indexed_files.unreferenced_blob_row_numbers(store)
    if not unseen:
        return 0
    held = frozenset[str]()
    if not app.layout.plain:
        held = branch_contents.blobs_in_branches(app.layout.cwd, BRANCHES, unseen)
    with store.write():
        dropped = indexed_files.delete_unreferenced_blobs(store, held)
    if dropped:
        _erase(app)
    return dropped


def _erase(app: App) -> None:
    """Erase the words of dropped content from the database file and its write-ahead log."""
    store = app.store
    merged = int(projects.get_meta(store, MERGED) or 0)
    if chunks.approximate_chunk_count(store) > MERGED_AT_ONCE and app.now - merged < DAY:
        return
    while indexed_files.merge_full_text_index(store):
        time.sleep(BREATH)
    with store.write():
        projects.set_meta(store, MERGED, str(app.now))
    # Left to the next run where somebody reads just now.
    store.rows("PRAGMA wal_checkpoint(TRUNCATE)")
