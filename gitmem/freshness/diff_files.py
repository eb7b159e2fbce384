"""Reading the files of a diff before and after it."""

from collections.abc import Iterable

from gitmem.app import App
from gitmem.freshness.worktree import LARGEST
from gitmem.git import listing
from gitmem.git.diff import DiffSides, PathChange
from gitmem.indexing import file_filter
from gitmem.text import code_fingerprint


class DiffFileVersions:
    """The contents of a diff's files before and after it, each read from git or disk once."""

    def __init__(self, app: App, between: DiffSides) -> None:
        self._app = app
        self._between = between
        self._read: dict[str, code_fingerprint.SearchableText | None] = {}
        self._given: dict[str, bytes] = {}
        self._disk: dict[str, code_fingerprint.SearchableText | None] = {}

    def load_files(self, path_changes: Iterable[PathChange], *, include_new: bool = False) -> None:
        """Read the old versions of changed files (``include_new``: also the new) at one time."""
        from gitmem.git import blobs  # noqa: PLC0415 - needs subprocess

        needed = [change.blob for change in path_changes]
        needed += [change.new_blob for change in path_changes] if include_new else []
        missing = [id for id in dict.fromkeys(needed) if id and id not in self._read]
        self._read |= {id: _page(self._given[id]) for id in missing if id in self._given}
        missing = [id for id in missing if id not in self._given]
        cwd = self._app.layout.cwd
        sized = blobs.blob_sizes(cwd, missing) if missing else {}
        small = {id: size for id, size in sized.items() if size <= LARGEST}
        for id, data in blobs.read_blobs(cwd, small):
            self._read[id] = _page(data)

    def add_blob_content(self, blob_id: str, content: bytes) -> None:
        """Take content that the caller has read already; ``blob_id`` is git's id of it."""
        self._given[blob_id] = content

    def old_text(self, change: PathChange) -> code_fingerprint.SearchableText | None:
        """The text of a file before the diff, prepared for searching; None if there is none."""
        return self._read.get(change.blob)

    def new_text(self, change: PathChange) -> code_fingerprint.SearchableText | None:
        """The text of a file after the diff, prepared for searching; None if there is none."""
        if self._between.new:
            return self._read.get(change.new_blob)
        worktree = self._app.layout.worktree
        if change.new not in self._disk and worktree:
            data = listing.read_worktree_file(worktree, change.new, LARGEST)
            self._disk[change.new] = None if data is None else _page(data)
        return self._disk.get(change.new)


def _page(data: bytes) -> code_fingerprint.SearchableText | None:
    if len(data) > LARGEST or (b"\0" in data and not file_filter.is_utf16(data)):
        return None
    return code_fingerprint.SearchableText(file_filter.decode_text(data))
