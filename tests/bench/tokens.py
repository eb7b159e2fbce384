"""How many tokens are read until a file that answers: `gitmem search` and `gitmem context`.

    python -m tests.bench.tokens --manifest M --checkouts DIR --queries Q [--repos a,b]
        [--scope root|repo] [--limit 50] [--budget 6000] [--keep DIR] [--out RUN.jsonl]

Manifest, checkouts and questions are those of ``tests.bench.code``; the judgements are read. The
measure is that of the semble project (its ``token_efficiency``): the tokens of all that is listed
up to the end of the first piece of a file that answers, 32,000 where the first 50 have none. It is
taken of the pieces that `search` finds (their text alone, which is what semble counts), of the
paragraphs that `search` prints, and of a `context`. ``place`` is the mean place of the first such
piece, ``missing`` how many questions have none, ``before`` the tokens of what is listed above it
and ``own`` its own, both in the mean of those that have one.

Tokens are gitmem's own high estimate. ``--out`` keeps the texts up to there, so that a tokenizer
can count them again.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Sequence
from statistics import mean
from typing import Any

from gitmem.app import App
from gitmem.model.frozen import replace
from gitmem.operations.find import context, search
from gitmem.retrieval import hit_view
from gitmem.text.token_ceiling import max_token_count
from tests.bench import code, measure, stores

CAP = 32_000
_HEADS = ("read", "questions", "tokens", "place", "missing", "before", "own")


def main(words: list[str] | None = None) -> int:
    """Run it; the exit status."""
    parser = code.arguments()
    parser.description = __doc__
    parser.add_argument("--budget", type=int, default=context.MAX_TOKENS)
    for action in parser._actions:
        if action.dest == "out":
            action.required, action.default = False, ""
    parser.set_defaults(mode="hybrid")
    given = parser.parse_args(words)
    questions: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for question in stores.rows(given.queries):
        questions[question["repo"]].append(question)
    read: dict[str, list[list[str]]] = defaultdict(list)
    saved: list[dict[str, Any]] = []
    with stores.home(given.keep) as place:
        settings = stores.settings(place, given.without)
        for entry in code.chosen(given):
            app, _ = code.indexed(entry, given, place, settings)
            for question in questions[entry["repo"]]:
                for name, texts in _read(app, question, given).items():
                    read[name].append(texts)
                    saved.append({"id": question["id"], "read": name, "texts": texts})
            app.close()
            print(entry["repo"], file=sys.stderr, flush=True)
    if given.out:
        stores.write_rows(given.out, saved)
    print(measure.table(_HEADS, [_row(name, some) for name, some in read.items()]))
    return 0


def _read(app: App, question: dict[str, Any], given: Any) -> dict[str, list[str]]:
    """By what is read: the texts up to and with the first of a file that answers, else none."""
    sources = tuple((given.sources or code.IN[given.scope]).split(","))
    query = search.SearchRequest(
        question["query"],
        sources=sources,
        mode=given.mode,
        limit=given.limit,
        include_content=True,
    )
    whole = search.search_all_sources(app, query).hits
    shown = [hit_view.format_hit(replace(hit, content="")) for hit in whole]
    paths = [hit.path for hit in whole]
    result = context.assemble_context(
        app, context.ContextRequest(question["query"], max_tokens=given.budget)
    )
    blocks = result.context.split("\n### ")
    heads = [block.partition(":")[0] for block in blocks]
    gold = set(question["relevant"])
    return {
        "pieces": _until([hit.content for hit in whole], paths, gold),
        "search": _until(shown, paths, gold),
        "context": _until(blocks, heads, gold),
    }


def _until(texts: Sequence[str], paths: Sequence[str], gold: set[str]) -> list[str]:
    at = next((place for place, path in enumerate(paths) if path in gold), None)
    return [] if at is None else list(texts[: at + 1])


def _row(name: str, some: list[list[str]]) -> tuple[object, ...]:
    found = [[max_token_count(text) for text in texts] for texts in some if texts]
    missing = len(some) - len(found)
    total = sum(sum(costs) for costs in found) + CAP * missing
    return (
        name,
        len(some),
        round(total / len(some)),
        f"{mean(len(costs) for costs in found):.2f}",
        missing,
        round(mean(sum(costs[:-1]) for costs in found)),
        round(mean(costs[-1] for costs in found)),
    )


if __name__ == "__main__":
    sys.exit(main())
