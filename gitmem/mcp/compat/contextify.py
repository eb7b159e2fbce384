"""The thirteen tools of Contextify (CT-16)."""

from __future__ import annotations

from typing import Any

from gitmem.mcp.compat import sifts, to_ours, to_theirs
from gitmem.mcp.compat.answer_shape import As, Const, Each
from gitmem.mcp.compat.documented_call import CONTEXTIFY, REPOSITORY, Call, Path, Step, To

_PROJECT = To("string", REPOSITORY, why="A folder, or a name or key of `gitmem projects`.")
_ID = To("string", "id", needed=True)
_TYPE = To("string", "kind", change=to_ours.known_kind)
_IMPORTANT = To("number", sift=sifts.at_least("importance"))
_TITLED = "Their summary is the first line of the content where a memory has no title."


def _memory(at: str = "") -> dict[str, Any]:
    """A memory at a path, by their names."""
    path = f"{at}." if at else ""
    return {
        "id": f"{path}id",
        "title": f"{path}title",
        "content": f"{path}content",
        "summary": As(to_theirs.first_line, f"{path}content"),
        "type": As(to_theirs.in_words_of(to_theirs.CONTEXTIFY_TYPES), f"{path}kind"),
        "scope": f"{path}scope",
        "project_id": "here.project",
        "agent_source": f"{path}agent",
        "tags": f"{path}tags",
        "importance": f"{path}importance",
        "created_at": f"{path}created_at",
        "updated_at": f"{path}updated_at",
        "expires_at": f"{path}expires_at",
        "version": f"{path}version",
        "replaced_by": f"{path}superseded_by",
    }


_SHOWN = {"shown": Step("show", {"id": Path("id")})}
_FOUND = {
    "results": Each(
        "memories",
        {"memory": _memory(), "score": "score", "match_type": As(to_theirs.match_type, "why")},
    )
}
_LISTED = "Their answer is a bare list; structured content has to be an object: `results`."

CALLS: tuple[Call, ...] = (
    Call(
        CONTEXTIFY,
        ("store_memory",),
        "remember",
        {
            "title": To("string", "title"),
            "content": To("string", "text", needed=True),
            "summary": To("string", why="The first line of the content sums it up."),
            "type": To("string", "kind", "general", change=to_ours.known_kind),
            "scope": To(
                "string",
                "layer",
                "project",
                choices=("project", "global"),
                why="The layer of that name: a time to live does not make it working.",
            ),
            "project_id": _PROJECT,
            "agent_source": To("string", why="The client of the connection is its agent."),
            "tags": To("array", "tag"),
            "importance": To("number", "importance"),
            "ttl_seconds": To("integer", "ttl", change=to_ours.seconds),
        },
        {
            "action": As(to_theirs.stored, "action", "duplicate_of"),
            "memory": _memory("shown.memory"),
            "suggestions": As(to_theirs.suggestions, "duplicate_of", "similarity", "action"),
        },
        then=_SHOWN,
        departs="It never expires unless ttl_seconds is given (there: after a day). A solution is "
        "kept as a fix.",
    ),
    Call(
        CONTEXTIFY,
        ("recall_memories",),
        "recall",
        {
            "query": To("string", "query", "*"),
            "project_id": _PROJECT,
            "tags": To("array", "tag"),
            "type": _TYPE,
            "min_importance": _IMPORTANT,
            "limit": To("integer", "limit", 20),
        },
        _FOUND,
        page="memories",
        departs=_LISTED,
    ),
    Call(
        CONTEXTIFY,
        ("search_memories",),
        "recall",
        {
            "query": To("string", "query", "*"),
            "tags": To("array", "tag"),
            "type": _TYPE,
            "scope": To("string", "scope", choices=("project", "global")),
            "project_id": _PROJECT,
            "agent_source": To("string", "agent"),
            "min_importance": _IMPORTANT,
            "limit": To("integer", "limit", 20),
            "offset": To("integer", sift=sifts.skip),
        },
        _FOUND,
        page="memories",
        departs=_LISTED,
    ),
    Call(
        CONTEXTIFY,
        ("get_memory",),
        "show",
        {"memory_id": _ID},
        {**_memory("memory"), "access_count": "accesses"},
    ),
    Call(
        CONTEXTIFY,
        ("update_memory",),
        "revise",
        {
            "memory_id": _ID,
            "title": To("string", "title"),
            "content": To("string", "text"),
            "summary": To("string", why="The first line of the content sums it up."),
            "type": _TYPE,
            "tags": To("array", "tag"),
            "importance": To("number", "importance"),
        },
        {**_memory("shown.memory"), "access_count": "shown.accesses"},
        then=_SHOWN,
        departs=_TITLED,
    ),
    Call(
        CONTEXTIFY,
        ("delete_memory",),
        "forget",
        {"memory_id": _ID},
        {"message": Const("Deleted memory."), "id": "asked.memory_id"},
        departs="Archived: a person can restore it, and purge it.",
    ),
    Call(
        CONTEXTIFY,
        ("create_relationship",),
        "link",
        {
            "from_memory_id": To("string", "source", needed=True),
            "to_memory_id": To("string", "target", needed=True),
            "relationship": To("string", "relation", needed=True),
            "strength": To("number", "strength", 0.5),
            "context": To("string", "context"),
        },
        {
            "from_memory_id": "source",
            "to_memory_id": "target",
            "relationship": "relation",
            "strength": "asked.strength",
            "context": "asked.context",
        },
        departs="A relationship has no id of its own: its ends and its kind name it.",
    ),
    Call(
        CONTEXTIFY,
        ("get_related_memories",),
        "related",
        {
            "memory_id": _ID,
            "relationship_types": To("array", sift=sifts.of_relations),
        },
        {
            "memories": Each(
                "items",
                {
                    "id": "id",
                    "title": "title",
                    "type": As(to_theirs.in_words_of(to_theirs.CONTEXTIFY_TYPES), "kind"),
                },
            ),
            "relationships": Each(
                "items",
                {
                    "from_memory_id": As(to_theirs.outer_end, "direction", "via", "id"),
                    "to_memory_id": As(to_theirs.inner_end, "direction", "via", "id"),
                    "relationship": "relation",
                    "strength": "strength",
                    "context": "context",
                },
            ),
        },
        page="items",
        departs="Of each memory its id, title and type: get_memory has the rest.",
    ),
    Call(
        CONTEXTIFY,
        ("promote_memory",),
        "promote",
        {"memory_id": _ID},
        {
            "message": Const("Promoted memory to long-term storage."),
            "id": "asked.memory_id",
            "expires_at": "shown.memory.expires_at",
        },
        fixed={"to": "project"},
        then={"shown": Step("show", {"id": Path("asked.memory_id")})},
        departs="To the project layer, as there: not on to the global one.",
    ),
    Call(
        CONTEXTIFY,
        ("find_similar",),
        "recall",
        {
            "memory_id": To("string", sift=sifts.without_id, needed=True),
            "threshold": To("number", default=0.75, sift=sifts.at_least("similarity")),
            "limit": To("integer", "limit", 5),
        },
        {"results": Each("memories", {"memory": _memory(), "similarity": "similarity"})},
        fixed={"query": Path("before.memory.content", most=1000), "mode": "semantic"},
        first={"before": Step("show", {"id": Path("asked.memory_id")})},
        page="memories",
        departs=_LISTED + " The cosine is that of the model in use; 0.75 was chosen for another.",
    ),
)
# What waits of a pair there, by our word for its state.
_STATUS = {"rejected": "dismissed"}
CALLS += (
    Call(
        CONTEXTIFY,
        ("consolidate_memories",),
        "merge",
        {
            "target_id": To("string", "target", needed=True),
            "source_ids": To("array", "source", needed=True),
            "strategy": To(
                "string",
                "strategy",
                "smart_merge",
                choices=("latest_wins", "append", "smart_merge"),
            ),
        },
        {
            "memory": _memory("shown.memory"),
            "merged_count": As(to_theirs.count_done, "items"),
            "message": As(to_theirs.consolidated, "items", "id"),
        },
        then=_SHOWN,
        departs="`gitmem inbox undo` takes it back. What a person said no agent merges.",
    ),
    Call(
        CONTEXTIFY,
        ("suggest_consolidations",),
        "inbox",
        {"project_id": _PROJECT, "limit": To("integer", "limit", 10)},
        {
            "suggestions": Each(
                "items",
                {
                    "id": "id",
                    "memory_a_id": "memory",
                    "memory_b_id": "other",
                    "similarity": "confidence",
                    "status": As(to_theirs.in_words_of(_STATUS), "state"),
                    "project_id": "here.project",
                    "created_at": "created_at",
                    "memory_a": {"id": "memory", "title": "title", "content": "content"},
                    "memory_b": {"id": "other", "title": "other_title"},
                },
            ),
            "total": "found",
        },
        fixed={"action": "list"},
        page="items",
        sifts=((sifts.among("kind"), ("merge", "duplicate")),),
        departs="Of the two memories id and title: get_memory has the rest.",
    ),
)
# ML has a get_context too: which one is meant is said by what is given.
PROJECT_CONTEXT = Call(
    CONTEXTIFY,
    ("get_context",),
    "list",
    {"project_id": _PROJECT},
    {"memories": Each("memories", _memory()), "total": "total"},
    fixed={"limit": 1000},
    page="memories",
    sifts=((sifts.most_important, 50),),
    departs="Their answer is a bare list; structured content has to be an object: `memories`. "
    "Fifty at most, by importance, the newest first.",
)
WAITING: dict[str, str] = {}
