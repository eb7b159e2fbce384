"""Choosing the weights of file search by cross-validation over repositories.

    python -m tests.bench.tune --set MANIFEST CHECKOUTS QUERIES root|repo [CLONES] [--set ...]
                               [--keep DIR] [--folds 5]

Asks the questions of each set through the steps of the ``search`` operation, by words, keeps what
is known of every file, and climbs from the weights in use, one weight at a time, on all
repositories but a fold; the fold is judged with what the others chose. Prints NDCG@10 (mean over
repositories) of the weights in use, of those chosen on everything, and of the folds. A gain of the
second that the third does not show is luck. Reads the judgements: this is for the dev part only.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import numpy as np

from gitmem.retrieval import file_evidence
from gitmem.retrieval.question import FileScope, Question
from gitmem.search import files
from gitmem.search.file_kinds import FACTORS
from gitmem.search.question import parse_question
from tests.bench import code, stores

GRID = (0.0, 0.1, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0)
FACTOR_GRID = (0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0)
# What a weight must gain to be changed.
LEAST_GAIN = 0.0005
_DISCOUNT = 1 / np.log2(np.arange(2, 12))

Weights = Mapping[str, float]


class Set:
    """The questions of one set, with the parts of every file's score and whether it is right."""

    def __init__(self, place: tuple[str, ...], keep: str) -> None:
        """Ask all questions of (manifest, checkouts, queries, scope[, clones])."""
        manifest, checkouts, queries, self.scope, *clones = place
        words = ["--manifest", manifest, "--checkouts", checkouts, "--queries", queries]
        words += ["--out", "", "--scope", self.scope, "--keep", keep]
        given = code.arguments().parse_args(words + (["--histories", clones[0]] if clones else []))
        self.questions: list[tuple[str, int, int, int]] = []
        self._rows: list[tuple[dict[str, float], tuple[str, ...], bool]] = []
        with stores.home(keep) as home:
            for entry in code.chosen(given):
                app, _ = code.indexed(entry, given, home, stores.settings(home))
                for question in stores.rows(queries):
                    if question["repo"] == entry["repo"]:
                        self._ask(app, question)
                app.close()
        names = {name for parts, _, _ in self._rows for name in parts}
        self.parts = {
            name: np.array([parts.get(name, 0.0) for parts, _, _ in self._rows]) for name in names
        }
        self.kinds = {
            kind: np.array([kind in kinds for _, kinds, _ in self._rows]) for kind in FACTORS
        }
        self.right = np.array([right for _, _, right in self._rows])

    def _ask(self, app: object, question: Mapping[str, object]) -> None:
        query = parse_question(str(question["query"]))
        kinds = frozenset(("code",) if self.scope == "root" else ("code", "notes"))
        put = Question(query, (), lambda _s, _k, _w: {}, 50, True, False)
        looked = file_evidence.match_files(app, put, FileScope(kinds))  # type: ignore[arg-type]
        plain = dict.fromkeys(files.WEIGHTS, 1.0)
        scored = files.score_files(looked.evidence, query, looked.leg.idf, weights=plain)
        expected = {*question["relevant"], *question.get("secondary", ())}  # type: ignore[misc]
        start = len(self._rows)
        for path, item in scored.items():
            raw = {name: value for name, value in item.parts.items() if name != "kind"}
            self._rows.append((raw, item.kinds, path in expected))
        self.questions.append((str(question["repo"]), start, len(self._rows), len(expected)))

    def judged(self, weights: Weights) -> dict[str, float]:
        """Repository -> mean NDCG@10 with these weights and factors."""
        score = np.zeros(len(self.right))
        for name, values in self.parts.items():
            score += weights.get(name, 1.0) * values
        for kind, there in self.kinds.items():
            score *= np.where(there, weights[kind], 1.0)
        found: dict[str, list[float]] = {}
        for repo, start, end, expected in self.questions:
            best = np.argsort(-score[start:end], kind="stable")[:10]
            gain = _DISCOUNT[: len(best)][self.right[start:end][best]].sum()
            found.setdefault(repo, []).append(gain / _DISCOUNT[: min(expected, 10)].sum())
        return {repo: float(np.mean(values)) for repo, values in found.items()}


def mean(item: Set, weights: Weights, only: Collection[str] | None = None) -> float:
    """The mean over repositories, or over some of them."""
    judged = item.judged(weights)
    return float(np.mean([x for repo, x in judged.items() if only is None or repo in only]))


def climbed(sets: Sequence[Set], weights: Weights, only: Collection[str]) -> dict[str, float]:
    """The weights after climbing on some repositories, one weight at a time, twice through."""
    here = dict(weights)

    def worth(these: Weights) -> float:
        return float(np.mean([mean(item, these, only) for item in sets]))

    best = worth(here)
    for _ in range(2):
        for name in weights:
            for value in FACTOR_GRID if name in FACTORS else GRID:
                found = worth({**here, name: value})
                if found > best + LEAST_GAIN:
                    best, here = found, {**here, name: value}
    return here


def main() -> int:
    """Run it; the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--set", action="append", nargs="+", required=True, dest="sets")
    parser.add_argument("--keep", default=str(Path.home() / ".cache" / "gitmem-bench"))
    parser.add_argument("--folds", type=int, default=5)
    given = parser.parse_args()
    sets = [Set(tuple(place), given.keep) for place in given.sets]
    used: dict[str, float] = {"text": 1.0, **files.WEIGHTS, **FACTORS}
    every = sorted({repo for item in sets for repo, *_ in item.questions})
    print("in use      ", [round(mean(item, used), 4) for item in sets])
    chosen = climbed(sets, used, every)
    print("chosen      ", [round(mean(item, chosen), 4) for item in sets])
    print("  changed   ", {name: chosen[name] for name in used if chosen[name] != used[name]})
    random.Random(1).shuffle(every)
    judged: list[dict[str, float]] = [{} for _ in sets]
    for number in range(given.folds):
        fold = set(every[number :: given.folds])
        weights = climbed(sets, used, set(every) - fold)
        for item, found in zip(sets, judged, strict=True):
            found.update({repo: x for repo, x in item.judged(weights).items() if repo in fold})
    print("other folds ", [round(float(np.mean(list(found.values()))), 4) for found in judged])
    return 0


if __name__ == "__main__":
    sys.exit(main())
