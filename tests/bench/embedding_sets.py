"""NDCG@10 of the built-in model on retrieval sets, alone and fused with BM25 by score.

``python -m tests.bench.embedding_sets FOLDER...``; a folder holds ``corpus.jsonl.gz`` (id, group,
text) and ``queries.jsonl.gz`` (text, group, rel). Fusion: weight * cosine + (1 - weight) * BM25 /
max over both lists' first 100, no stop words in the query: the protocol of the sets' baselines.
"""

from __future__ import annotations

import gzip
import json
import math
import re
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import apsw
import numpy as np

from gitmem.embedding.registry import open_embedder

WEIGHTS = (0, 0.3, 0.4, 0.5, 0.6, 1)
DEPTH = 100
STOP = frozenset(
    [
        "a",
        "an",
        "and",
        "are",
        "as",
        "at",
        "be",
        "been",
        "but",
        "by",
        "can",
        "could",
        "did",
        "do",
        "does",
        "for",
        "from",
        "had",
        "has",
        "have",
        "he",
        "her",
        "his",
        "how",
        "i",
        "if",
        "in",
        "into",
        "is",
        "it",
        "its",
        "me",
        "my",
        "of",
        "on",
        "or",
        "our",
        "she",
        "should",
        "so",
        "that",
        "the",
        "their",
        "them",
        "then",
        "there",
        "they",
        "this",
        "to",
        "was",
        "we",
        "were",
        "what",
        "when",
        "where",
        "which",
        "who",
        "why",
        "will",
        "with",
        "would",
        "you",
        "your",
    ]
)


def read(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


class Group:
    """The documents that one query may be answered from."""

    def __init__(self, documents: list[dict[str, Any]]) -> None:
        texts = [
            (document.get("title", "") + "\n" + document["text"]).strip() for document in documents
        ]
        self.ids = [document["id"] for document in documents]
        self.vectors = units(open_embedder("builtin").embed(texts))
        self.db = apsw.Connection(":memory:")
        self.db.execute("create virtual table t using fts5(x, tokenize='porter unicode61')")
        self.db.executemany("insert into t(rowid, x) values (?, ?)", list(enumerate(texts)))

    def words(self, query: str) -> dict[int, float]:
        requested = list(dict.fromkeys(word.lower() for word in re.findall(r"\w+", query)))
        requested = [word for word in requested if word not in STOP] or requested
        match = " OR ".join(f'"{word}"' for word in requested)
        sql = "select rowid, -bm25(t) from t where t match ? order by bm25(t) limit ?"
        return dict(self.db.execute(sql, (match, DEPTH))) if requested else {}

    def ranked(self, words: dict[int, float], vector: Any, weight: float) -> list[str]:
        if weight == 0:
            return [self.ids[at] for at in words]
        near = self.vectors @ vector
        top = np.argsort(-near, kind="stable")[:DEPTH].tolist()
        if weight == 1:
            return [self.ids[at] for at in top]
        most = max(words.values(), default=1.0) or 1.0
        score = {
            at: weight * max(float(near[at]), 0) + (1 - weight) * words.get(at, 0) / most
            for at in {*top, *words}
        }
        return [self.ids[at] for at in sorted(score, key=lambda at: (-score[at], at))]


def units(vectors: list[bytes]) -> Any:
    rows = np.array([np.frombuffer(vector, "i1") for vector in vectors], "f4")
    return rows / (np.linalg.norm(rows, axis=1, keepdims=True) + 1e-9)


def ndcg(ranked: list[str], gold: set[str]) -> float:
    gain = sum(1 / math.log2(at + 2) for at, item in enumerate(ranked[:10]) if item in gold)
    return gain / sum(1 / math.log2(at + 2) for at in range(min(len(gold), 10)))


def measure(folder: Path) -> list[float]:
    documents = defaultdict(list)
    for item in read(folder / "corpus.jsonl.gz"):
        documents[item["group"]].append(item)
    groups = {name: Group(each) for name, each in documents.items()}
    queries = [item for item in read(folder / "queries.jsonl.gz") if item.get("rel")]
    vectors = units(open_embedder("builtin").embed([query["text"] for query in queries]))
    totals = [0.0] * len(WEIGHTS)
    for query, vector in zip(queries, vectors, strict=True):
        group = groups[query["group"]]
        words = group.words(query["text"])
        for place, weight in enumerate(WEIGHTS):
            totals[place] += ndcg(group.ranked(words, vector, weight), set(query["rel"]))
    return [total / len(queries) for total in totals]


if __name__ == "__main__":
    print("weight of the cosine".ljust(22), *(f"{weight:6}" for weight in WEIGHTS))
    for name in sys.argv[1:]:
        print(Path(name).name.ljust(22), *(f"{value:6.3f}" for value in measure(Path(name))))
