"""Whether the code graph helps to find the files that change together with one.

``python -m tests.bench.graph.impact CLONE... [--commits 100] [--weights 0.1,0.3]``

Of past commits with 2 to 15 files of code, each on its own: given the first file (the one that the
history changed most often before), which are the others? Asked are the files that changed with it
in earlier commits alone, and these together with the graph of the tree before the commit, by
``impact_score``. recall@10, paired, with a bootstrap interval of the difference. Nothing of the
commit or of later ones is known to either.
"""

from __future__ import annotations

import argparse
import random
import subprocess
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

from gitmem.graph import file_edges, impact_score, imports
from gitmem.graph.impact_score import Reach
from gitmem.graph.project import Project
from gitmem.graph.source_file import SourceFile
from gitmem.graph.tree_paths import TreePaths
from gitmem.graph.values import Definition, Edge
from gitmem.indexing import languages
from gitmem.timeline.co_change import LEAST, SWEEPING
from tests.bench.graph import tree

AT = 10
LEAST_SURE = 0.3


def git(root: Path, *words: str) -> str:
    """What a git command prints."""
    run = subprocess.run(["git", "-C", root, *words], capture_output=True, check=True)
    return run.stdout.decode("utf-8", "replace")


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


class Trees:
    """The code graph of any commit; what a blob says is read once."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._blobs: dict[tuple[str, str], SourceFile | None] = {}
        self._edges: dict[tuple[str, str], list[Edge]] = {}

    def edges(self, commit: str) -> list[Edge]:
        """The edges of the tree of a commit."""
        listed = git(self.root, "ls-tree", "-r", commit).splitlines()
        blobs = {line.partition("\t")[2]: line.split()[2] for line in listed}
        manifests = {
            path: git(self.root, "cat-file", "blob", blob)
            for path, blob in blobs.items()
            if path.rpartition("/")[2] in imports.MANIFESTS
        }
        files = {path: self._file(path, blob) for path, blob in blobs.items()}
        names: dict[str, list[tuple[str, Definition]]] = defaultdict(list)
        for path, file in files.items():
            for one in file.definitions if file else ():
                names[one.name].append((path, one))
        project = Project(TreePaths(blobs, manifests), files.get, lambda name: names.get(name, []))
        return [one for path in sorted(files) for one in file_edges.edges(project, path)]

    def _file(self, path: str, blob: str) -> SourceFile | None:
        key = (path, blob)
        if key not in self._blobs:
            known = languages.language(path) in imports.LANGUAGES
            data = git(self.root, "cat-file", "blob", blob).encode() if known else b""
            self._blobs[key] = tree.source(path, data) if known else None
        return self._blobs[key]


def neighbours(edges: Iterable[Edge], path: str, *, back: bool) -> dict[str, Reach]:
    """The files one step from one, with the number of edges: its users, or what it uses."""
    found: dict[str, Reach] = {}
    for one in edges:
        if one.confidence < LEAST_SURE or one.source_path == one.target_path:
            continue
        ends = (one.target_path, one.source_path) if back else (one.source_path, one.target_path)
        if ends[0] == path:
            known = found.get(ends[1], Reach(1, 0.0, 0))
            found[ends[1]] = Reach(1, max(known.confidence, one.confidence), known.edges + 1)
    return found


def shares(path: str, before: Iterable[list[str]]) -> dict[str, float]:
    """In which part of the commits of a file others changed too."""
    counts: Counter[str] = Counter()
    own = 0
    for paths in before:
        if path in paths and len(paths) <= SWEEPING:
            own += 1
            counts.update(set(paths) - {path})
    return {other: count / own for other, count in counts.items() if count >= LEAST}


def recall(ranked: Iterable[str], wanted: set[str]) -> float:
    """The part of the wanted files among the first ten."""
    return len(set(list(ranked)[:AT]) & wanted) / len(wanted)


def cases(root: Path, most: int) -> list[tuple[str, str, set[str], list[list[str]]]]:
    """(commit, its first file, the others, what commits before it changed), a sample."""
    log = history(root)
    picked = []
    for number, (sha, paths) in enumerate(log):
        code = [one for one in paths if languages.language(one) in imports.LANGUAGES]
        if number >= len(log) // 3 and 2 <= len(code) <= 15:
            picked.append((number, sha, code))
    chosen = sorted(random.Random(20).sample(picked, min(most, len(picked))))
    found = []
    for number, sha, code in chosen:
        before = [paths for _, paths in log[:number]]
        often = Counter(path for paths in before for path in paths)
        listed = set(git(root, "ls-tree", "-r", "--name-only", f"{sha}^").splitlines())
        there = [one for one in code if one in listed]
        if len(there) < 2:
            continue
        first = max(there, key=lambda one: (often[one], one))
        found.append((sha, first, set(there) - {first}, before))
    return found


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("clones", type=Path, nargs="+")
    options.add_argument("--commits", type=int, default=100)
    options.add_argument("--weights", default=str(impact_score.NEIGHBOUR))
    asked = options.parse_args()
    weights = [float(one) for one in asked.weights.split(",")]
    pairs: dict[float, list[tuple[float, float]]] = defaultdict(list)
    for root in asked.clones:
        trees = Trees(root)
        start = {weight: len(pairs[weight]) for weight in weights}
        for sha, first, wanted, before in cases(root, asked.commits):
            share = shares(first, before)
            edges = trees.edges(f"{sha}^")
            users = neighbours(edges, first, back=True)
            used = neighbours(edges, first, back=False)
            alone = recall(_ranked({}, {}, share), wanted)
            for weight in weights:
                impact_score.NEIGHBOUR = weight
                pairs[weight].append((alone, recall(_ranked(users, used, share), wanted)))
        for weight in weights:
            _tell(f"{root.name} {weight}", pairs[weight][start[weight] :])
    for weight in weights:
        _tell(f"all {weight}", pairs[weight])


def _ranked(
    users: Mapping[str, Reach], used: Mapping[str, Reach], share: Mapping[str, float]
) -> list[str]:
    return [path for path, _ in impact_score.ranked(users, used, share) if _code(path)]


def _code(path: str) -> bool:
    return languages.language(path) in imports.LANGUAGES


def _tell(name: str, pairs: list[tuple[float, float]]) -> None:
    if not pairs:
        return
    gains = [both - alone for alone, both in pairs]
    draw = random.Random(20)
    means = sorted(sum(draw.choices(gains, k=len(gains))) / len(gains) for _ in range(2_000))
    alone = sum(pair[0] for pair in pairs) / len(pairs)
    both = sum(pair[1] for pair in pairs) / len(pairs)
    print(
        f"{name}: {len(pairs)} commits, recall@{AT} co-change {alone:.3f}, with the graph "
        f"{both:.3f}, difference {sum(gains) / len(gains):+.3f} "
        f"({means[50]:+.3f} to {means[1949]:+.3f})",
        flush=True,
    )


if __name__ == "__main__":
    main()
