"""Ten calls of Context Engine as its document has them: request and answer side by side.

An answer is compared field by field: each one that the document shows is there with a value of its
type, nothing else is, and what was asked for comes back. ``LACKS`` names what gitmem does not have;
docs/reference/compat.md says why.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.mcp.agents import shop
from tests.mcp.compat.test_documented_calls import Peer, connected

TEXT, WHOLE, NUMBER, YES, MOMENT = "text", 7, 0.5, True, "2024-01-15T10:30:00Z"
MEMORY = {
    "kind": "pattern", "language": "python", "path": "src/part0.py", "tags": ["files", "python"],
    "priority": 8, "topic": "performance optimization", "code": "yield process(line)",
}  # fmt: skip
PLACE = {"path": TEXT, "symbol": TEXT, "start_line": WHOLE, "end_line": WHOLE, "snippet": TEXT}
HIT = {
    "score": NUMBER, **PLACE, "highlights": [TEXT],
    "components": {"dense_score": NUMBER, "lexical_score": NUMBER, "reranker_score": NUMBER,
                   "final_score": NUMBER},
    "metadata": {"language": TEXT, "kind": TEXT, "complexity": TEXT, "tokens": WHOLE},
}  # fmt: skip
FOUND = {"ok": YES, "total": WHOLE, "used_rerank": False, "search_time_ms": WHOLE}
STATS = {"files_processed": WHOLE, "chunks_created": WHOLE, "vectors_generated": WHOLE,
         "processing_time_seconds": NUMBER, "errors": 0}  # fmt: skip

CALLS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("memory_store", {"information": "Generators process large files line by line.",
                      "metadata": MEMORY},
     {"ok": YES, "id": TEXT, "message": "Successfully stored information"}),
    ("memory_find", {"query": "process large files", "language": "python", "kind": "pattern",
                     "topic": "performance optimization", "tags": "python", "priority_min": 8,
                     "limit": 5},
     {"ok": YES, "total": 1, "query": "process large files", "results": [
         {"id": TEXT, "information": "Generators process large files line by line.",
          "metadata": {**MEMORY, "created_at": MOMENT}, "score": NUMBER, "highlights": [TEXT]}]}),
    ("repo_search", {"query": ["port of Redis", "server listener"], "language": "python",
                     "path_glob": "src/**/*.py", "not_glob": ["**/test_*.py", "**/cart/**"],
                     "kind": "class", "limit": 20, "per_path": 3, "rerank_enabled": True},
     {**FOUND, "query": ["port of Redis", "server listener"], "results": [HIT]}),
    ("repo_search", {"query": "Server", "symbol": "Server", "language": "python",
                     "include_snippet": True},
     {**FOUND, "query": "Server", "results": [{**HIT, "symbol": "Server"}]}),
    ("context_search", {"query": "process large files on the server", "include_memories": True,
                        "memory_weight": 1.0, "per_source_limits": {"code": 8, "memory": 4}},
     {"ok": YES, "total": WHOLE, "sources": [TEXT], "query": "process large files on the server",
      "results": [{"source": "memory", "score": NUMBER, "id": TEXT, "information": TEXT,
                   "metadata": {"kind": "pattern", "language": "python", "priority": 8}}]}),
    ("context_answer", {"query": "Which port does the server listen on?", "budget_tokens": 2000,
                        "language": "python", "expand": True, "temperature": 0.2},
     {"ok": YES, "answer": TEXT, "query": ["Which port does the server listen on?"],
      "used_context_tokens": WHOLE, "generation_time_ms": WHOLE, "decoder_used": TEXT,
      "citations": [{"path": TEXT, "start_line": WHOLE, "end_line": WHOLE, "snippet": TEXT,
                     "relevance": NUMBER}]}),
    ("qdrant_index", {"subdir": "src", "recreate": False},
     {"ok": YES, "operation": "index", "subdir": "src", "collection": "github.com/acme/shop",
      "recreate": False, "stats": STATS, "message": TEXT}),
    ("qdrant_prune", {},
     {"ok": YES, "operation": "prune", "points_removed": WHOLE, "points_before": WHOLE,
      "points_after": WHOLE, "processing_time_ms": WHOLE, "message": TEXT}),
    ("qdrant_status", {"max_points": 5000, "batch": 1000},
     {"ok": YES, "collection": "github.com/acme/shop", "exists": YES, "count": WHOLE,
      "scanned_points": WHOLE, "last_ingested_at": {"unix": WHOLE, "iso": MOMENT},
      "last_modified_at": {"unix": WHOLE, "iso": MOMENT}, "vectors_config": {},
      "storage_size_mb": NUMBER, "status": "healthy"}),
    ("symbol_graph", {"symbol": "Server", "query_type": "definition", "limit": 10},
     {"symbol": "Server", "query_type": "definition", "count": 1,
      "collection": "github.com/acme/shop",
      "results": [{"path": "src/server.py", "start_line": WHOLE, "end_line": WHOLE,
                   "symbol_path": "Server", "kind": "class"}]}),
]  # fmt: skip

# Fields of the document that gitmem has not, and those that it has besides.
LACKS = {
    "reranker_score", "complexity", "tokens", "chunks_created", "points_before", "points_after",
    "last_modified_at",
}  # fmt: skip
BESIDES = {
    "": {"quoted"},
    # A memory among hits is a hit too, and has all that it was stored with.
    "context_search": {*PLACE, "highlights", "components", *MEMORY},
}
# Kinds of values as JSON has them.
_KINDS = ((bool, "yes or no"), (int, "number"), (float, "number"), (str, "text"), (list, "list"))


@pytest.fixture(scope="module")
def peer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Peer]:
    with connected(shop(tmp_path_factory.mktemp("document"))) as peer:
        yield peer


def kind(value: Any) -> str:
    """The kind of a value."""
    return next((name for type, name in _KINDS if isinstance(value, type)), "object")


def differences(where: str, documented: Any, value: Any, besides: set[str]) -> list[str]:
    """What an answer lacks, has besides, or has of another kind or value."""
    if kind(documented) != kind(value):
        return [f"{where}: {value!r} for {documented!r}"]
    if isinstance(documented, dict):
        found = [
            f"{where}.{name} is not there" for name in documented.keys() - value.keys() - LACKS
        ]
        if documented:
            more = value.keys() - documented.keys() - besides
            found += [f"{where}.{name} is not documented" for name in more]
        for name in documented.keys() & value.keys():
            found += differences(f"{where}.{name}", documented[name], value[name], besides)
        return found
    if isinstance(documented, list):
        if documented and not value:
            return [f"{where} is empty"]
        pairs = zip(documented[:1], value, strict=False)
        return [
            row for item, other in pairs for row in differences(f"{where}[]", item, other, besides)
        ]
    given = documented not in (TEXT, WHOLE, NUMBER, MOMENT)
    return [f"{where}: {value!r} for {documented!r}"] if given and documented != value else []


def test_ten_calls_answer_as_the_document_has_them(peer: Peer) -> None:
    """CE-8 to CE-11, CE-14, CE-22."""
    assert len(CALLS) == 10
    found = []
    for tool, request, answer in CALLS:
        besides = BESIDES[""] | BESIDES.get(tool, set())
        found += differences(tool, answer, peer.data(tool, **request), besides)
    assert not found, "\n".join(found)


def test_what_is_lacking_is_reported_where_the_calls_are_described() -> None:
    """A field that a document shows and gitmem has not is named in the description."""
    page = (Path(__file__).parents[3] / "docs" / "reference" / "compat.md").read_text("utf-8")
    output = page[page.index("## Context Engine") :]
    assert [name for name in LACKS if name not in output] == []
    assert differences("a", {"b": TEXT, "c": [WHOLE]}, {"c": ["x"], "d": 1}, set()) == [
        "a.b is not there", "a.d is not documented", "a.c[]: 'x' for 7",
    ]  # fmt: skip
