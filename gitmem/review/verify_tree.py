"""The tree that a diff leads to: its paths, its manifests, and the text of single files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from gitmem.errors import GitmemError
from gitmem.git import blobs, listing
from gitmem.git.layout import RepositoryLayout
from gitmem.git.runner import run_git
from gitmem.indexing import file_filter
from gitmem.languages.tree_paths import TreePaths
from gitmem.review.reviewed_diff import PATCH, ReviewedDiff

_MAX_BYTES = 1 << 20
_MAX_MANIFESTS, _MAX_MANIFEST_BYTES = 800, 256 << 10
# What decides where an import leads; of the rest the text is read only where something is missing.
_MANIFESTS = re.compile(
    r"(?:^|/)(?:package\.json|[tj]sconfig[\w.-]*\.json|go\.mod|go\.work|Cargo\.toml)$"
)
_LINK, _MODULE = "120000", "160000"


class TreeAfterDiff(TreePaths):
    """The files of the repository as a diff leaves them; ``changed`` are those it wrote.

    ``stored`` maps the other paths to (git mode, blob id) in ``commit`` (empty: the index).
    """

    def __init__(
        self,
        layout: RepositoryLayout,
        stored: Mapping[str, tuple[str, str]],
        changed: Mapping[str, bytes],
        commit: str = "",
    ) -> None:
        self._layout = layout
        self._commit = commit
        self._stored = stored
        self._texts = {path: file_filter.decode_text(data) for path, data in changed.items()}
        # Behind a link or in another repository there may be anything.
        self.unseen = tuple(
            path + "/" for path, (mode, _) in stored.items() if mode in (_LINK, _MODULE)
        )
        super().__init__({*stored, *changed})
        self.paths: frozenset[str]
        named = [path for path in self.paths if _MANIFESTS.search(path)]
        named.sort(key=lambda path: (path.count("/"), path))
        self.load_texts(named[:_MAX_MANIFESTS])
        self.manifests = {
            path: self.file_text(path).replace("\r\n", "\n")[:_MAX_MANIFEST_BYTES]
            for path in named[:_MAX_MANIFESTS]
        }

    def load_texts(self, paths: Iterable[str]) -> None:
        """Read the texts of several files at once, so that ``file_text`` is fast for them."""
        ids = {
            path: self._stored[path][1]
            for path in paths
            if path not in self._texts and path in self._stored and self._stored[path][1]
        }
        if not ids:
            return
        cwd = self._layout.cwd
        sized = blobs.blob_sizes(cwd, list(dict.fromkeys(ids.values())))
        small = {id: size for id, size in sized.items() if size <= _MAX_BYTES}
        contents = dict(blobs.read_blobs(cwd, small))
        for path, id in ids.items():
            data = contents.get(id, b"")
            self._texts[path] = "" if b"\0" in data[:8192] else file_filter.decode_text(data)

    def file_text(self, path: str) -> str:
        """Return the text of a file; empty if it is missing, binary or larger than a megabyte."""
        self.load_texts([path])
        return self._texts.get(path, "")

    def paths_matching(self, pattern: re.Pattern[str]) -> list[str]:
        """Return at most 300 paths in which ``pattern`` is found, those in outer folders first."""
        if pattern not in self.cache:
            paths = sorted(filter(pattern.search, self.paths), key=lambda path: path.count("/"))
            self.cache[pattern] = paths[:300]
        matches = self.cache[pattern]
        return matches if isinstance(matches, list) else []

    def with_file_removed(self, path: str) -> TreeAfterDiff:
        """Return a copy of this tree without the file at ``path``."""
        stored = {other: entry for other, entry in self._stored.items() if other != path}
        tree = TreeAfterDiff(self._layout, stored, {}, self._commit)
        tree._texts = {other: text for other, text in self._texts.items() if other != path}
        return tree

    def is_outside_index(self, path: str) -> bool:
        """Return whether a path is behind a link, in a submodule or outside of the repository."""
        return path.startswith(("..", *self.unseen))

    def git_ignored_paths(self, paths: Sequence[str]) -> frozenset[str]:
        """Return those of ``paths`` that git would ignore, such as build outputs."""
        try:
            return listing.ignored_by_git(self._layout, paths)
        except GitmemError:
            return frozenset()

    def git_grep(self, pattern: str) -> dict[str, list[str]]:
        """Return path -> lines that match an extended regular expression; empty if git fails."""
        where = [self._commit] if self._commit else ["--cached"]
        args = ["grep", "-I", "-z", "--no-color", "--full-name", "-E", "-e", pattern, *where]
        try:
            out = run_git(args, cwd=self._layout.cwd, timeout=20.0, allowed_statuses=(0, 1))
        except GitmemError:
            return {}
        lines: dict[str, list[str]] = {}
        for record in out.decode("utf-8", "replace").split("\n"):
            path, _, line = record.partition("\0")
            path = path.removeprefix(f"{self._commit}:") if self._commit else path
            if line:
                lines.setdefault(path, []).append(line)
        return lines


def tree_after_diff(layout: RepositoryLayout, diff: ReviewedDiff) -> TreeAfterDiff:
    """Return the files of the repository as a diff leaves them."""
    new = diff.sides.new
    commit = diff.sides.old if new == PATCH else "" if new == ":" else new
    stored = listing.file_modes_and_blob_ids(layout, commit)
    changed = {}
    for file in diff.files:
        if file.change.old and file.change.old != file.change.new:
            stored.pop(file.change.old, None)
        if file.change.new and file.new is not None:
            changed[file.change.new] = file.new
    return TreeAfterDiff(layout, stored, changed, commit)
