"""Reading the files that an index run needs, in batches for the chunkers.

Secrets are redacted here, in the whole file: whatever splits, embeds or shows it sees none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from gitmem import languages
from gitmem.git import blobs, listing
from gitmem.git.layout import RepositoryLayout
from gitmem.git.listing import FileListing
from gitmem.indexing import chunkers, file_filter
from gitmem.store.code.redacted_source import redact_source
from gitmem.store.code.size_limit import TOO_LARGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.indexing.worker import Task

# Files and bytes that are written together: up to 20 ms, in which nobody else can write.
BATCH = 100
BATCH_BYTES = 128 << 10
# Said of a file that one run has no room for; it is read again when it changes.
TOO_MUCH = "too many large files"
# Bytes in which a script says what runs it.
_OPENING = 512


def batch_tasks(tasks: Iterable[Task]) -> Iterator[list[Task]]:
    """Yield the tasks (files to split) in lists, each small enough for one short transaction.

    A list has at most 100 tasks, and 128 KB of content unless one file alone is larger.
    """
    batch: list[Task] = []
    size = 0
    for task in tasks:
        if batch and (len(batch) >= BATCH or size + len(task[4]) > BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(task)
        size += len(task[4])
    if batch:
        yield batch


def make_tasks_with_content(
    layout: RepositoryLayout,
    file_listing: FileListing,
    paths_by_blob_and_chunker: Mapping[tuple[str, str], Sequence[str]],
    max_bytes: int = file_filter.LARGEST,
) -> Iterator[Task]:
    """Yield a ``Task`` (a file to split, with its content) for each blob and chunker given.

    ``paths_by_blob_and_chunker`` maps (blob id, chunker name) to the paths with that content.
    Content comes from git, or from the disk for the files in ``file_listing.read_from_disk``; a
    file on the disk that has changed is left out. A file over ``max_bytes`` bytes, or beyond the 6
    MB that all large files of a run may have, has ``placeholder_for_unread_file`` bytes instead of
    its content.
    """
    by_cutter: dict[str, list[tuple[str, str]]] = {}
    loose: list[tuple[str, str, str]] = []
    for (blob, cutter), (path, *_) in paths_by_blob_and_chunker.items():
        if path in file_listing.read_from_disk:
            loose.append((blob, cutter, path))
        else:
            by_cutter.setdefault(blob, []).append((cutter, path))
    sized = blobs.blob_sizes(layout.cwd, list(by_cutter))
    room = _LargeFileBudget(max_bytes)
    fitting: dict[str, int] = {}
    for blob, size in sorted(sized.items(), key=lambda item: item[1]):
        if reason := room.refusal_reason(size):
            yield from _tasks(
                blob, by_cutter[blob], file_filter.placeholder_for_unread_file(reason, size)
            )
        else:
            fitting[blob] = size
    for blob, data in blobs.read_blobs(layout.cwd, fitting):
        yield from _tasks(blob, by_cutter[blob], data)
    for blob, cutter, path in loose:
        read = listing.read_worktree_file(listing.listed_files_root(layout), path, max_bytes)
        # A file that changes while it is read is left for the next run, under its next id.
        if read is not None and listing.content_has_blob_id(read, blob):
            reason = room.refusal_reason(len(read))
            data = file_filter.placeholder_for_unread_file(reason, len(read)) if reason else read
            yield from _tasks(blob, [(cutter, path)], data)


class _LargeFileBudget:
    """The bytes of large files that this run may still read."""

    def __init__(self, largest: int) -> None:
        self._largest = largest
        self._left = file_filter.LARGE_TOGETHER

    def refusal_reason(self, size: int) -> str:
        """Why a file of ``size`` bytes is not read, or "" if it is; then it uses up the budget."""
        if size > self._largest:
            return TOO_LARGE
        if size > file_filter.LARGE:
            self._left -= size
        return "" if size <= file_filter.LARGE or self._left >= 0 else TOO_MUCH


def _tasks(blob: str, ways: Iterable[tuple[str, str]], data: bytes) -> Iterator[Task]:
    # What is indexed as prose alone is redacted, too.
    if not file_filter.content_refusal_reason(data, file_filter.LARGEST_EVER, is_prose=True):
        data = redact_source(file_filter.decode_text(data))
    for cutter, path in ways:
        yield blob, cutter, language_of_file(path, cutter, data), path, data


def language_of_file(path: str, chunker_name: str, first_bytes: bytes) -> str:
    """The language of a file, such as ``python``, by its name; "" if it is not known.

    If ``chunker_name`` is that of possible scripts, the first line (``#!/bin/sh``) tells instead;
    ``first_bytes`` is the beginning of the content.
    """
    if chunkers.split_method_of_chunker(chunker_name) != "script":
        return languages.language(path)
    # As it was decoded: in UTF-8, without a mark at its beginning.
    return languages.language_of_shebang(file_filter.decode_text(first_bytes[:_OPENING]).encode())
