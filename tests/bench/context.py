"""Whether a context holds a file that answers: `gitmem context` on questions with known answers.

    python -m tests.bench.context --manifest M --checkouts DIR --queries Q [--histories CLONES]
        [--budget 4000] [--repos a,b] [--scope root|repo] [--keep DIR] [--out RUN.jsonl]

Manifest, checkouts and questions are those of ``tests.bench.code``; here the judgements are read
(``relevant``): a question is served where at least one of its files has lines in the context. For
each repository: that share, the tokens of a context at the median, the expected tokens up to the
end of the first stretch of lines of such a file (the whole budget where there is none), and the
milliseconds of CPU of one question in a warm process. ``doubted`` is the share of these questions
whose confidence is low or a guess, ``strangers`` the same of twenty questions to the other
repositories, which this one cannot answer. ``--out`` keeps each context, so that an independent
tokenizer can count it again.
"""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from typing import Any

from gitmem.app import App
from gitmem.operations.find import context
from gitmem.text.token_ceiling import max_token_count
from tests.bench import code, measure, stores

_HEADS = (
    *("repository", "questions", "served", "doubted", "strangers"),
    *("tokens", "until gold", "cpu p50", "cpu p95"),
)
_STRANGERS = 20


def main(words: list[str] | None = None) -> int:
    """Run it; the exit status is 1 where a context is over its budget."""
    parser = code.arguments()
    parser.description = __doc__
    parser.add_argument("--budget", type=int, default=4000)
    for action in parser._actions:
        if action.dest == "out":
            action.required, action.default = False, ""
    given = parser.parse_args(words)
    questions: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for question in stores.rows(given.queries):
        questions[question["repo"]].append(question)
    table: list[tuple[object, ...]] = []
    every: list[dict[str, Any]] = []
    strangers: list[dict[str, Any]] = []
    with stores.home(given.keep) as place:
        settings = stores.settings(place, given.without)
        for entry in code.chosen(given):
            app, _ = code.indexed(entry, given, place, settings)
            answers = [_query(app, question, given.budget) for question in questions[entry["repo"]]]
            others = [
                question
                for name in questions
                if name != entry["repo"]
                for question in questions[name]
            ]
            step = max(1, len(others) // _STRANGERS)
            odd = [_query(app, other, given.budget) for other in others[::step][:_STRANGERS]]
            app.close()
            table.append(_row(entry["repo"], answers, odd))
            every += answers
            strangers += odd
            print(measure.table(_HEADS, table).splitlines()[-1], file=sys.stderr, flush=True)
    if given.out:
        stores.write_rows(given.out, every)
    print(measure.machine())
    print(measure.table(_HEADS, [*table, _row("all", every, strangers)]))
    return measure.verdict([item["id"] for item in every if item["tokens"] > given.budget])


def _query(app: App, question: dict[str, Any], budget: int) -> dict[str, Any]:
    request = context.ContextRequest(question["query"], max_tokens=budget)
    begin = time.process_time()
    found = context.assemble_context(app, request)
    took = (time.process_time() - begin) * 1000
    paths = [source.path for source in found.sources if source.kind in ("code", "note")]
    return {
        "id": question["id"],
        "served": bool(set(paths) & set(question["relevant"])),
        "tokens": found.token_count,
        "until": _until(found.context, question["relevant"], budget),
        "cpu": took,
        "doubted": found.confidence.level in ("low", "guess"),
        "context": found.context,
    }


def _until(text: str, gold: list[str], budget: int) -> int:
    """Tokens up to the end of the first file that answers; the budget where there is none."""
    blocks = text.split("\n### ")
    for number, block in enumerate(blocks[1:], 1):
        if any(block.startswith(f"{path}:") for path in gold):
            return max_token_count("\n### ".join(blocks[: number + 1]))
    return budget


def _row(name: str, answers: list[dict[str, Any]], odd: list[dict[str, Any]]) -> tuple[object, ...]:
    if not answers:
        return (name, 0, *[""] * (len(_HEADS) - 2))
    share = sum(answer["served"] for answer in answers) / len(answers)
    until = sum(answer["until"] for answer in answers) / len(answers)
    cpu = [answer["cpu"] for answer in answers]
    return (
        name,
        len(answers),
        f"{share:.3f}",
        *(f"{sum(item['doubted'] for item in some) / len(some):.2f}" for some in (answers, odd)),
        measure.percentile([answer["tokens"] for answer in answers], 0.5),
        round(until),
        measure.percentile(cpu, 0.5),
        measure.percentile(cpu, 0.95),
    )


if __name__ == "__main__":
    sys.exit(main())
