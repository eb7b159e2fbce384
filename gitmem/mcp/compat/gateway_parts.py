"""Calls of MemoryLayer as actions of its gateways, each under a field of its own (ML-22)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gitmem.mcp.compat.answer_shape import Const
from gitmem.mcp.compat.documented_call import Call, To
from gitmem.mcp.compat.layer_history import (
    CHANGED,
    CHANGELOG,
    EXISTING,
    EXISTING_FUNCTIONS,
    WHAT_CHANGED,
)
from gitmem.model.frozen import replace

SAID = {"include_confidence": To("boolean", why="Told where it is known.")}
SCOPE = To("string", why="The action says what is told.")


def inside(call: Call, field: str, takes: Mapping[str, To], answers: Any = None) -> Call:
    """A call whose answer is one field of a gateway's, and who answered."""
    return replace(
        call,
        names=(),
        takes=takes,
        answers={"sources_used": Const([call.names[0]]), field: answers or call.answers},
    )


EXISTING_ACTION = inside(
    EXISTING,
    "existing_functions",
    {
        "query": To("string", "query", needed=True),
        "max_results": To("integer", "limit", 5),
        **SAID,
    },
    EXISTING_FUNCTIONS,
)
CHANGED_ACTION = inside(
    WHAT_CHANGED,
    "changes",
    {**WHAT_CHANGED.takes, "since": To("string", "since", "7d"), "scope": SCOPE},
    {
        **{name: CHANGED[name] for name in ("period", "total_files", "by_author")},
        "recent": CHANGED["changes"],
    },
)
CHANGELOG_ACTION = inside(
    CHANGELOG,
    "changelog",
    {**CHANGELOG.takes, "scope": SCOPE},
    (CHANGELOG.answers or {})["days"],
)
