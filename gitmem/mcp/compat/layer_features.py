"""What MemoryLayer says one works on and needs next: features and predicted files (ML-17, ML-29).

The names of the fields are those of its later versions; its documents describe the tools alone.
"""

from __future__ import annotations

from typing import Any

from gitmem.mcp.compat import layer_words, to_theirs
from gitmem.mcp.compat.answer_shape import As, Const, Each
from gitmem.mcp.compat.documented_call import Call, To
from gitmem.mcp.compat.memory_layer import layer_call

# Features that are listed there, the current one and five others (ML-29).
_RECENT = 6
_CURRENT = As(layer_words.current_feature, "features")
_PREDICTED: dict[str, Any] = {
    "files": As(layer_words.paths, "files"),
    "pre_fetched": Const(0),
}

PREDICTED = layer_call(
    "get_predicted_files",
    "predict",
    {
        "current_file": To("string", "path", needed=True),
        "query": To("string", "query", needed=True),
    },
    {
        "predicted_files": _PREDICTED["files"],
        "pre_fetched": _PREDICTED["pre_fetched"],
        "message": As(layer_words.predicted, "files"),
    },
    departs="Nothing is read ahead: pre_fetched is 0.",
)
PREDICTED_FILES = _PREDICTED
CALLS: tuple[Call, ...] = (
    PREDICTED,
    layer_call(
        "get_active_context",
        "feature list",
        {},
        {
            "summary": As(layer_words.feature_in_words, "features"),
            "current_feature": _CURRENT,
            "active_files": As(layer_words.active_files, "features"),
            "recent_changes": As(layer_words.recent_changes, "features"),
            "recent_queries": As(layer_words.recent_queries, "features"),
        },
        fixed={"limit": 1},
        departs="Changes are commits, with their subject and not their diff; how often a file was "
        "touched, when a question was asked and how long a feature took is not kept.",
    ),
    layer_call(
        "set_feature_context",
        "feature set",
        {
            "name": To("string", "name", needed=True),
            "files": To("array", why="Files belong to a feature as they are viewed."),
        },
        {
            "success": Const(True),
            "message": As(layer_words.tracking, "name"),
            "context_id": "name",
            "name": "name",
        },
        departs="A feature is known by its name.",
    ),
    layer_call(
        "list_recent_contexts",
        "feature list",
        {},
        {
            "current": _CURRENT,
            "recent": Each(
                "features",
                {
                    "id": "name",
                    "name": "name",
                    "files_count": As(to_theirs.count, "files"),
                    "changes_count": As(to_theirs.count, "commits"),
                    "status": As(layer_words.feature_status, "current", "idle"),
                    "last_active": "last_at",
                },
            ),
        },
        fixed={"limit": _RECENT},
        departs="Commits of the current feature alone are counted; durations are not kept.",
    ),
    layer_call(
        "switch_feature_context",
        "feature switch",
        {"context_id": To("string", "name", needed=True)},
        {
            "success": Const(True),
            "message": As(layer_words.back_to, "name"),
            "current": {
                "name": "name",
                "files": As(to_theirs.count, "files"),
                "changes": As(to_theirs.count, "commits"),
            },
        },
        departs="A feature that nobody has made is refused with a list of those there are.",
    ),
)
