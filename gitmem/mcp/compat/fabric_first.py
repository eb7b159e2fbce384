"""Names of Context Fabric's first versions, which its later ones folded into other calls.

They were documented with arguments and fields of their own, and instructions written for them are
still about.
"""

from __future__ import annotations

from gitmem.mcp.compat import fabric_words, to_ours
from gitmem.mcp.compat.answer_shape import As, Each
from gitmem.mcp.compat.documented_call import FABRIC, Call, Step, To
from gitmem.mcp.compat.fabric_memories import (
    COUNTED,
    ID,
    PROJECT,
    PROMOTED,
    SESSION,
    SHOWN,
    counts,
    memory,
)

_COUNTS = counts("")
CALLS: tuple[Call, ...] = (
    Call(
        FABRIC,
        ("context.ghost",),
        "context",
        {
            "sessionId": SESSION,
            "trigger": To("string", why="A message says itself what it is for."),
            "currentContext": To("string", "command"),
            "projectPath": PROJECT,
        },
        {
            "messages": Each(
                "now.ghost_messages",
                {
                    "id": "memory",
                    "role": "role",
                    "content": "content",
                    "timestamp": "clock.utc",
                    "trigger": "trigger",
                },
            ),
            "relevantMemories": Each("now.relevant", memory("memory", ms=False)),
            "suggestedActions": "now.suggestions",
        },
        then={"clock": Step("time", {})},
        departs="Later versions tell the same in context.getCurrent.",
    ),
    Call(
        FABRIC,
        ("context.promote",),
        "promote",
        {
            "memoryId": ID,
            "fromLayer": To("integer", "to", needed=True, change=to_ours.layer_above),
            "projectPath": PROJECT,
        },
        PROMOTED,
        then=SHOWN,
        departs="The memory keeps its id; to layer 3 a person has to agree. Later versions do it "
        "with context.update.",
    ),
    Call(
        FABRIC,
        ("context.stats",),
        "status",
        {"projectPath": PROJECT},
        {
            "l1": {"count": _COUNTS["l1"]},
            "l2": {
                "count": _COUNTS["l2"],
                "pinned": "pinned_here.total",
                "byType": As(fabric_words.by_type, "listed.memories"),
            },
            "l3": {"count": _COUNTS["l3"], "pinned": "pinned_everywhere.total"},
            "total": _COUNTS["total"],
        },
        then=COUNTED,
        departs="Later versions tell it with context.list; types are of the newest 1,000.",
    ),
)
