"""The tools of MemoryLayer, later NeuronLayer: one for each purpose (ML-4 to ML-38)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gitmem.mcp.compat import layer_words, to_theirs
from gitmem.mcp.compat.answer_shape import As, Const, Each
from gitmem.mcp.compat.documented_call import LAYER, REPOSITORY, Call, Path, Step, To

_QUERY = To("string", "query", needed=True)
_LIMIT = To("integer", "limit", 10)
_FILE = To("string", "path", needed=True)
_FILES, _TAGS = To("array", "path"), To("array", "tag")
_STATUS = To("string", "status", choices=("proposed", "accepted", "deprecated", "superseded"))
_SHOWN = {"shown": Step("show", {"id": Path("id")})}


def _decision(*, at: str = "") -> dict[str, Any]:
    return {
        "id": f"{at}id",
        "title": f"{at}title",
        "description": f"{at}content",
        "created_at": f"{at}created_at",
    }


_RECORDED: dict[str, Any] = {
    **_decision(at="shown.memory."),
    "files": "shown.memory.paths",
    "tags": "shown.memory.tags",
}
_HITS: dict[str, Any] = {
    "file": "path",
    "preview": "snippet",
    "relevance": As(to_theirs.similarity, "score", "score"),
    "line_start": "start_line",
    "line_end": "end_line",
}
_SYMBOL_HITS: dict[str, Any] = {
    "name": As(to_theirs.first_word, "symbol"),
    "kind": "context",
    "file": "path",
    "line_start": "start_line",
    "line_end": "end_line",
    "signature": As(to_theirs.first_line, "snippet"),
}
_KNOWN: dict[str, Any] = {
    "name": "name",
    "description": "description",
    "languages": As(to_theirs.names, "languages"),
    "total_files": "total.files",
    "total_lines": "total.lines",
    "key_directories": As(to_theirs.names, "folders"),
    "recent_decisions": Each("decisions", _decision()),
    "dependencies": As(layer_words.dependencies, "manifests"),
    "architecture_notes": As(layer_words.notes, "architecture"),
}
_CONTENT = {"path": "path", "content": "content", "language": "language", "lines": "lines"}
_SHORT = {"path": "path", "summary": "summary"}


def layer_call(
    name: str,
    operation: str,
    takes: Mapping[str, To],
    answers: Mapping[str, Any] | None,
    /,
    **more: Any,
) -> Call:
    """A call of MemoryLayer that has one name."""
    return Call(LAYER, (name,), operation, takes, answers, **more)


QUESTION_CONTEXT = layer_call(
    "get_context",
    "context",
    {
        "query": _QUERY,
        "current_file": To("string", "file"),
        "max_tokens": To("integer", "max_tokens", 6000),
    },
    {
        "context": "context",
        "sources": As(to_theirs.places, "sources"),
        "token_count": "token_count",
        "decisions": Each("decisions", _decision()),
    },
)
SEARCH = layer_call(
    "search_codebase",
    "search",
    {"query": _QUERY, "limit": _LIMIT},
    {"results": Each("hits", _HITS)},
    fixed={"sources": ("code",)},
)
_DECISION_TAKES = {
    "title": To("string", "title", needed=True),
    "description": To("string", "why", needed=True),
    "files": _FILES,
    "tags": _TAGS,
}
FILE = layer_call("get_file_context", "file", {"path": _FILE}, _CONTENT,
             departs="Of a long file the first 4,000 tokens.")  # fmt: skip
FILE_SUMMARY = layer_call(
    "get_file_summary", "file", {"path": _FILE},
    {**_SHORT, "message": Const("Compressed summary (use get_file_context for the content)")},
    fixed={"max_tokens": 0},
)  # fmt: skip
SUMMARY = layer_call("get_project_summary", "summary", {}, _KNOWN)
SYMBOL = layer_call(
    "get_symbol",
    "search",
    {"name": _QUERY, "kind": To("string", "kind"), "limit": _LIMIT},
    {"results": Each("hits", _SYMBOL_HITS)},
    fixed={"mode": "symbol"},
    departs="Whether a symbol is exported is told by `graph`.",
)
_PROJECT_ID = {"project_id": To("string", REPOSITORY, needed=True)}

RECORD = layer_call(
    "record_decision", "decide", _DECISION_TAKES,
    {**_RECORDED, "message": As(layer_words.recorded, "action")}, then=_SHOWN,
)  # fmt: skip
CALLS: tuple[Call, ...] = (
    SEARCH,
    RECORD,
    layer_call(
        "record_decision_with_author",
        "decide",
        {**_DECISION_TAKES, "author": To("string", "author", needed=True), "status": _STATUS},
        {
            **_RECORDED,
            "author": "shown.author",
            "status": "shown.memory.status",
            "message": As(layer_words.recorded, "action"),
        },
        then=_SHOWN,
    ),
    FILE,
    FILE_SUMMARY,
    SUMMARY,
    SYMBOL,
    layer_call(
        "check_conflicts",
        "check",
        {"code": To("string", "plan", needed=True)},
        {
            "has_conflicts": As(to_theirs.some, "conflicts"),
            "conflicts": Each(
                "conflicts",
                {
                    "decision_id": "memory.id",
                    "decision_title": "memory.title",
                    "decision_date": "memory.created_at",
                    "conflict_description": "why",
                },
            ),
        },
        departs="A conflict has no severity: who reads it judges.",
    ),
    layer_call(
        "get_related_tests",
        "file",
        {
            "file": _FILE,
            "function": To("string", why="The tests of a file are told as a whole."),
        },
        {"total": As(to_theirs.count, "tests"), "tests": As(layer_words.as_files, "tests")},
        fixed={"max_tokens": 0},
    ),
    layer_call(
        "list_projects",
        "projects",
        {},
        {
            "projects": Each(
                "projects",
                {
                    "id": "project",
                    "name": "name",
                    "path": "path",
                    "is_active": "here",
                    "last_accessed": "written_at",
                },
            ),
            "active_project": As(layer_words.active, "projects"),
        },
        departs="The store of another project is not opened to count what it holds.",
    ),
    layer_call(
        "switch_project",
        "status",
        _PROJECT_ID,
        {
            "message": As(layer_words.switched, "name"),
            "project": {"id": "project", "name": "name", "path": "worktree"},
        },
        sticks=True,
    ),
    layer_call("memory_refresh", "index", {}, None, fixed={"action": "refresh"}),
    layer_call("get_refresh_status", "status", {}, None),
    layer_call(
        "memory_ghost",
        "check",
        {"plan": To("string", "plan"), "files": To("array", "file")},
        None,
    ),
)
STATUS_CHANGED = layer_call(
    "update_decision_status",
    "revise",
    {"decision_id": To("string", "id", needed=True), "status": To(
        "string", "status", needed=True, choices=_STATUS.choices)},
    {
        "message": As(layer_words.changed_status, "asked.decision_id", "asked.status"),
        "decision_id": "id",
        "new_status": "asked.status",
        "superseded_by": Const(None),
    },
)  # fmt: skip
REPLACED = layer_call(
    "update_decision_status",
    "link",
    {
        "decision_id": To("string", "target", needed=True),
        "status": To("string", default="superseded", choices=("superseded",),
                     why="What is replaced is superseded."),
        "superseded_by": To("string", "source", needed=True),
    },
    {
        "message": As(layer_words.changed_status, "asked.decision_id", "asked.status"),
        "decision_id": "target",
        "new_status": "asked.status",
        "superseded_by": "source",
    },
    fixed={"relation": "SUPERSEDES"},
)  # fmt: skip
