"""Running an index run: list, plan, read, split, store, embed.

It may be stopped anywhere: content is stored with the paths that show it, paths before the state
that says they are whole, and every step is a short transaction. A run that is killed leaves work
done, never work half done; the next one goes on from there. Splitting happens in other processes
(``workers``); this one writes.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import closing

from gitmem.git import listing
from gitmem.git.layout import RepositoryLayout
from gitmem.git.listing import FileListing
from gitmem.indexing import chunk_tasks, chunkers, file_filter
from gitmem.indexing.file_filter import path_contains_secret
from gitmem.indexing.index_settings import IndexSettings
from gitmem.indexing.plan import FilesPlan, plan_files
from gitmem.model.frozen import dataclass, replace
from gitmem.store.code import code_uses, indexed_files, size_limit, symbols
from gitmem.store.code.indexed_files import NewChunk
from gitmem.store.code.redacted_source import RedactionGate
from gitmem.store.db.connection import Database

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.indexing.worker import Result, Task

# The first that is there: ours, or that of Context Engine.
_IGNORE_FILES = (".gitmemignore", ".qdrantignore")
TOO_MANY = "too many files"
# Seconds between two batches: who waits for the lock looks every 2 ms, and has its turn.
BREATH = 0.003
# With more files than this it pays to start a process for each processor.
BULK = 100
MOST_PROCESSES = 4
# Up to so many files are looked up one by one among what was cut.
FEW = 500

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class FilesReport:
    """What an index run did to files: counts, and path -> reason for those ``left_out``.

    ``moved`` files have the content of a path that is gone, ``kept`` files are unchanged,
    ``dropped`` ones gone, ``updated`` files had other content before. ``gave_up`` counts files
    whose syntax could not be read: they are split by lines, not skipped. ``chunks`` counts the
    pieces of new content.
    """

    added: int
    moved: int
    dropped: int
    kept: int
    left_out: dict[str, str]
    gave_up: int = 0
    updated: int = 0
    chunks: int = 0

    @property
    def skipped_counts(self) -> dict[str, int]:
        """Reason -> the number of files left out for it."""
        return dict(sorted(Counter(self.left_out.values()).items()))


def name_of_ignore_file(layout: RepositoryLayout) -> str:
    """The name of the file with patterns of files not to index, usually ``.gitmemignore``."""
    root = listing.listed_files_root(layout)
    there = (name for name in _IGNORE_FILES if os.path.isfile(os.path.join(root, name)))
    return next(there, _IGNORE_FILES[0])


def list_and_plan_files(
    layout: RepositoryLayout,
    database: Database,
    worktree: str,
    settings: IndexSettings,
    paths: Sequence[str] = (),
) -> tuple[FileListing, FilesPlan]:
    """(the files of a worktree with their blob ids, the FilesPlan for them); changes nothing.

    The plan says what an index run has to do with each path. ``worktree`` is the worktree's path as
    the store has it, ``settings`` are those of the index, ``paths`` the files and folders to look
    at (empty: all).
    """
    found = listing.list_files(
        layout,
        settings.refusal_reason,
        ignore_file=name_of_ignore_file(layout),
        max_bytes=settings.largest,
        only_paths=paths,
    )
    if len(found.blobs) > settings.most_files:
        found = _first(found, settings.most_files)
    misjudged = size_limit.blobs_inconsistent_with_size_limit(database, settings.largest)
    return plan_listed_files(database, worktree, settings, found, paths or None, misjudged)


def plan_listed_files(
    database: Database,
    worktree: str,
    settings: IndexSettings,
    file_listing: FileListing,
    paths: Sequence[str] | None,
    contents_to_judge_again: frozenset[tuple[str, str]] = frozenset(),
) -> tuple[FileListing, FilesPlan]:
    """(``file_listing`` without paths that hold a secret, the FilesPlan for the other paths).

    The plan says what an index run has to do with each path. ``paths``: it is for these alone;
    None: for all. ``contents_to_judge_again`` are (blob id, chunker name) of content that was
    indexed or refused by another size limit and has to be judged again.
    """
    indexed = indexed_files.blob_ids_and_chunkers_by_path(database, worktree, paths).items()
    # What is judged anew counts as new; an edited file may be over the limit, and goes.
    before = {
        path: _key(*entry)
        for path, entry in indexed
        if entry not in contents_to_judge_again or path not in file_listing.blobs
    }
    # Indexed paths passed this check before.
    file_listing = _without(
        file_listing,
        [path for path in file_listing.blobs.keys() - before if path_contains_secret(path)],
    )
    present = {
        path: _key(blob, settings.chunker_name(path)) for path, blob in file_listing.blobs.items()
    }
    entries = indexed_files.blob_row_numbers_by_id_and_chunker(database, _few(file_listing))
    known = [_key(*entry) for entry in entries if entry not in contents_to_judge_again]
    return file_listing, plan_files(before, present, known)


def index_files(
    layout: RepositoryLayout,
    database: Database,
    worktree: str,
    settings: IndexSettings,
    progress: Progress,
    listing_and_plan: tuple[FileListing, FilesPlan] | None = None,
    *,
    is_size_limit_changed: bool = True,
) -> FilesReport:
    """Update the index of a worktree's files; returns a FilesReport with counts of the files.

    ``worktree`` is the worktree's path as the store has it. ``listing_and_plan`` is the result of
    ``list_and_plan_files``; None: it is computed here. ``is_size_limit_changed``: files that the
    index has or lacks by an earlier size limit are judged again. ``progress(phase, done, total)``
    is called on the way.
    """
    found, todo = listing_and_plan or list_and_plan_files(layout, database, worktree, settings)
    fresh, gave_up, chunks = frozenset[str](), 0, 0
    # Not waiting for the disk: what a power cut takes is made again by the next run.
    with database.lock_timeout(database.lock_timeout_ms, sync_commits=False):
        if todo.unread:
            if is_size_limit_changed:
                with database.write():
                    size_limit.delete_blobs_inconsistent_with_size_limit(
                        database, settings.largest, found.blobs.values()
                    )
            fresh, gave_up, chunks = _cut_new(
                layout, database, worktree, found, todo, settings, progress
            )
        if not todo.is_empty:
            _show(database, worktree, found, todo, fresh)
    return replace(make_files_report(database, found, todo), gave_up=gave_up, chunks=chunks)


def make_files_report(
    database: Database, listing: FileListing, plan: FilesPlan, *, is_done: bool = True
) -> FilesReport:
    """What carrying out a plan does to files, as a FilesReport of counts.

    Files whose content the index refuses count as left out, with the reason. If ``is_done`` is
    false the plan is only a preview, and files not read yet count as indexed.
    """
    numbers = indexed_files.blob_row_numbers_by_id_and_chunker(database, _few(listing))
    few = numbers.values() if len(numbers) <= FEW else None
    reasons, skipped = indexed_files.indexing_refusal_reasons(database, few), dict(listing.skipped)
    refused = {blob for (blob, _), number in numbers.items() if number in reasons}
    # For unchanged paths the blobs alone nearly always show that none was refused.
    doubtful = [path for path in plan.unchanged if listing.blobs[path] in refused]

    def cut_ones(paths: Sequence[str]) -> int:
        count = 0
        for path in paths:
            number = numbers.get((listing.blobs[path], _cutter(plan.keys[path])))
            reason = reasons.get(number or 0)
            if number is None and is_done:
                reason = (
                    "changed while read" if path in listing.read_from_disk else "content not here"
                )
            if reason:
                skipped[path] = reason
            else:
                count += 1
        return count

    return FilesReport(
        cut_ones([path for path in plan.added if path not in plan.updated]),
        cut_ones(plan.moved),
        len(plan.dropped),
        len(plan.unchanged) - len(doubtful) + cut_ones(doubtful),
        skipped,
        updated=cut_ones(sorted(plan.updated)),
    )


def _cut_new(
    layout: RepositoryLayout,
    database: Database,
    tree: str,
    listing: FileListing,
    todo: FilesPlan,
    settings: IndexSettings,
    progress: Progress,
) -> tuple[frozenset[str], int, int]:
    """Split new content into pieces and store them.

    Returns the paths stored, and the numbers of files whose syntax could not be read, and of
    pieces.
    """
    requests: dict[tuple[str, str], list[str]] = {}
    # Content of unchanged paths is stored already.
    for path in (*todo.added, *todo.moved):
        if todo.keys[path] in todo.unread:
            requests.setdefault((listing.blobs[path], _cutter(todo.keys[path])), []).append(path)
    shown: set[str] = set()
    done = gave_up = chunks = 0
    with closing(split_files(layout, listing, requests, settings.largest)) as batches:
        for batch, results in batches:
            if done:
                time.sleep(BREATH)
            entries = list(zip(batch, results, strict=True))
            shown.update(_store(database, tree, entries, requests, settings.largest))
            gave_up += sum(result[1] for result in results)
            chunks += sum(len(result[2]) for result in results)
            done += len(batch)
            if done < len(requests):
                progress("files", done, len(requests))
    progress("files", len(requests), len(requests))
    return frozenset(shown), gave_up, chunks


def split_files(
    layout: RepositoryLayout,
    listing: FileListing,
    paths_by_blob_and_chunker: Mapping[tuple[str, str], Sequence[str]],
    max_bytes: int,
) -> Generator[tuple[list[Task], list[Result]], None, None]:
    """Split files into pieces; yields (tasks, results) in small batches, a result for each task.

    ``paths_by_blob_and_chunker`` maps (blob id, chunker name) to paths, ``max_bytes`` is the size
    limit in bytes; see ``worker.Result`` for a result. Other processes do the work if syntax is
    read or over 100 files are split; close the generator if you stop early.
    """
    # Imported here: a run with nothing to cut loads neither this nor what cuts.
    from gitmem.indexing import worker_pool  # noqa: PLC0415

    batches = chunk_tasks.batch_tasks(
        chunk_tasks.make_tasks_with_content(layout, listing, paths_by_blob_and_chunker, max_bytes)
    )
    many = len(paths_by_blob_and_chunker) > BULK
    if many or any(
        chunkers.split_method_of_chunker(cutter) in ("syntax", "script")
        for _, cutter in paths_by_blob_and_chunker
    ):
        processes = min(worker_pool.count_processors(), MOST_PROCESSES) if many else 1
        return worker_pool.split_batches(batches, processes)
    return worker_pool.split_in_process(batches)


def _store(
    database: Database,
    tree: str,
    entries: Iterable[tuple[Task, Result]],
    requests: Mapping[tuple[str, str], Sequence[str]],
    largest: int,
) -> list[str]:
    """Store results and their paths in one transaction; returns the paths."""
    shown: list[tuple[str, int, str]] = []
    fresh: set[int] = set()
    with database.write():
        for (oid, cutter, _, _, data), result in entries:
            number = indexed_files.find_blob_row_number(database, oid, cutter)
            if number is None:
                number = _add(database, oid, cutter, data, result, largest)
                fresh.add(number)
            for path in requests[oid, cutter]:
                shown.append((path, number, chunk_tasks.language_of_file(path, cutter, data)))
        indexed_files.rewrite_full_text_rows(
            database, indexed_files.set_blobs_of_paths(database, tree, shown), fresh
        )
    return [path for path, _, _ in shown]


def _add(
    database: Database, oid: str, cutter: str, data: bytes, result: Result, largest: int
) -> int:
    reason, _, pieces, defined, mentioned, imported, used = result
    gate = RedactionGate(data)
    number = indexed_files.add_blob(
        database,
        blob_id=oid,
        chunker=cutter,
        chunks=[NewChunk(*piece) for piece in pieces],
        line_count=data.count(b"\n") + 1,
        # As it was read: a redacted text may be longer, and would seem too large ever after.
        byte_count=file_filter.file_size_in_placeholder(data) or min(len(data), largest),
        refusal_reason=reason,
        redaction_gate=gate,
    )
    symbols.add_symbols(database, number, defined, mentioned, imported, gate)
    if used:
        code_uses.add_name_uses(database, number, gate.redact_name_uses(used))
    return number


def _show(
    database: Database,
    tree: str,
    listing: FileListing,
    todo: FilesPlan,
    shown: frozenset[str],
) -> None:
    """Point paths at content stored before, and remove those that are gone."""
    with database.write():
        indexed_files.rewrite_full_text_rows(
            database, indexed_files.remove_paths(database, tree, todo.dropped)
        )
    paths = [path for path in (*todo.moved, *todo.added) if path not in shown]
    for start in range(0, len(paths), chunk_tasks.BATCH):
        if start:
            time.sleep(BREATH)
        with database.write():
            batch = paths[start : start + chunk_tasks.BATCH]
            # Asked only now: another run may have dropped what nothing showed.
            entries = [
                entry
                for path in batch
                if (entry := _entry(database, path, listing.blobs[path], _cutter(todo.keys[path])))
            ]
            indexed_files.rewrite_full_text_rows(
                database, indexed_files.set_blobs_of_paths(database, tree, entries)
            )


def _entry(database: Database, path: str, blob: str, cutter: str) -> tuple[str, int, str] | None:
    """Path, row number and language of content stored before; None where that is gone."""
    number = indexed_files.find_blob_row_number(database, blob, cutter)
    if number is None:
        return None
    script = chunkers.split_method_of_chunker(cutter) == "script"
    opening = indexed_files.first_chunk_text(database, number).encode() if script else b""
    return path, number, chunk_tasks.language_of_file(path, cutter, opening)


def _few(listing: FileListing) -> frozenset[str] | None:
    """The blobs of a listing that is small enough to query one by one, else None."""
    return frozenset(listing.blobs.values()) if len(listing.blobs) <= FEW else None


def _first(listing: FileListing, most: int) -> FileListing:
    """The first ``most`` files of a listing, tracked ones first; the rest counts as skipped."""
    ranked = sorted(listing.blobs, key=lambda path: (path in listing.read_from_disk, path))
    return _without(listing, ranked[most:], TOO_MANY)


def _without(
    listing: FileListing, paths: Sequence[str], reason: str = "its name holds a secret"
) -> FileListing:
    """The listing with some paths skipped."""
    if not paths:
        return listing
    skipped = {**listing.skipped, **dict.fromkeys(paths, reason)}
    blobs = {path: blob for path, blob in listing.blobs.items() if path not in skipped}
    return FileListing(blobs, listing.read_from_disk & blobs.keys(), skipped)


def _key(blob: str, cutter: str) -> str:
    return f"{blob} {cutter}"


def _cutter(key: str) -> str:
    return key.partition(" ")[2]
