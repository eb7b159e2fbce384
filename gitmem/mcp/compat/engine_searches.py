"""The searches of Context Engine: code, notes, commits, symbols and memories (CE-9 to CE-19)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gitmem.mcp.compat import graph_calls, sifts, to_ours, to_theirs
from gitmem.mcp.compat.answer_shape import As, Const, Each, When
from gitmem.mcp.compat.documented_call import ENGINE, REPOSITORY, Call, Choice, To
from gitmem.mcp.compat.info_request import INFO_REQUEST

_LIMIT = To("integer", "limit", 10)
_COLLECTION = To("string", why="A repository has one store.")
_OK = {"ok": Const(True)}
_HERE = To("any", REPOSITORY, why="One repository a call: its folder, name or key.")
_SHORT = "Snippets are the lines that answer."
_FILTERS: dict[str, To] = {
    "limit": _LIMIT,
    "per_path": To("integer", "per_path", 2),
    "repo": _HERE,
    "language": To("string", "lang"),
    "path_glob": To("string", "path", change=to_ours.one_glob),
    "under": To("string", "path", change=to_ours.one_glob),
    "not_glob": To("any", "not_path", change=to_ours.words_list),
    "ext": To("any", "ext", change=to_ours.endings),
    "profile": To("string", "only", change=to_ours.named({"tests": "test", "code": "source"}),
                  choices=("tests", "config", "code")),
    "symbol": To("string", sift=sifts.of_symbol),
    "kind": To("string", sift=sifts.of_context),
    "case": To("string", why="Upper and lower case are alike."),
    "include_snippet": To("boolean", default=True, why=_SHORT),
    "context_lines": To("integer", "context_lines", why="Three there; here none unless given."),
    "highlight_snippet": To("boolean", default=True, why="Always in highlights."),
    "rerank_enabled": To("boolean", why="There is no reranker yet (CE-6)."),
    "rerank_top_n": To("integer", default=50, why="There is no reranker yet (CE-6)."),
    "rerank_return_m": To("integer", default=12, why="There is no reranker yet (CE-6)."),
    "compact": To("boolean", why="`session_defaults` says how long answers are."),
    "output_format": To("string", why="The text of an answer is a table, its data JSON."),
    "collection": _COLLECTION,
}  # fmt: skip
_QUERIES = To("any", "queries", needed=True, change=to_ours.questions,
              why="Each of a list is asked, and what they find is one list.")  # fmt: skip
_HIT: dict[str, Any] = {
    "score": "score",
    "path": "path",
    "symbol": As(to_theirs.first_word, "symbol"),
    "start_line": "start_line",
    "end_line": "end_line",
    "snippet": "snippet",
    "highlights": As(to_theirs.highlights, "snippet", "asked.query"),
    "metadata": {"language": As(to_theirs.language, "path"), "kind": "context"},
}
_FOUND: dict[str, Any] = {
    **_OK,
    "results": Each("hits", _HIT),
    "total": As(to_theirs.count, "hits"),
    "used_rerank": Const(False),
    "query": "asked.query",
}
_PARTS = "What a score is made of (components) and search_time_ms are not told."


def _search(
    names: tuple[str, ...], takes: Mapping[str, To], fixed: Mapping[str, Any], **more: Any
) -> Call:
    return Call(ENGINE, names, "search", {"query": _QUERIES, **takes},
                more.pop("answers", _FOUND), fixed=fixed, page="hits",
                departs=more.pop("departs", _PARTS), **more)  # fmt: skip


_GRAPH: dict[str, Any] = {
    "results": Each(
        "hits",
        {
            "path": "path",
            "start_line": "start_line",
            "end_line": "end_line",
            "symbol_path": As(to_theirs.first_word, "symbol"),
            "kind": "context",
        },
    ),
    "symbol": "asked.symbol",
    "query_type": "asked.query_type",
    "count": As(to_theirs.count, "hits"),
    "collection": "here.project",
}


def _symbols(mode: str) -> Call:
    return Call(
        ENGINE,
        ("symbol_graph",),
        "search",
        {
            "symbol": To("string", "query", needed=True),
            "limit": To("integer", "limit", 20),
            "language": To("string", "lang"),
            "under": To("string", "path", change=to_ours.one_glob),
            "output_format": To("string", why="The text is a table, the data JSON."),
            "repo": _HERE,
        },
        {**_GRAPH, "query_type": Const(mode.replace("symbol", "definition"))},
        fixed={"mode": mode},
    )


_ONLY_MODE: dict[str, To] = {
    "limit": _LIMIT,
    "language": To("string", "lang"),
    "under": To("string", "path", change=to_ours.one_glob),
    "repo": _HERE,
}
CALLS: tuple[Call, ...] = (
    _search(("repo_search",), _FILTERS, {"sources": ("code", "notes")}),
    _search(("code_search",), _FILTERS, {"sources": ("code",)}),
    _search(
        ("context_search",),
        {
            **_FILTERS,
            "include_memories": To("boolean", default=True, sift=sifts.without_memories),
            "memory_weight": To("number", default=1.0, sift=sifts.weighted),
            "per_source_limits": To("object", sift=sifts.per_source),
        },
        {"sources": ("code", "notes", "memories")},
        answers={
            **_OK,
            "results": Each(
                "hits",
                {
                    "source": "kind",
                    **_HIT,
                    "id": When("id", "id"),
                    "information": When("id", "snippet"),
                },
            ),
            "total": As(to_theirs.count, "hits"),
            "sources": As(to_theirs.source_kinds, "hits"),
            "query": "asked.query",
        },
        departs=_PARTS + " Notes are a source of their own.",
    ),
    _search(("search_tests_for",), _ONLY_MODE, {"mode": "tests"}),
    _search(("search_config_for",), _ONLY_MODE, {"mode": "config"}),
    _search(("search_callers_for",), _ONLY_MODE, {"mode": "callers"}),
    _search(("search_importers_for",), _ONLY_MODE, {"mode": "importers"}),
    _search(
        ("search_commits_for",),
        {
            "limit": _LIMIT,
            "since": To("string", "since"),
            "author": To("string", "author"),
            "repo": _HERE,
        },
        {"sources": ("commits",)},
        answers={
            **_OK,
            "results": Each(
                "hits",
                {
                    "commit": "commit",
                    "message": "title",
                    "author": "author",
                    "date": "at",
                    "score": "score",
                },
            ),
            "total": As(to_theirs.count, "hits"),
            "query": "asked.query",
        },
        departs="E-mail addresses are not stored.",
    ),
)
CHOICES: tuple[Choice, ...] = (
    INFO_REQUEST,
    Choice(
        ENGINE,
        "symbol_graph",
        "query_type",
        {
            "callers": _symbols("callers"),
            "definition": _symbols("symbol"),
            "importers": _symbols("importers"),
            **graph_calls.SYMBOL,
        },
        (),
        "callers",
    ),
)
