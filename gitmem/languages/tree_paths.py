"""Looking up the paths of a tree by folder, by name and by their last parts."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping

from gitmem.model.frozen import dataclass


@dataclass(frozen=True, slots=True)
class ImportTarget:
    """The file, or the package (a folder that ends in a slash), that an import refers to.

    ``rest`` are the names still to be looked up in it, joined by dots. ``confidence`` is from 0 to
    1, ``evidence`` says in words how the target was found.
    """

    path: str
    rest: str
    confidence: float
    evidence: str


class TreePaths:
    """The paths of all files of a repository, to look up imports in.

    ``manifests`` maps the path of files such as package.json to their text, ``folders`` a folder to
    the paths directly in it. ``cache`` holds what ``resolve`` functions read from manifests.
    """

    paths: Container[str]
    folders: Mapping[str, list[str]]
    manifests: Mapping[str, str]
    cache: dict[object, object]

    def __init__(self, paths: Iterable[str], manifests: Mapping[str, str] | None = None) -> None:
        self.paths = there = frozenset(paths)
        self.manifests = dict(manifests or {})
        self.cache = {}
        self._stems: dict[str, list[str]] = {}
        folders: dict[str, list[str]] = {}
        for path in sorted(there):
            folder, _, name = path.rpartition("/")
            folders.setdefault(folder, []).append(path)
            self._stems.setdefault(name.partition(".")[0], []).append(path)
        for folder in list(folders):
            while folder:
                folder = folder.rpartition("/")[0]
                folders.setdefault(folder, [])
        self.folders = folders

    def first_existing(self, candidates: Iterable[str]) -> str:
        """The first of the candidate paths that exists, or ""."""
        return next((candidate for candidate in candidates if candidate in self.paths), "")

    def paths_with_stem(self, name: str) -> list[str]:
        """The paths of the files whose name, up to its first dot, is ``name``."""
        return self._stems.get(name, [])

    def paths_ending_in(self, tail: str) -> list[str]:
        """The paths that end with the given parts, such as ``a/b.h``."""
        stem = tail.rpartition("/")[2].partition(".")[0]
        return [
            path for path in self.paths_with_stem(stem) if path == tail or path.endswith("/" + tail)
        ]

    def manifests_named(self, name: str) -> list[str]:
        """The paths of the manifests with this file name, those in outer folders first."""
        paths = [manifest for manifest in self.manifests if manifest.rpartition("/")[2] == name]
        return sorted(paths, key=lambda path: (path.count("/"), path))

    def json_manifest(self, path: str) -> dict[str, object]:
        """The content of the JSON manifest at ``path`` as a dict; {} if it cannot be read."""
        from gitmem.errors import InvalidInput  # noqa: PLC0415 - only where a repository has one
        from gitmem.text import jsonc  # noqa: PLC0415 - as above

        cached = self.cache.get(path)
        if isinstance(cached, dict):
            return cached
        try:
            read = jsonc.parse_jsonc(self.manifests.get(path, "{}"))
        except InvalidInput:
            read = {}
        self.cache[path] = content = read if isinstance(read, dict) else {}
        return content


def find_no_import_targets(
    tree: TreePaths, importer: str, module: str, name: str
) -> list[ImportTarget]:
    """Return no targets: the imports of this language name namespaces, resolved elsewhere."""
    del tree, importer, module, name
    return []


def folder_of(path: str) -> str:
    """The folder of a path, "" at the top."""
    return path.rpartition("/")[0]


def folders_above(folder: str) -> list[str]:
    """The folder and all folders above it, the innermost first; the last is "", the top."""
    folders = [folder]
    while folder:
        folder = folder.rpartition("/")[0]
        folders.append(folder)
    return folders


def join_path(*parts: str) -> str:
    """The given parts joined to a path, ``.`` and ``..`` resolved.

    It is ".." if the path leads outside the tree.
    """
    resolved: list[str] = []
    for part in "/".join(filter(None, parts)).split("/"):
        if part == "..":
            if not resolved:
                return ".."
            resolved.pop()
        elif part not in ("", "."):
            resolved.append(part)
    return "/".join(resolved)


def nearest_path(candidates: Iterable[str], path: str) -> str:
    """Return the candidate that shares most leading folders with ``path``; there must be one."""
    own = path.split("/")

    def common_folder_length(path: str) -> int:
        count = 0
        for left, right in zip(path.split("/"), own, strict=False):
            if left != right:
                break
            count += 1
        return count

    return max(sorted(candidates), key=common_folder_length)
