"""The tools about history and its graph (CF-48, ML-33, CE-18): commits, past bugs, entities."""

from __future__ import annotations

from typing import Any

from gitmem.mcp.compat import to_ours, to_theirs
from gitmem.mcp.compat.answer_shape import As, Const, Each
from gitmem.mcp.compat.documented_call import ENGINE, FABRIC, LAYER, Call, Choice, To
from gitmem.mcp.compat.fabric_memories import PROJECT

_GRAPH = "context.graph.query"
_AS_OF = To("integer", "as_of", change=to_ours.moment)
_TYPE = To("string", "relation")
_DIRECTION = To("string", "direction", choices=("out", "in", "both"))


def _entity(key: str, title: str = "title") -> dict[str, Any]:
    return {
        "id": key,
        "kind": As(to_theirs.before_colon, key),
        "key": As(to_theirs.behind_colon, key),
        "name": title,
    }


_RELATIONSHIP = {
    "type": "relation",
    "fromEntityId": As(to_theirs.outer_end, "direction", "via", "key"),
    "toEntityId": As(to_theirs.inner_end, "direction", "via", "key"),
    "validFrom": As(to_theirs.milliseconds_if, "since"),
    "validUntil": As(to_theirs.milliseconds_if, "until"),
}


def _query(operation: str, takes: dict[str, To], answers: dict[str, Any], **more: Any) -> Call:
    return Call(
        FABRIC, (_GRAPH,), operation, {**takes, "projectPath": PROJECT}, answers, **more
    )  # fmt: skip


_OPERATIONS = {
    "neighbors": _query(
        "entity show",
        {
            "entityId": To("string", "entity", needed=True),
            "direction": _DIRECTION,
            "type": _TYPE,
            "asOf": _AS_OF,
        },
        {
            "neighbors": Each(
                "items",
                {"entity": _entity("key"), "relationship": _RELATIONSHIP, "direction": "direction"},
            )
        },
        fixed={"limit": 50},
    ),
    "lineage": _query(
        "entity lineage",
        {"entityId": To("string", "entity", needed=True)},
        {"lineage": Each("items", {**_entity("key"), "supersededBy": "via"})},
    ),
    "timeline": _query(
        "entity timeline",
        {"entityId": To("string", "entity", needed=True), "asOf": _AS_OF},
        {
            "timeline": Each(
                "items",
                {"type": "what", "entityId": "key", "name": "title",
                 "validFrom": As(to_theirs.milliseconds_if, "at")},
            )
        },
        fixed={"limit": 200},
    ),
    "path": _query(
        "entity path",
        {
            "fromEntityId": To("string", "source", needed=True),
            "toEntityId": To("string", "target", needed=True),
            "maxDepth": To("integer", "depth", 4),
            "asOf": _AS_OF,
        },
        {"path": Each("items", {**_entity("key"), "relationship": _RELATIONSHIP})},
    ),
    "decisions": _query(
        "list",
        {
            "asOf": _AS_OF,
            "currentOnly": To("boolean", "state", change=to_ours.current_only),
        },
        {
            "decisions": Each(
                "memories",
                {
                    "id": As(to_theirs.decision_key, "id"),
                    "kind": Const("decision"),
                    "key": "id",
                    "label": "title",
                    "name": "title",
                    "validFrom": As(to_theirs.milliseconds_if, "created_at"),
                },
            )
        },
        fixed={"kind": ["decision"], "limit": 1000},
    ),
}  # fmt: skip
CHOICES: tuple[Choice, ...] = (
    Choice(
        FABRIC,
        _GRAPH,
        "op",
        _OPERATIONS,
        (("fromEntityId", "path"), ("entityId", "neighbors")),
        "decisions",
        departs="An entity's id is kind:name (file:src/app.py, decision:ID, commit:ID, issue:#12), "
        "or any name that `gitmem entity show` takes. A path leads through no author or branch, "
        "and begins behind its source.",
    ),
)
_ERROR = To("string", "text", needed=True)
_BUG = {
    "id": As(to_theirs.either, "id", "commit"),
    "error": "subject",
    "similarity": As(to_theirs.percent, "score"),
    "date": "at",
    "cause": As(to_theirs.joined, "why"),
    "fix": "subject",
    "file": As(to_theirs.first, "paths"),
    "fix_diff": "patch",
}
CALLS: tuple[Call, ...] = (
    Call(
        LAYER,
        ("find_similar_bugs",),
        "similar-bugs",
        {"error": _ERROR, "limit": To("integer", "limit", 5)},
        {"total": As(to_theirs.count, "items"), "bugs": Each("items", _BUG), "message": "note"},
        fixed={"diff": True},
    ),
    Call(
        LAYER,
        ("suggest_fix",),
        "similar-bugs",
        {"error": _ERROR, "context": To("string", why="The error says where it was raised.")},
        {
            "total": As(to_theirs.count, "items"),
            "suggestions": Each(
                "items",
                {"confidence": As(to_theirs.percent, "score"), "fix": "subject",
                 "reason": As(to_theirs.joined, "why"), "diff": "patch",
                 "source": Const("history"),
                 "past_fix": {"date": "at", "file": As(to_theirs.first, "paths")}},
            ),
            "message": "note",
        },
        fixed={"diff": True},
        departs="Suggested is how the likest bugs of this repository were fixed; no advice that "
        "fits any program.",
    ),
    Call(
        ENGINE,
        ("get_commit_diff",),
        "diff",
        {
            "commit": To("string", "commit", "HEAD"),
            "path": To("string", "path"),
            "max_lines": To("integer", "lines", 300),
        },
        None,
    ),
    Call(
        ENGINE,
        ("lineage_answer",),
        "ask",
        {"query": To("string", "question", needed=True)},
        None,
        departs="Planned there without fields: `ask` answers with its sources.",
    ),
)  # fmt: skip
