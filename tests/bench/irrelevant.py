"""How surely `recall` tells an answer from what is none: questions of another set beside its own.

    python -m tests.bench.irrelevant --data DIR --foreign DIR [--questions 200] [--keep DIR]
        [--contextual always|off] [--group NAME]

DIR as for ``tests.bench.memory``. Asked of the memories of ``--data`` are its own questions, and
those of ``--foreign``, to which nothing there is an answer. For each bound: of how many foreign
questions the best hit is as similar (false alarms), and for how many of its own a right answer is
among the first ten with such a similarity.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from gitmem.app import App
from gitmem.operations.find import recall
from tests.bench import measure, memory, stores

BOUNDS = (0.3, 0.35, 0.4, 0.42, 0.45, 0.5, 0.55, 0.6, 0.7)


def main(words: list[str] | None = None) -> int:
    """Run it; the exit status."""
    given = _arguments().parse_args(words)
    data = Path(given.data)
    documents = [row for row in stores.rows(data / "corpus.jsonl.gz") if _in(row, given.group)]
    own = [row for row in stores.rows(data / "queries.jsonl.gz") if _in(row, given.group)]
    foreign = list(stores.rows(Path(given.foreign) / "queries.jsonl.gz"))[: given.questions]
    with stores.home(given.keep) as home:
        place = home / "memory" / f"{data.resolve().name}-{memory.fingerprint(documents, given)}"
        app, _ = memory.opened(place, documents, home, given)
        names = memory.names_of(documents)
        alarms = [max((found for _, found in _query(app, item)), default=0.0) for item in foreign]
        right = [_best(_query(app, item), item, names) for item in own if _gold(item)]
        app.close()
    rows = [(f"{bound:.2f}", _share(alarms, bound), _share(right, bound)) for bound in BOUNDS]
    print(measure.machine())
    print(f"{len(documents)} memories, {len(right)} questions of their own, {len(foreign)} foreign")
    print(measure.table(("similarity from", "false alarms", "found"), rows))
    return 0


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", required=True)
    parser.add_argument("--foreign", required=True)
    parser.add_argument("--group", default="")
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--keep")
    parser.add_argument("--contextual", choices=("always", "off"), default="off")
    parser.set_defaults(without="", mode="hybrid", limit=10, text_only=False)
    return parser


def _in(row: dict[str, Any], group: str) -> bool:
    return not group or row["group"] == group


def _query(app: App, question: dict[str, Any]) -> list[tuple[str, float]]:
    """The ids of the first ten memories, each with its similarity."""
    found = recall.recall_memories(app, recall.RecallRequest(question["text"], limit=10)).memories
    return [(item.id, item.similarity or 0.0) for item in found]


def _gold(question: dict[str, Any]) -> set[str]:
    return {*(question.get("rel") or question.get("rel_parent") or ())}


def _best(
    found: list[tuple[str, float]], question: dict[str, Any], names: dict[str, dict[str, Any]]
) -> float:
    """The highest similarity of a right answer; 0 where none was found."""
    gold = _gold(question)
    right = (
        alike
        for id, alike in found
        if names[id]["id"] in gold or names[id].get("parent", "") in gold
    )
    return max(right, default=0.0)


def _share(values: list[float], bound: float) -> str:
    return f"{100 * sum(value >= bound for value in values) / max(len(values), 1):.1f} %"


if __name__ == "__main__":
    sys.exit(main())
