"""How many of the memories that say the same in other words are asked about, and how many others.

    python -m tests.bench.paraphrases --repository PATH [--repository PATH ...] [--half tuning]
        [--memories 1000]

The labelled pairs are those of ``tests.bench.duplicates``. A store holds the second text of each
pair among commit subjects of the same history, so many that there are ``--memories``. Then come
new memories: the first text of each pair, which should find its second, and ``ORDINARY`` further
subjects, of which each suggestion counts as wrong, although some do say what another one says. A
line for each score from which somebody would be asked.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Sequence
from pathlib import Path

from gitmem.maintenance.duplicate_scan import ParaphraseFinder
from gitmem.memory import paraphrase
from gitmem.model.frozen import dataclass, replace
from gitmem.store.memory import memory_writes
from gitmem.store.memory.filters import MemoryFilter
from tests.bench import duplicates, measure
from tests.support.stores import make_store, said

ORDINARY = 300
SCORES = (1.2, 1.4, 1.5, 1.55, 1.6, 1.65, 1.7, 1.8, 2.0)
_LABELS = (*duplicates.SAME, "ordinary")


@dataclass(frozen=True, slots=True)
class Asked:
    """What a new memory brought up: the best score, 0 for none, and whether it is its other."""

    label: str
    score: float
    right: bool


def main() -> int:
    """Run it; the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repository", action="append", required=True)
    parser.add_argument("--half", choices=("tuning", "held-out"), default="held-out")
    parser.add_argument("--memories", type=int, default=1000)
    given = parser.parse_args()
    pairs = {
        path: [pair for pair in duplicates.pairs(path) if duplicates.half(*pair[1:]) == given.half]
        for path in given.repository
    }
    found = [item for path in pairs for item in _query(path, pairs[path], given.memories)]
    for label in _LABELS:
        print(f"{sum(item.label == label for item in found)} {label}", end="; ")
    print()
    print(measure.table(("from", *_LABELS[:-1], "the same", "wrong of 100"), _rows(found)))
    vetoed = [item for some in pairs.values() for item in some if item[0] in duplicates.VETOED]
    open_ones = sum(
        not paraphrase.are_about_different_things(item, other) for _, item, other in vetoed
    )
    print(f"of {len(vetoed)} pairs that differ in what tells apart, {open_ones} may be asked about")
    return 0


def _rows(found: Sequence[Asked]) -> list[tuple[str | int, ...]]:
    rows: list[tuple[str | int, ...]] = []
    for least in SCORES:
        shares = [_share(found, (label,), least) for label in _LABELS[:-1]]
        same = _share(found, duplicates.SAME, least)
        wrong = _share(found, ("ordinary",), least)
        rows.append((f"{least:.2f}", *(f"{share:.0%}" for share in shares), f"{same:.1%}",
                     f"{100 * wrong:.1f}"))  # fmt: skip
    return rows


def _share(found: Sequence[Asked], labels: Sequence[str], least: float) -> float:
    """The share for which somebody is asked: of pairs about the right one."""
    some = [item for item in found if item.label in labels]
    hits = [item for item in some if item.score >= least and (item.right or "ordinary" in labels)]
    return len(hits) / len(some) if some else 0.0


def _query(path: str, pairs: Sequence[tuple[str, str, str]], size: int) -> list[Asked]:
    pairs = [pair for pair in pairs if pair[0] in duplicates.SAME]
    partners = dict.fromkeys(other for _, _, other in pairs)
    rest = [
        fromkey
        for fromkey in dict.fromkeys(duplicates.subjects(path))
        if len(fromkey.split()) >= duplicates.SHORTEST and fromkey not in partners
    ]
    random.Random(5).shuffle(rest)
    stored = [*partners, *rest[: max(size - len(partners), 0)]]
    ordinary = rest[size : size + ORDINARY]
    new = [*pairs, *(("ordinary", item, "") for item in ordinary)]
    with tempfile.TemporaryDirectory() as folder:
        store = make_store(Path(folder) / "memory.db")
        with store.write():
            for number, text in enumerate(stored):
                memory_writes.insert_memory(store, said(text, seed=number + 1, agent="codex"))
        looked = ParaphraseFinder(store, MemoryFilter())
        found = [_of(looked, *item) for item in new]
        store.close()
    return found


def _of(looked: ParaphraseFinder, label: str, text: str, other: str) -> Asked:
    memory = replace(said(text, seed=0, agent="codex"), seq=-1)
    found = looked.most_likely_duplicate(memory, SCORES[0])
    if found is None:
        return Asked(label, 0.0, right=False)
    return Asked(label, found.score, right=found.memory.content == other)


if __name__ == "__main__":
    raise SystemExit(main())
