"""The tools of Context Fabric that keep, read, change and list memories (CF-39 to CF-45)."""

from __future__ import annotations

from typing import Any

from gitmem.mcp.compat import sifts, to_ours, to_theirs
from gitmem.mcp.compat.answer_shape import As, Const, Each, When
from gitmem.mcp.compat.documented_call import FABRIC, REPOSITORY, Call, Choice, Path, Step, To

PROJECT = To("string", REPOSITORY, why="A folder, or a name or key of `gitmem projects`.")
SESSION = To("string", why="A connection has one session, which is found by the client.")
_ID = To("string", "id", needed=True)
TAGS = To("array", "tag")
_TYPE = To("string", "kind")
_WEIGHT = To("integer", "weight")
_FACTS = {
    "tags": TAGS,
    "title": To("string", "title"),
    "weight": _WEIGHT,
    "source": To("string", why="Who says it is known by the connection (CF-8)."),
    "projectPath": PROJECT,
    "cliType": To("string", why="The client of the connection is its agent."),
    "fileContext": To("object", "path", change=to_ours.file_place),
}
_KEPT = "confidence, codeBlock, provenance and what else it holds are kept as metadata."
_METADATA = To("object", "metadata", inside=_FACTS, why=_KEPT)
_NEW_METADATA = To(
    "object",
    "metadata",
    inside={
        **_FACTS,
        "supersedes": To("string", "supersedes"),
        "dedupe": To(
            "object",
            "duplicates",
            change=to_ours.duplicates,
            why="Its strategy; a threshold is that of the model in use.",
        ),
    },
    why=_KEPT,
)


def memory(at: str = "", *, ms: bool = True) -> dict[str, Any]:
    """A memory at a path, by their names."""
    path = f"{at}." if at else ""
    created, updated = f"{path}created_at", f"{path}updated_at"
    return {
        "id": f"{path}id",
        "type": As(to_theirs.in_words_of(to_theirs.FABRIC_TYPES), f"{path}kind"),
        "content": f"{path}content",
        "metadata": {
            "title": f"{path}title",
            "tags": f"{path}tags",
            "weight": f"{path}weight",
            "source": f"{path}source",
        },
        "tags": f"{path}tags",
        "pinned": f"{path}pinned",
        "createdAt": As(to_theirs.milliseconds, created) if ms else created,
        "updatedAt": As(to_theirs.milliseconds, updated) if ms else updated,
    }


def layer(at: str) -> As:
    """The number of the layer at a path."""
    return As(to_theirs.layer_number, at)


_STORE = Call(
    FABRIC,
    ("context.store",),
    "remember",
    {
        "type": To("string", "kind", needed=True),
        "content": To("string", "text", needed=True),
        "metadata": _NEW_METADATA,
        "layer": To("integer", "layer", change=to_ours.layer),
        "ttl": To("integer", "ttl", change=to_ours.seconds),
        "pinned": To("boolean", "pin"),
    },
    {
        "id": "id",
        "success": Const(True),
        "layer": layer("layer"),
        "_dedupe": When(
            "duplicate_of",
            {
                "strategy": As(to_ours.duplicates, "asked.dedupe"),
                "similarity": "similarity",
                "existingId": "duplicate_of",
            },
        ),
    },
)
_GET = Call(
    FABRIC,
    ("context.get",),
    "show",
    {"memoryId": _ID, "projectPath": PROJECT},
    {
        "memory": {**memory("memory"), "accessCount": "accesses"},
        "layer": layer("memory.layer"),
    },
)
_UPDATE = Call(
    FABRIC,
    ("context.update",),
    "revise",
    {
        "memoryId": _ID,
        "content": To("string", "text"),
        "metadata": _METADATA,
        "tags": TAGS,
        "weight": _WEIGHT,
        "projectPath": PROJECT,
    },
    {
        "memory": memory("shown.memory"),
        "layer": layer("shown.memory.layer"),
        "success": Const(True),
    },
    then={"shown": Step("show", {"id": Path("id")})},
)
_SHOWN = {"shown": Step("show", {"id": Path("asked.memoryId")})}


def _marked(operation: str) -> Call:
    return Call(
        FABRIC,
        ("context.update",),
        operation,
        {
            "memoryId": _ID,
            "pinned": To("boolean", why="Changed by itself: one call does one thing."),
            "projectPath": PROJECT,
        },
        _UPDATE.answers,
        then=_SHOWN,
    )


CALLS: tuple[Call, ...] = (
    _STORE,
    _GET,
    Call(
        FABRIC,
        ("context.delete",),
        "forget",
        {"memoryId": _ID, "projectPath": PROJECT},
        {"success": Const(True), "deletedFrom": layer("before.memory.layer")},
        first={"before": Step("show", {"id": Path("asked.memoryId")})},
        departs="Archived: a person can restore it, and purge it.",
    ),
)
CHOICES: tuple[Choice, ...] = (
    Choice(
        FABRIC,
        "context.update",
        "",
        {
            "promote": Call(
                FABRIC,
                ("context.update",),
                "promote",
                {
                    "memoryId": _ID,
                    "targetLayer": To("integer", "to", needed=True, change=to_ours.layer),
                    "projectPath": PROJECT,
                },
                {
                    "success": Const(True),
                    "memoryId": "shown.memory.id",
                    "newLayer": layer("shown.memory.layer"),
                },
                then=_SHOWN,
            ),
            "pin": _marked("pin"),
            "unpin": _marked("unpin"),
            "update": _UPDATE,
        },
        (("targetLayer", "promote"), ("pinned=true", "pin"), ("pinned=false", "unpin")),
        "update",
        departs="One call promotes, pins or changes; a promoted memory keeps its id.",
    ),
    Choice(
        FABRIC,
        "context.list",
        "",
        {
            "stats": Call(
                FABRIC,
                ("context.list",),
                "status",
                {"stats": To("boolean"), "projectPath": PROJECT},
                {
                    "l1": As(to_theirs.working, "listed.memories"),
                    "l2": As(to_theirs.lasting, "memories", "listed.memories"),
                    "l3": "global_memories",
                    "total": As(to_theirs.total, "memories", "global_memories"),
                    "pinned": {"l2": "pinned.total", "l3": "pinned_everywhere.total"},
                },
                then={
                    "listed": Step("list", {"scope": "project", "limit": 1000}),
                    "pinned": Step("list", {"pinned": True, "scope": "project"}),
                    "pinned_everywhere": Step("list", {"pinned": True, "scope": "global"}),
                },
            ),
            "list": Call(
                FABRIC,
                ("context.list",),
                "list",
                {
                    "layer": To("integer", default=2, sift=sifts.in_layers),
                    "type": _TYPE,
                    "tags": TAGS,
                    "limit": To("integer", "limit", 20),
                    "offset": To("integer", default=0, sift=sifts.skip),
                    "projectPath": PROJECT,
                },
                {
                    "memories": Each("memories", memory()),
                    "total": "found",
                    "limit": "asked.limit",
                    "offset": "asked.offset",
                    "layer": "asked.layer",
                },
                page="memories",
            ),
        },
        (("stats=true", "stats"),),
        "list",
    ),
)
