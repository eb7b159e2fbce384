"""Past commits as questions: given one of the files a commit changed, which are the others?

What is known to an answer are the commits before it and the tree that it was made on, never the
commit itself or later ones.
"""

from __future__ import annotations

import random
import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from gitmem import languages
from gitmem.graph import file_edges
from gitmem.graph.project import Project
from gitmem.graph.source_file import SourceFile
from gitmem.graph.values import CodeEdge, Definition
from gitmem.languages.index import MANIFESTS, RESOLVED
from gitmem.languages.tree_paths import TreePaths
from gitmem.model.frozen import dataclass
from tests.bench.graph import tree

# Commits of 2 to so many files of code are asked about, of the newer two thirds of a history.
MOST_FILES = 15
RUN = 20
# An edge that is less sure is not used by ``gitmem impact`` either.
LEAST_SURE = 0.3


@dataclass(frozen=True, slots=True)
class Case:
    """A commit, the file one knows of, and the others that it changed.

    ``before`` are the paths of earlier commits, the oldest first; ``there`` the paths of the tree.
    """

    sha: str
    first: str
    wanted: frozenset[str]
    before: list[list[str]]
    there: frozenset[str]


def git(root: Path, *words: str) -> str:
    """What a git command prints."""
    run = subprocess.run(["git", "-C", root, *words], capture_output=True, check=True)
    return run.stdout.decode("utf-8", "replace")


def is_code(path: str) -> bool:
    """Whether the graph reads files like this one."""
    return languages.language(path) in RESOLVED


def history(root: Path) -> list[tuple[str, list[str]]]:
    """Commits that are no merges with the paths they changed, the oldest first."""
    text = git(
        root, "log", "--no-merges", "--no-renames", "--reverse", "--name-only", "--format=%x00%H"
    )
    found = []
    for part in text.split("\0")[1:]:
        sha, *paths = [line for line in part.split("\n") if line]
        found.append((sha, paths))
    return found


def cases(root: Path, most: int, *, often: bool = False) -> Iterator[Case]:
    """Runs of successive commits of a clone; asked is the first file of code that each lists.

    Where ``often`` is true, the one of them that changed most often before. The runs begin at
    random places of the newer two thirds: most files of their trees are the same, so that each is
    read once.
    """
    log = history(root)
    for number in _picked(log, most):
        sha, paths = log[number]
        there = frozenset(git(root, "ls-tree", "-r", "--name-only", f"{sha}^").splitlines())
        changed = [path for path in paths if is_code(path) and path in there]
        if len(changed) < 2:
            continue
        before = [earlier for _, earlier in log[:number]]
        first = _most_often(changed, before) if often else changed[0]
        yield Case(sha, first, frozenset(changed) - {first}, before, there)


def _most_often(paths: list[str], before: list[list[str]]) -> str:
    counts = Counter(path for earlier in before for path in earlier)
    return max(paths, key=lambda item: (counts[item], item))


def _picked(log: list[tuple[str, list[str]]], most: int) -> list[int]:
    late = range(len(log) // 3, len(log))
    some = [number for number in late if 2 <= sum(map(is_code, log[number][1])) <= MOST_FILES]
    runs = [some[start : start + RUN] for start in range(0, len(some), RUN)]
    random.Random(20).shuffle(runs)
    return [number for run in runs[: -(-most // RUN)] for number in run][:most]


class Trees:
    """The code graph of any commit; what a blob says is read once."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._files: dict[tuple[str, str], SourceFile | None] = {}
        self._texts: dict[str, bytes] = {}
        self._cat = subprocess.Popen(
            ["git", "-C", root, "cat-file", "--batch"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def edges_at(self, commit: str, path: str) -> list[CodeEdge]:
        """The edges of a file and of all that may lead to it, in the tree of a commit.

        Only files that say one of its names are read for edges: no other can lead to it.
        """
        listed = git(self.root, "ls-tree", "-r", commit).splitlines()
        blobs = {line.partition("\t")[2]: line.split()[2] for line in listed}
        manifests = {
            place: self._blob(blob).decode("utf-8", "replace")
            for place, blob in blobs.items()
            if place.rpartition("/")[2] in MANIFESTS
        }
        texts = {place: self._blob(blob) for place, blob in blobs.items() if is_code(place)}

        def load(place: str) -> SourceFile | None:
            return self._file(place, blobs[place], texts[place]) if place in texts else None

        def named(name: str) -> list[tuple[str, Definition]]:
            saying = [place for place, text in texts.items() if name.encode() in text]
            files = [(place, load(place)) for place in saying]
            return [
                (place, definition)
                for place, file in files
                for definition in (file.definitions if file else ())
                if definition.name == name
            ]

        project = Project(TreePaths(blobs, manifests), load, named)
        message = _names_of(path, load(path))
        words = re.compile(b"|".join(re.escape(item.encode()) for item in sorted(message)))
        queries = [place for place, text in texts.items() if words.search(text)]
        queries = [place for place in queries if (file := load(place)) and _says(file, message)]
        return [
            edge
            for place in {*queries, path}
            for edge in file_edges.code_edges_of_file(project, place)
        ]

    def _file(self, path: str, blob: str, text: bytes) -> SourceFile | None:
        key = (path, blob)
        if key not in self._files:
            self._files[key] = tree.source(path, text)
        return self._files[key]

    def _blob(self, blob: str) -> bytes:
        if blob not in self._texts:
            assert self._cat.stdin and self._cat.stdout
            self._cat.stdin.write(f"{blob}\n".encode())
            self._cat.stdin.flush()
            header = self._cat.stdout.readline().split()
            found = len(header) == 3 and header[1] == b"blob"  # not so of a submodule
            self._texts[blob] = self._cat.stdout.read(int(header[2]) + 1)[:-1] if found else b""
        return self._texts[blob]


def _names_of(path: str, file: SourceFile | None) -> set[str]:
    parts = path.split("/")
    names = {parts[-1].partition(".")[0], *parts[-2:-1]}
    return names | {definition.name for definition in (file.definitions if file else ())}


def _says(file: SourceFile, names: set[str]) -> bool:
    if any(use[3] in names for use in file.calls):
        return True
    if any(
        names & {*use[2].replace("/", ".").replace("::", ".").split("."), use[3]}
        for use in file.imports
    ):
        return True
    return any(names & {use[3]} for uses in file.bases.values() for use in uses)
