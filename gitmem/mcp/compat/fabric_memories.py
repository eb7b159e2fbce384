"""The tools of Context Fabric that keep, read, change and list memories (CF-39 to CF-45)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gitmem.mcp.compat import sifts, to_ours, to_theirs
from gitmem.mcp.compat.answer_shape import As, Const, Each, When
from gitmem.mcp.compat.documented_call import FABRIC, REPOSITORY, Call, Choice, Path, Step, To

PROJECT = To("string", REPOSITORY, why="A folder, or a name or key of `gitmem projects`.")
SESSION = To("string", why="A connection has one session, which is found by the client.")
ID = To("string", "id", needed=True)
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
    {"memoryId": ID, "projectPath": PROJECT},
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
        "memoryId": ID,
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
SHOWN = {"shown": Step("show", {"id": Path("asked.memoryId")})}
PROMOTED: dict[str, Any] = {
    "success": Const(True),
    "memoryId": "shown.memory.id",
    "newLayer": layer("shown.memory.layer"),
}


def _marked(operation: str) -> Call:
    return Call(
        FABRIC,
        ("context.update",),
        operation,
        {
            "memoryId": ID,
            "pinned": To("boolean", why="Changed by itself: one call does one thing."),
            "projectPath": PROJECT,
        },
        _UPDATE.answers,
        then=SHOWN,
    )


def counts(at: str) -> dict[str, Any]:
    """How many memories each layer has, of a status that is found at this path."""
    return {
        "l1": As(to_theirs.working, "listed.memories"),
        "l2": As(to_theirs.lasting, f"{at}memories", "listed.memories"),
        "l3": f"{at}global_memories",
        "total": As(to_theirs.total, f"{at}memories", f"{at}global_memories"),
        "pinned": {"l2": "pinned_here.total", "l3": "pinned_everywhere.total"},
    }


COUNTED = {
    "listed": Step("list", {"scope": "project", "limit": 1000}),
    "pinned_here": Step("list", {"pinned": True, "scope": "project"}),
    "pinned_everywhere": Step("list", {"pinned": True, "scope": "global"}),
}


def _recalls(modes: Mapping[str, Mapping[str, int]] | None) -> dict[str, int]:
    return {f"recall.{mode}": one["count"] for mode, one in (modes or {}).items()}


def _histograms(modes: Mapping[str, Mapping[str, int]] | None) -> dict[str, Mapping[str, int]]:
    return {f"recall.{mode}.ms": one for mode, one in (modes or {}).items()}


_METRICS = Call(
    FABRIC,
    ("context.metrics",),
    "stats",
    {"projectPath": PROJECT, "reset": To("boolean", why="Kept by day, of all processes.")},
    {
        "stats": counts("now."),
        "counters": As(_recalls, "latencies"),
        "histograms": As(_histograms, "latencies"),
        "reset": Const(False),
    },
    fixed={"metrics": True},
    then={"now": Step("status", {}), **COUNTED},
    says="Count memories by layer, and show how long recalls took by mode.",
    departs="Of the last 30 days and of all processes; nothing is reset. Times are rounded up to a "
    "power of two. What is stored is counted by `gitmem stats --funnel`, not by layer.",
)
CALLS: tuple[Call, ...] = (
    _METRICS,
    _STORE,
    _GET,
    Call(
        FABRIC,
        ("context.delete",),
        "forget",
        {"memoryId": ID, "projectPath": PROJECT},
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
                    "memoryId": ID,
                    "targetLayer": To("integer", "to", needed=True, change=to_ours.layer),
                    "projectPath": PROJECT,
                },
                PROMOTED,
                then=SHOWN,
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
                counts(""),
                then=COUNTED,
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
