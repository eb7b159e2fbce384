"""Whether what was said is found in transcripts as well as in memories of the same texts.

    python -m tests.bench.said --data DIR [--mode keyword|hybrid] [--keep DIR] [--groups N]

DIR is a benchmark of conversations (``tests.bench.memory``) whose texts begin with ``user:`` or
``assistant:``, or with the names of two people, of whom who speaks first is the user: their names
stay in the texts. Each group becomes memories, one for each message, and conversations, in which a
message of the user and the answers to it are an exchange. `recall` and `session search` get the
same questions. Both are judged by exchanges, or by conversations where the judgements name those:
NDCG@10 and recall@10 of each, and the difference with its interval (paired bootstrap, 95 %).
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import defaultdict
from math import log2
from pathlib import Path
from typing import Any

from gitmem.app import App
from gitmem.clock import FixedClock
from gitmem.indexing import text_vectors
from gitmem.model import ids
from gitmem.model.exchange import Conversation, Exchange
from gitmem.operations.sessions import session_search
from gitmem.store.session import exchanges
from tests.bench import measure, memory, stores

Document = dict[str, Any]
TOP = 10
# A time between two exchanges of a conversation, whose messages all have the time of its begin.
_APART = 1_000


def main(words: list[str] | None = None) -> int:
    """Run it; the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", required=True)
    parser.add_argument("--mode", choices=("keyword", "hybrid"), default="hybrid")
    parser.add_argument("--keep")
    parser.add_argument("--groups", type=int, default=100)
    given = parser.parse_args(words)
    data = Path(given.data)
    groups: dict[str, list[Document]] = defaultdict(list)
    for document in stores.rows(data / "corpus.jsonl.gz"):
        # A transcript has no titles.
        groups[document["group"]].append({**document, "title": ""})
    queries = stores.rows(data / "queries.jsonl.gz")
    scores: dict[str, list[tuple[float, float]]] = {"memories": [], "transcripts": []}
    with stores.home(given.keep) as home:
        for group in list(groups)[: given.groups]:
            some = [query for query in queries if query["group"] == group]
            for name, values in _scores(home, data, groups[group], some, given).items():
                scores[name] += values
    print(measure.machine())
    rows = [
        (name, len(some), *map(_mean, zip(*some, strict=True))) for name, some in scores.items()
    ]
    print(measure.table(("taken in as", "queries", "NDCG@10", "recall@10"), rows))
    apart = [
        left[0] - right[0]
        for left, right in zip(scores["transcripts"], scores["memories"], strict=True)
    ]
    low, high = _interval(apart)
    print(f"transcripts - memories: {_mean(apart)} [{low:+.3f}, {high:+.3f}]")
    return 0


def _scores(
    home: Path,
    data: Path,
    documents: list[Document],
    queries: list[dict[str, Any]],
    given: argparse.Namespace,
) -> dict[str, list[tuple[float, float]]]:
    """NDCG and recall of each question, by what the texts were taken in as."""
    unit = _exchange_of(documents)
    parents = {document["id"]: document["parent"] for document in documents}
    mark = f"{data.resolve().name}-{documents[0]['group']}"
    asking = argparse.Namespace(
        mode=given.mode, limit=100, without="", contextual="off", text_only=False
    )
    app, recall = memory.opened(home / f"said-memories-{mark}", documents, home, asking)
    talks, firsts = _transcripts(home / f"said-{mark}", documents, home, given)
    found: dict[str, list[tuple[float, float]]] = {"memories": [], "transcripts": []}
    for query in queries:
        whole = not query["rel"]
        gold = (
            set(query["rel_parent"]) if whole else {unit[id] for id in query["rel"] if id in unit}
        )
        if not gold:
            continue
        names = parents if whole else unit
        ranked = {
            "memories": [names[id] for id in recall(query["text"])],
            "transcripts": [names[firsts[id]] for id in _found(talks, query["text"], given)],
        }
        for name, some in ranked.items():
            best = list(dict.fromkeys(some))[:TOP]
            found[name].append((_ndcg(best, gold), len(gold.intersection(best)) / len(gold)))
    app.close()
    talks.close()
    return found


def _sides(documents: list[Document]) -> dict[str, str]:
    """Each speaker -> ``user`` or ``assistant``."""
    speakers = dict.fromkeys(document["text"].partition(": ")[0] for document in documents)
    first = "user" if "user" in speakers else next(iter(speakers), "")
    return {name: "user" if name == first else "assistant" for name in speakers}


def _exchange_of(documents: list[Document]) -> dict[str, str]:
    """Each message -> the first message of its exchange."""
    side = _sides(documents)
    unit, first, parent = {}, "", ""
    for document in documents:
        who = side[document["text"].partition(": ")[0]]
        if document["parent"] != parent or who == "user":
            first, parent = document["id"], document["parent"]
        unit[document["id"]] = first
    return unit


def _transcripts(
    place: Path, documents: list[Document], home: Path, given: argparse.Namespace
) -> tuple[App, dict[str, str]]:
    """A store with the conversations; and hit -> the first message of its exchange."""
    with stores.being_made(place) as fresh:
        if fresh:
            stores.empty_repository(fresh)
    app = stores.app_in(place, stores.settings(home))
    times = [memory.moment(document["ts"]) for document in documents]
    app.clock = FixedClock(max(times) + memory.DAY)
    stores.set_up(app)
    unit = _exchange_of(documents)
    side = _sides(documents)
    spoken: dict[str, dict[str, dict[str, str]]] = defaultdict(lambda: defaultdict(dict))
    for document in documents:
        name, _, text = document["text"].partition(": ")
        who, text = side[name], text if name in side.values() else document["text"]
        sides = spoken[document["parent"]][unit[document["id"]]]
        sides[who] = f"{sides[who]}\n\n{text}" if who in sides else text
    begun = {document["parent"]: memory.moment(document["ts"]) for document in documents}
    names: dict[str, str] = {}
    for number, (parent, some) in enumerate(spoken.items()):
        id, at = ids.new_ulid(begun[parent], number.to_bytes(10, "big")), begun[parent]
        made = [
            Exchange(
                id, place, sides.get("user", ""), sides.get("assistant", ""), at=at + _APART * place
            )
            for place, sides in enumerate(some.values(), 1)
        ]
        names |= {f"{id}#{place}": first for place, first in enumerate(some, 1)}
        talk = Conversation(id, "bench", parent, "", at, at + _APART * len(made), "", "", parent)
        with app.store.write():
            exchanges.replace_conversation(app.store, talk, made, "")
    if given.mode != "keyword":
        text_vectors.embed_exchanges(app, app.store, lambda *_: None)
    return app, names


def _found(app: App, text: str, given: argparse.Namespace) -> list[str]:
    request = session_search.SearchSessionsRequest(text, mode=given.mode, limit=100)
    return [hit.id for hit in session_search.search_sessions(app, request).hits]


def _ndcg(ranked: list[str], gold: set[str]) -> float:
    gain = sum(1 / log2(place + 2) for place, name in enumerate(ranked) if name in gold)
    return gain / sum(1 / log2(place + 2) for place in range(min(len(gold), TOP)))


def _mean(values: Any) -> str:
    some = list(values)
    return f"{sum(some) / len(some):.3f}"


def _interval(values: list[float]) -> tuple[float, float]:
    draw = random.Random(0)
    means = sorted(sum(draw.choices(values, k=len(values))) / len(values) for _ in range(2_000))
    return means[50], means[-50]


if __name__ == "__main__":
    sys.exit(main())
