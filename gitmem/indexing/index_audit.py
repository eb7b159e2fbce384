"""Whether the index matches the files: some are read again and compared with their rows.

A checksum does not reveal a missing row. The files are those whose rows have gaps, and a sample,
which changes from day to day; or all.
"""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from random import Random

from gitmem.app import App
from gitmem.clock import DAY
from gitmem.errors import GitmemError
from gitmem.indexing import chunkers, code_graph, pipeline, refresh, text_vectors
from gitmem.indexing.index_settings import index_settings
from gitmem.model.frozen import dataclass
from gitmem.store.code import code_integrity, commits, indexed_files, size_limit, vectors
from gitmem.store.db import projects
from gitmem.text.quantity import quantity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.git.listing import FileListing
    from gitmem.indexing.plan import FilesPlan
    from gitmem.indexing.worker import Result

# Files that are read again at most: about a second.
MOST = 200


@dataclass(frozen=True, slots=True)
class IndexAudit:
    """The result of comparing files with the index: ``files`` is how many were compared.

    ``differing`` are the paths whose stored rows do not fit their content, ``blobs`` the row
    numbers of these contents, ``unlinked`` the paths whose stored imports and calls do not fit.
    """

    files: int
    differing: tuple[str, ...]
    blobs: tuple[int, ...]
    unlinked: tuple[str, ...]


def audit_index(
    app: App,
    listing_and_plan: tuple[FileListing, FilesPlan] | None = None,
    *,
    all_files: bool = False,
) -> IndexAudit:
    """Compare unchanged files with what the index has of them; returns which of them differ.

    Of more than 200 files, those with missing rows and a sample of 200 that changes daily are
    compared, or with ``all_files`` all of them. ``listing_and_plan`` is the result of
    ``refresh.list_and_plan_worktree_files``; None: it is computed here.
    """
    store, tree, settings = app.store, app.worktree, index_settings(app.settings)
    found, todo = listing_and_plan or refresh.list_and_plan_worktree_files(app)
    paths = sorted(todo.unchanged)
    chosen = paths
    if not all_files and len(paths) > MOST:
        suspected = code_integrity.files_with_missing_index_rows(store, tree, MOST)
        sample = Random(app.now // DAY).sample(paths, MOST)
        chosen = sorted({*sample, *suspected} & {*paths})
    requests: dict[tuple[str, str], list[str]] = {}
    for path in chosen:
        requests.setdefault((found.blobs[path], settings.chunker_name(path)), []).append(path)
    numbers = indexed_files.blob_row_numbers_by_id_and_chunker(store)
    wrong: dict[str, int] = {}
    unread: set[str] = set()
    with closing(pipeline.split_files(app.layout, found, requests, settings.largest)) as batches:
        for batch, results in batches:
            for (oid, cutter, *_), result in zip(batch, results, strict=True):
                _, gave_up, *_ = result
                if gave_up:  # no parser here, or not now: its rows may be right
                    unread.update(requests[oid, cutter])
                    continue
                blob = numbers.get((oid, cutter))
                if blob is not None and _expected(
                    result
                ) != code_integrity.line_ranges_definitions_and_counts(store, blob):
                    wrong.update(dict.fromkeys(requests[oid, cutter], blob))
    root = app.layout.worktree or tree
    unlinked = code_graph.files_with_outdated_edges(store, tree, root, chosen)
    return IndexAudit(
        len(chosen) - len(unread), tuple(wrong), tuple(wrong.values()), tuple(unlinked)
    )


def reindex_differing_files(app: App, audit: IndexAudit) -> None:
    """Delete what the index has of the files that ``audit`` says differ, and index them again."""
    with app.store.write():
        indexed_files.delete_blobs(app.store, audit.blobs)
    code_graph.delete_code_edges(app.store, app.worktree)
    refresh.refresh_index(app)


def _expected(result: Result) -> tuple[list[tuple[int, int]], list[str], list[int]]:
    _, _, pieces, defined, mentioned, imported, used = result
    return (
        sorted((piece[0], piece[1]) for piece in pieces),
        sorted(f"{row[1]} {row[5]}-{row[6]}" for row in defined),
        [len({row[:2] for row in mentioned}), len(imported), len(used)],
    )


_NOTE = "note/"


def describe_changed_index_settings(app: App) -> list[str]:
    """A sentence for each setting that differs from what this worktree's index was made with."""
    return [*_cutters(app), *_limits(app), *_commits(app), *_model(app)]


def _cutters(app: App) -> list[str]:
    settings = index_settings(app.settings)
    old: Counter[str] = Counter()
    lines: Counter[tuple[int, int]] = Counter()
    for path, (_, cutter) in indexed_files.blob_ids_and_chunkers_by_path(
        app.store, app.worktree
    ).items():
        now = settings.chunker_name(path)
        if cutter != now and chunkers.lines_and_overlap_of_chunker(
            cutter
        ) != chunkers.lines_and_overlap_of_chunker(now):
            lines[chunkers.lines_and_overlap_of_chunker(cutter)] += 1
        elif cutter != now:
            old[_size(cutter)] += 1
    notes, code = f"{settings.words}/{settings.overlap}", (settings.lines, settings.line_overlap)
    reasons = [
        f"index.words/index.overlap: {_split(count, 'note')} at {size}, now {notes}"
        if size
        else f"{_split(count, 'file')} by an earlier version of gitmem"
        for size, count in sorted(old.items())
    ]
    return reasons + [
        f"index.lines/index.line_overlap: {_split(lines[size], 'file')} at {size[0]}/{size[1]}, "
        f"now {code[0]}/{code[1]}"
        for size in sorted(lines)
    ]


def _split(count: int, noun: str) -> str:
    return quantity(count, f"{noun} was split", f"{noun}s were split")


def _limits(app: App) -> list[str]:
    """Files that are indexed and no longer would be, and vice versa."""
    settings = index_settings(app.settings)
    paths = indexed_files.blob_ids_and_chunkers_by_path(app.store, app.worktree)
    shown = set(paths.values())
    excluded = sum(settings.refusal_reason(path).startswith("index.") for path in paths)
    resized = sum(
        entry in shown
        for entry in size_limit.blobs_inconsistent_with_size_limit(app.store, settings.largest)
    )
    counts = (
        ("index.exclude" if settings.enabled else "index.enabled", excluded, "left out now"),
        ("index.max_file_bytes", resized, "judged anew by the limit of now"),
        ("index.max_files", max(len(paths) - settings.most_files, 0), "more than wanted"),
    )
    return [
        f"{key}: {quantity(n, 'indexed file is', 'indexed files are')} {what}"
        for key, n, what in counts
        if n
    ]


def _size(cutter: str) -> str:
    """``500/50`` of a note's cutter; empty for code."""
    return "/".join(cutter.split("/")[2:4]) if cutter.startswith(_NOTE) else ""


def _commits(app: App) -> list[str]:
    basis = projects.get_meta(app.store, refresh.BASIS)
    most = app.settings.number("index.commits")
    made = basis.split(" ")[0] if basis else ""
    if made and made != str(most):
        return [f"index.commits: the history was read with {made}, now {most}"]
    total = commits.count_commits(app.store)
    text = f"index.commits: {quantity(total, 'commit')} indexed, {most} wanted"
    return [text] if total > most else []


def _model(app: App) -> list[str]:
    made = projects.get_meta(app.store, refresh.EMBEDDED)
    try:
        now = text_vectors.configured_model_identity(app)
    except GitmemError:
        return []  # reported by the check of the vectors
    if (
        not made
        or made == now
        or not vectors.count_texts_without_vector(app.store, now, ("chunk", "commit"))
    ):
        return []
    return [f"model: the index was built with {made}, now {now}"]
