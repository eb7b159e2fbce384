"""The tools of Context Engine: memories, search, symbols, index (CE-8 to CE-22)."""

from __future__ import annotations

from typing import Any

from gitmem.mcp.compat import sifts, to_ours, to_theirs
from gitmem.mcp.compat.answer_shape import As, Const, Each
from gitmem.mcp.compat.documented_call import ENGINE, REPOSITORY, Call, Step, To

_OK = {"ok": Const(True)}
_LIMIT = To("integer", "limit", 10)
_COLLECTION = To("string", why="A repository has one store.")
_METADATA: dict[str, Any] = {
    "kind": As(to_theirs.in_words_of(to_theirs.ENGINE_KINDS), "kind"),
    "path": As(to_theirs.first, "paths"),
    "tags": "tags",
    "priority": As(to_theirs.priority, "weight"),
    "created_at": "created_at",
}
_MEMORY_FACTS = To(
    "object",
    "metadata",
    inside={
        "kind": To("string", "kind"),
        "path": To("string", "path"),
        "tags": To("array", "tag"),
        "priority": To("number", "weight", change=to_ours.weight),
        "expires_at": To("string", "valid_until"),
    },
    why="language, topic, code, author, source, repo and link are kept as metadata.",
)


_INDEXED: dict[str, Any] = {
    **_OK,
    "operation": Const("index"),
    "collection": "here.project",
    "recreate": "asked.recreate",
    "stats": {
        "files_processed": As(to_theirs.total, "added", "moved", "kept"),
        "vectors_generated": "vectors",
        "processing_time_seconds": "seconds",
        "errors": "gave_up",
    },
    "message": Const("Indexing completed"),
}
_MODEL = "The model of `ask.endpoint`, if one is set, at the temperature .3."
_ANSWER = Call(
    ENGINE,
    ("context_answer",),
    "ask",
    {
        "query": To("any", "question", needed=True, change=to_ours.one_question,
                    why="Of a list all words count together."),
        "budget_tokens": To("integer", why="At most five places are cited."),
        "include_snippet": To("boolean", default=True, why="Always what is cited."),
        "max_tokens": To("integer", why="Two sentences of each place at most."),
        "temperature": To("number", default=0.3, why=_MODEL),
        "mode": To("string", default="stitch", choices=("stitch", "pack"),
                   why="Each place is a few lines by itself."),
        "expand": To("boolean", default=False, why="Names are looked up as the plan says (CE-5)."),
        "collection": _COLLECTION,
    },
    {
        **_OK,
        "answer": "answer",
        "citations": As(to_theirs.citations, "sources", "sentences"),
        "query": As(to_theirs.as_list, "asked.query"),
        "generation_time_ms": As(to_theirs.taken, "plan"),
        "decoder_used": "written_by",
    },
    departs="Without an answer it says so, and citations are the nearest places. Filters of "
    "repo_search are refused; used_context_tokens is not told.",
)  # fmt: skip
CALLS: tuple[Call, ...] = (
    _ANSWER,
    Call(
        ENGINE,
        ("store", "memory_store"),
        "remember",
        {"information": To("string", "text", needed=True), "metadata": _MEMORY_FACTS,
         "collection": _COLLECTION},
        {**_OK, "id": "id", "message": As(to_theirs.kept, "action")},
    ),
    Call(
        ENGINE,
        ("find", "memory_find"),
        "recall",
        {
            "query": To("string", "query", needed=True),
            "kind": To("string", "kind"),
            "language": To("string", sift=sifts.about),
            "topic": To("string", sift=sifts.about),
            "tags": To("any", "tag", change=to_ours.words_list),
            "limit": _LIMIT,
            "priority_min": To("number", "weight", change=to_ours.weight),
            "collection": _COLLECTION,
        },
        {
            **_OK,
            "results": Each(
                "memories",
                {
                    "id": "id",
                    "information": "content",
                    "metadata": _METADATA,
                    "score": "score",
                    "highlights": As(to_theirs.highlights, "content", "asked.query"),
                },
            ),
            "total": As(to_theirs.count, "memories"),
            "query": "asked.query",
        },
        page="memories",
        departs="language and topic are looked for in tags and text.",
    ),
    Call(
        ENGINE,
        ("index_root", "qdrant_index_root", "qdrant_index"),
        "index",
        {
            "recreate": To("boolean", "full", False),
            "subdir": To("string", "path", change=to_ours.one_path),
            "collection": _COLLECTION,
        },
        _INDEXED,
        fixed={"action": "refresh"},
    ),
    Call(
        ENGINE,
        ("prune", "qdrant_prune"),
        "index",
        {},
        {
            **_OK,
            "operation": Const("prune"),
            "points_removed": "pruned",
            "processing_time_ms": As(to_theirs.thousandfold, "seconds"),
            "message": Const("Pruning completed"),
        },
        fixed={"action": "prune"},
    ),
    Call(
        ENGINE,
        ("workspace_info",),
        "status",
        {"workspace_path": To("string", REPOSITORY)},
        {
            **_OK,
            "workspace_path": "worktree",
            "default_collection": "project",
            "source": Const("store"),
            "state": {"workspace_id": "project", "files_count": "whole.total.files",
                      "total_size_bytes": "whole.total.bytes"},
        },
        then={"whole": Step("summary", {})},
    ),
    Call(
        ENGINE,
        ("list_workspaces",),
        "projects",
        {"search_root": To("string", why="Those that gitmem was set up in, wherever they are.")},
        {
            **_OK,
            "workspaces": Each(
                "projects",
                {
                    "workspace_path": "path",
                    "collection_name": "project",
                    "last_updated": "written_at",
                    "indexing_state": "state",
                },
            ),
        },
    ),
    Call(
        ENGINE,
        ("change_history_for_path",),
        "file",
        {"path": To("string", "path", needed=True), "collection": _COLLECTION,
         "max_points": To("integer", why="Counted exactly.")},
        {
            **_OK,
            "summary": {
                "path": "path",
                "last_modified": As(to_theirs.newest, "history"),
                "commits": "commits",
                "authors": As(to_theirs.names, "owners"),
            },
        },
        fixed={"max_tokens": 0},
    ),
)  # fmt: skip
WAITING = {
    "expand_query": "query expansion (CE-5)",
    "pattern_search": "search by structure (CE-16)",
    "search": "our own `search` has this name",
    "qdrant_status": "`status` and `doctor` have ours: there are no points to count",
    "qdrant_list": "a repository has one store, no collections: list_workspaces",
    "collection_map": "a repository has one store, no collections: list_workspaces",
    "batch_search": "several calls in one are `batch`",
    "batch_symbol_graph": "several calls in one are `batch`",
    "batch_graph_query": "several calls in one are `batch`",
    "embedding_stats": "statistics of caches (CE-23)",
}
