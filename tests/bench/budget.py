"""Whether a context is ever over its budget, by a tokenizer that is not gitmem's.

    python -m tests.bench.budget --clones DIR --out RUN.jsonl [--requests 10000] [--seed 1]
        [--repositories everyday.json] [--repos httpx,gin] [--keep DIR]

DIR holds a clone of each repository of ``everyday.json``, by its name. Requests are drawn at
random, evenly over the repositories: a question of one to twelve words of its files, an everyday
question, a subject of its history, characters of any kind, or nothing; a file of it, one that is
not there, or none; a budget of 1 to 9,000 tokens, small ones as often as large ones. RUN.jsonl gets
the budget and the text of each answer, to be counted again:

    npm install js-tiktoken
    node tests/bench/recount.cjs RUN.jsonl

The exit status is 1 where gitmem's own count is over a budget.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections.abc import Callable
from pathlib import Path

from gitmem.app import App
from gitmem.errors import GitmemError
from gitmem.operations.find import context
from tests.bench import everyday, measure, stores

_WORD = re.compile(r"[^\W\d_][\w.-]{2,40}")
_MOST_TEXTS = 2_000
# A budget is drawn from each of these alike.
_BUDGETS = ((1, 30), (30, 300), (300, 2_000), (2_000, 9_000))
_ABSENT = ("docs/none.md", "../outside.py", "src")


def main(words: list[str] | None = None) -> int:
    """Run it; the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--clones", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--repositories", default=str(everyday.REPOSITORIES))
    parser.add_argument("--repos", default="")
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep")
    given = parser.parse_args(words)
    entries = json.loads(Path(given.repositories).read_text())
    chosen = [name for name in entries if not given.repos or name in given.repos.split(",")]
    over, answered, refused = [], 0, 0
    with stores.home(given.keep) as place, Path(given.out).open("w") as out:
        for number, name in enumerate(chosen):
            app = everyday._indexed(name, entries[name]["commit"], Path(given.clones), place)
            draw = _drawing(app, random.Random(f"{given.seed} {name}"))
            count = len(range(number, given.requests, len(chosen)))
            for _ in range(count):
                request = draw()
                try:
                    found = context.assemble_context(app, request)
                except GitmemError:
                    refused += 1
                    continue
                answered += 1
                row = {"budget": request.max_tokens, "told": found.token_count}
                out.write(json.dumps(row | {"text": found.context}) + "\n")
                if found.token_count > request.max_tokens:
                    over.append(f"{name}: {request}")
            app.close()
            print(name, answered, refused, file=sys.stderr, flush=True)
    print(measure.machine())
    print(f"{answered} answers, {refused} refused, {len(over)} over the budget by gitmem's count")
    return measure.verdict(over)


def _drawing(app: App, chance: random.Random) -> Callable[[], context.ContextRequest]:
    """What draws a request to a repository."""
    paths = [row[0] for row in app.store.rows("SELECT path FROM paths ORDER BY path")]
    texts = [row[0] for row in app.store.rows(f"SELECT text FROM chunks LIMIT {_MOST_TEXTS}")]
    subjects = [row[0] for row in app.store.rows("SELECT subject FROM commits ORDER BY sha")]
    questions = [row["question"] for row in stores.rows(everyday.QUESTIONS) if not row["held"]]

    def words() -> str:
        found = _WORD.findall(chance.choice(texts)) or ["nothing"]
        return " ".join(chance.choice(found) for _ in range(chance.randint(1, 12)))

    def characters() -> str:
        return "".join(chr(chance.randrange(1, 0xD7FF)) for _ in range(chance.randint(1, 60)))

    def asked() -> str:
        kinds: tuple[Callable[[], str], ...] = (
            *(words, words, characters, lambda: ""),
            *(lambda: chance.choice(questions), lambda: str(chance.choice(subjects or texts))),
        )
        return chance.choice(kinds)()

    def draw() -> context.ContextRequest:
        file = chance.choice(("", "", str(chance.choice(paths)), chance.choice(_ABSENT)))
        budget = chance.randint(*chance.choice(_BUDGETS))
        return context.ContextRequest(asked(), file=file, max_tokens=budget)

    return draw


if __name__ == "__main__":
    sys.exit(main())
