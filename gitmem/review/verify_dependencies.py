"""Dependencies that a diff adds to a manifest: not in the lock file, or used by nothing yet."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from gitmem.assembly import manifests
from gitmem.indexing import file_filter
from gitmem.languages.tree_paths import folder_of, folders_above, join_path
from gitmem.model.review_finding import NOTE, WARNING, ReviewFinding
from gitmem.review.reviewed_diff import ReviewedFile
from gitmem.review.verify_tree import TreeAfterDiff

_LOCKS = {
    "package.json": ("package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml"),
    "pyproject.toml": ("uv.lock", "poetry.lock", "pdm.lock"),
    "Cargo.toml": ("Cargo.lock",),
    "go.mod": ("go.sum",),
    "composer.json": ("composer.lock",),
    "Gemfile": ("Gemfile.lock",),
    "mix.exs": ("mix.lock",),
}
_SEARCHED = frozenset(
    {"package.json", "pyproject.toml", "requirements.txt", "Cargo.toml", "go.mod"}
)
_MAX_DEPENDENCIES = 20


def find_dependency_problems(
    tree: TreeAfterDiff, files: Iterable[ReviewedFile]
) -> Iterator[ReviewFinding]:
    """Yield findings on dependencies that a diff adds: not in the lock file, or not used."""
    for file in files:
        name = file.path.rpartition("/")[2]
        if file.new is None or name not in (*_LOCKS, *_SEARCHED):
            continue
        lock = _lock(tree, file.path, name)
        for added in _added(file)[:_MAX_DEPENDENCIES]:
            line = next((number for number, text in file.numbered_added_lines if added in text), 0)
            if not line:
                continue
            if lock and not re.search(_spelling(added), tree.file_text(lock), re.IGNORECASE):
                message = f"{lock} does not have {added}: it was not made again"
                yield ReviewFinding("dependency/lock", WARNING, file.path, line, message)
            if name in _SEARCHED and not _is_used(tree, file.path, name, added):
                yield ReviewFinding("dependency/unused", NOTE, file.path, line,
                                    f"No code names {added} yet")  # fmt: skip


def _added(file: ReviewedFile) -> list[str]:
    old = manifests.read_manifest(file.path, file_filter.decode_text(file.old or b""))
    new = manifests.read_manifest(file.path, "\n".join(file.new_lines))
    return [
        dependency
        for dependency in new.dependencies
        if dependency not in old.dependencies and dependency != new.name
    ]


def _lock(tree: TreeAfterDiff, path: str, name: str) -> str:
    """The nearest lock file, if it can be read: one of another kind may lock the rest."""
    for folder in folders_above(folder_of(path)):
        for lock in _LOCKS.get(name, ()):
            place = join_path(folder, lock)
            if place in tree.paths:
                return place if tree.file_text(place) else ""
    return ""


def _spelling(name: str) -> str:
    """A pattern of a name in which separators are one."""
    parts = [re.escape(part) for part in re.split(r"[-_.]", name)]
    return r"(?<![\w-])" + "[-_.]".join(parts) + r"(?![\w-])"


def _is_used(tree: TreeAfterDiff, path: str, name: str, added: str) -> bool:
    bare = added.lower()
    if name in ("package.json", "go.mod"):
        pattern = "[\"']" + re.sub(r"([.+])", r"[\1]", added) + "[\"'/]"
    else:
        parts = re.split(r"[-_.]", re.sub(r"^python-|-python$|^py(?=\w{4})", "", bare))
        pattern = "[-_.]?".join(filter(None, parts))
    if not re.fullmatch(r"[\w@/.+\[\]\"'?-]+", pattern):
        return True
    others = tree.git_grep(pattern) if name in ("package.json", "go.mod") else tree.git_grep(
        "".join(f"[{char.upper()}{char}]" if char.isalpha() else char for char in pattern)
    )  # fmt: skip
    locks = {lock for names in _LOCKS.values() for lock in names}
    return any(other != path and other.rpartition("/")[2] not in locks for other in others)
