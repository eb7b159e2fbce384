"""Two questions in one sentence: of both answers, how much is among the first ten.

    python -m tests.bench.compound --data DIR [--keep DIR] [--contextual always|off] [--seed 7]

DIR as for ``tests.bench.memory``. Each question is joined to another of its group, drawn at random,
in three ways: by "and", as two questions with their marks, by a semicolon. Asked as it is, each in
turn beside the same text asked whole (an empty line behind it keeps `gitmem` from cutting it), and
beside its two questions asked by hand: the most that cutting can give. Entries of a changelog and
pieces of web questions are no questions, so they get the beginning of one.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import defaultdict
from collections.abc import Callable
from functools import cache
from pathlib import Path
from statistics import mean
from typing import Any

from gitmem.search import pages, query
from tests.bench import measure, memory, stores

WAYS = ("and", "marks", "semicolon")
BEGINNINGS = {"gitlog": "which commit brought: ", "cosqa": "how to do: "}
_HEADS = ("joined by", "pairs", "cut", "whole", "as it is", "by hand", "both: whole", "as it is")
FIRST = 10

Question = dict[str, Any]
Ask = Callable[[str], list[str]]


def main(words: list[str] | None = None) -> int:
    """Run it; the exit status."""
    given = _arguments().parse_args(words)
    data = Path(given.data)
    groups: dict[str, list[memory.Document]] = defaultdict(list)
    for document in stores.rows(data / "corpus.jsonl.gz"):
        groups[document["group"]].append(document)
    queries = [row for row in stores.rows(data / "queries.jsonl.gz") if _gold(row)]
    rows: dict[str, list[tuple[float, ...]]] = defaultdict(list)
    with stores.home(given.keep) as home:
        for group, documents in groups.items():
            own = [item for item in queries if item["group"] == group]
            if len(own) < 2:
                continue
            place = (
                home / "memory" / f"{data.resolve().name}-{memory.fingerprint(documents, given)}"
            )
            app, ask = memory.kind(documents)(place, documents, home, given)
            ask = cache(ask)
            parents = {document["id"]: document.get("parent", "") for document in documents}
            random.Random(given.seed).shuffle(own)
            for pair in zip(own, own[1:] + own[:1], strict=True):
                for way in WAYS:
                    rows[way].append(_query(ask, pair, way, BEGINNINGS.get(data.name, ""), parents))
            app.close()
    print(measure.machine())
    print(measure.table(_HEADS, [_row(way, rows[way]) for way in WAYS]))
    return 0


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", required=True)
    parser.add_argument("--keep")
    parser.add_argument("--contextual", choices=("always", "off"), default="off")
    parser.add_argument("--seed", type=int, default=7)
    parser.set_defaults(without="", mode="hybrid", limit=2 * FIRST, text_only=False)
    return parser


def _gold(question: Question) -> set[str]:
    return {*(question.get("rel") or question.get("rel_parent") or ())}


def _query(
    ask: Ask, pair: tuple[Question, Question], way: str, beginning: str, parents: dict[str, str]
) -> tuple[float, ...]:
    """Whether it was cut; whole, as it is and by hand: the mean recall; of the first two: both."""
    first, second = (f"{beginning}{item['text'].rstrip('?. ')}" for item in pair)
    text = joined(first, second, way)
    by_hand = [
        hit for hit, _ in pages.merge_hit_lists([ask(first), ask(second)], lambda item: item)
    ]
    found = [[_recall(some, item, parents) for item in pair]
             for some in (ask(f"{text}\n"), ask(text), by_hand)]  # fmt: skip
    both = (float(min(some) > 0) for some in found[:2])
    return float(len(query.split_text_into_questions(text)) > 1), *map(mean, found), *both


def joined(first: str, second: str, way: str) -> str:
    """Two questions without their marks as one text."""
    if way == "marks":
        return f"{first}? {second}?"
    begin, _, rest = second.partition(" ")
    small = begin.lower() if begin.lower() in query.PASSED_OVER else begin
    return f"{first}{' and' if way == 'and' else ';'} {small} {rest}"


def _recall(found: list[str], question: Question, parents: dict[str, str]) -> float:
    gold = _gold(question)
    top = found[:FIRST]
    if not question.get("rel"):
        top = [parents[item] for item in top]
    return len(gold.intersection(top)) / min(len(gold), FIRST)


def _row(way: str, rows: list[tuple[float, ...]]) -> tuple[object, ...]:
    cut, *shares = (mean(column) for column in zip(*rows, strict=True))
    return (way, len(rows), f"{cut:.0%}", *(f"{share:.3f}" for share in shares))


if __name__ == "__main__":
    sys.exit(main())
