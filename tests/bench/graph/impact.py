"""Whether the code graph helps to find the files that change together with one.

``python -m tests.bench.graph.impact CLONE... [--commits 100] [--often]``

Of past commits with 2 to 15 files of code, each on its own: given one of the files (the first, or
with ``--often`` the one that changed most before), which are the others? recall@10 of three lists:
the files that changed with it most often in earlier commits, the same with newer and smaller
commits counting more, and these together with its neighbours in the code graph of the tree before
the commit, as ``gitmem impact`` ranks them. Differences are paired, with a bootstrap interval; the
ceiling is what either list of candidates holds. Nothing of the commit or of later ones is known.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from gitmem.graph import impact_score
from gitmem.graph.impact_score import FileDependencyLink
from gitmem.graph.values import CodeEdge
from gitmem.timeline import co_change
from tests.bench.graph import past_commits
from tests.bench.graph.past_commits import Case

AT = 10


def neighbours(
    edges: Iterable[CodeEdge], path: str, *, back: bool
) -> dict[str, FileDependencyLink]:
    """The files one step from one, with the number of edges: its users, or what it uses."""
    found: dict[str, FileDependencyLink] = {}
    for edge in edges:
        if edge.confidence < past_commits.LEAST_SURE or edge.source_path == edge.target_path:
            continue
        ends = (
            (edge.target_path, edge.source_path) if back else (edge.source_path, edge.target_path)
        )
        if ends[0] == path and not ends[1].endswith("/"):
            known = found.get(ends[1], FileDependencyLink(1, 0.0, 0))
            found[ends[1]] = FileDependencyLink(
                1, max(known.confidence, edge.confidence), known.edges + 1
            )
    return found


def lists(case: Case, edges: list[CodeEdge]) -> list[list[str]]:
    """The files in their order: by count, by strength, with the graph, as an oracle has them."""
    counts: Counter[str] = Counter()
    for paths in case.before:
        if case.first in paths and len(paths) <= co_change.SWEEPING:
            counts.update(set(paths) - {case.first})
    often = [
        path
        for path, count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
        if count >= co_change.MIN_COMMON_COMMITS
    ]
    strong = co_change.co_change_strengths(case.first, reversed(case.before))
    users = neighbours(edges, case.first, back=True)
    used = neighbours(edges, case.first, back=False)
    alone, both = (
        [path for path, _ in impact_score.rank_affected_files(*side, strong)]
        for side in (({}, {}), (users, used))
    )
    ceiling = sorted(both, key=lambda path: path not in case.wanted)
    return [
        [path for path in each if past_commits.is_code(path) and path in case.there]
        for each in (often, alone, both, ceiling)
    ]


def recall(ranked: list[str], expected: frozenset[str]) -> float:
    """The part of the wanted files among the first ten."""
    return len(set(ranked[:AT]) & expected) / len(expected)


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("clones", type=Path, nargs="+")
    options.add_argument("--commits", type=int, default=100)
    options.add_argument("--often", action="store_true")
    query = options.parse_args()
    every: list[list[float]] = []
    for root in query.clones:
        trees = past_commits.Trees(root)
        rows = []
        for case in past_commits.cases(root, query.commits, often=query.often):
            edges = trees.edges_at(f"{case.sha}^", case.first)
            rows.append([recall(each, case.wanted) for each in lists(case, edges)])
        tell(root.name, rows)
        every += rows
    tell("together", every)


def tell(name: str, rows: list[list[float]]) -> None:
    """A line for a repository: recall of each list, and how much the graph adds."""
    if not rows:
        return
    often, alone, both, ceiling = (sum(each) / len(rows) for each in zip(*rows, strict=True))
    print(
        f"{name}: {len(rows)} commits, recall@{AT} by count {often:.3f}, by strength {alone:.3f}, "
        f"with the graph {both:.3f} (by count {interval([r[2] - r[0] for r in rows])}, "
        f"by strength {interval([r[2] - r[1] for r in rows])}), ceiling {ceiling:.3f}",
        flush=True,
    )


def interval(gains: list[float]) -> str:
    """The mean of paired differences with its 95 % interval."""
    draw = random.Random(20)
    means = sorted(sum(draw.choices(gains, k=len(gains))) / len(gains) for _ in range(2_000))
    return f"{sum(gains) / len(gains):+.3f}, {means[50]:+.3f} to {means[1949]:+.3f}"


if __name__ == "__main__":
    main()
