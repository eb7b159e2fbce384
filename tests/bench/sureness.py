"""Whether the words of `gitmem ask` for how sure it is mean something: right answers by word.

    python -m tests.bench.sureness --clones DIR [--keep DIR] [--held]

Asks the everyday questions, those of the further sets, the chores and the questions of known form,
and judges each answer by its place, as ``everyday`` and ``known_forms`` do; what has no answer and
gets one is wrong, and what says "I do not know" has no word. The limits were chosen on the part
that is asked without ``--held``; with it the rest is: the questions that ``everyday`` keeps from
tuning, its third set, and the other half of those of known form.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gitmem.operations.find import ask
from tests.bench import everyday, known_forms, measure, stores

_HERE = Path(__file__).parent
# Questions, the repositories they are asked of, and whether the whole set is left out.
SETS = (
    ("everyday.jsonl", "everyday.json", False),
    ("everyday_more.jsonl", "everyday_more.json", False),
    ("chores.jsonl", "everyday.json", False),
    ("everyday_third.jsonl", "everyday_third.json", True),
)
Judged = tuple[str, str, bool]  # who answered, the word, whether it is right


def main(words: list[str] | None = None) -> int:
    """Run it; the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--clones", required=True, type=Path)
    parser.add_argument("--keep")
    parser.add_argument("--held", action="store_true")
    given = parser.parse_args(words)
    counts: dict[tuple[str, str], Counter[bool]] = defaultdict(Counter)
    with stores.home(given.keep) as place:
        for judged in (_everyday(given.clones, place, given.held), _forms(given, place)):
            for by, word, right in judged:
                for name in (by, "all"):
                    counts[name, word][right] += 1
    rows = [_row(by, word, counts[by, word]) for by, word in sorted(counts)]
    print(measure.table(("by", "word", "answers", "right"), rows))
    return 0


def _everyday(clones: Path, place: Path, held: bool) -> Iterator[Judged]:
    for questions, repositories, left_out in SETS:
        rows = stores.rows(str(_HERE / questions))
        for name, entry in json.loads((_HERE / repositories).read_text()).items():
            queries = [
                row
                for row in rows
                if row["repo"] == entry["repo"] and (row["held"] or left_out) == held
            ]
            if not queries:
                continue
            app = everyday._indexed(name, entry["commit"], clones, place)
            for item in queries:
                found = ask.answer_question(app, ask.AskRequest(item["question"]))
                yield from _judged(found, everyday.is_right(item, found))
            app.close()


def _forms(given: argparse.Namespace, place: Path) -> Iterator[Judged]:
    for name, commit in known_forms.REPOSITORIES.items():
        app = everyday._indexed(name, commit, given.clones, place)
        for form, question, truth in known_forms.questions(Path(app.worktree), held=given.held):
            found = ask.answer_question(app, ask.AskRequest(question))
            yield from _judged(found, known_forms.judge(form, truth, found) == "right")
        app.close()


def _judged(found: Any, right: bool) -> Iterator[Judged]:
    if found.known:
        by = "sentences" if found.written_by == "extract" else "a verb"
        yield by, found.confidence.level, right


def _row(by: str, word: str, counts: Counter[bool]) -> tuple[object, ...]:
    return by, word, counts.total(), f"{counts[True] / counts.total():.0%}"


if __name__ == "__main__":
    sys.exit(main())
