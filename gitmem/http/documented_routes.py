"""Resource routes that three systems document, each answered as their tool of the same purpose.

The tools, with their arguments and fields, are those of the MCP profile ``compat``; a name in
braces is an argument in the path. Any tool of that profile can also be called by
``POST /api/v1/tools/NAME``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from gitmem.app import App
from gitmem.mcp.tools import calls, catalogue
from gitmem.mcp.tools.defaults import SessionState

# Method, path below ``/api/v1`` and tool.
ROUTES: tuple[tuple[str, str, str], ...] = (
    # Contextify
    ("POST", "/memories", "store_memory"),
    ("GET", "/memories", "search_memories"),
    ("POST", "/memories/search", "search_memories"),
    ("POST", "/memories/recall", "recall_memories"),
    ("POST", "/memories/merge", "consolidate_memories"),
    ("GET", "/memories/{memory_id}", "get_memory"),
    ("PUT", "/memories/{memory_id}", "update_memory"),
    ("PATCH", "/memories/{memory_id}", "update_memory"),
    ("DELETE", "/memories/{memory_id}", "delete_memory"),
    ("POST", "/memories/{memory_id}/promote", "promote_memory"),
    ("GET", "/memories/{memory_id}/related", "get_related_memories"),
    ("GET", "/memories/{memory_id}/duplicates", "find_similar"),
    ("POST", "/relationships", "create_relationship"),
    ("GET", "/suggestions", "suggest_consolidations"),
    ("POST", "/consolidate", "consolidate_memories"),
    ("GET", "/context/{project_id}", "get_context"),
    ("GET", "/analytics", "context.stats"),
    # MemoryLayer
    ("GET", "/dependencies", "get_dependencies"),
    ("GET", "/circular", "find_circular_deps"),
    ("GET", "/symbols/{name}", "get_symbol"),
    ("GET", "/decisions", "list_decisions"),
    ("POST", "/decisions", "record_decision"),
)
PROFILE = "compat"
# Names here of tools with arguments that a route fixes.
_FIXED: dict[str, tuple[str, dict[str, Any]]] = {
    "list_decisions": ("list_memories", {"kind": ["decision"]}),
}


def highest_effect_of_tool(tool_name: str) -> str:
    """The most that an MCP tool does: read, write or delete.

    Raises NotFound for an unknown tool.
    """
    return catalogue.find_tool(_FIXED.get(tool_name, (tool_name,))[0], PROFILE).effect


def call_tool(app: App, tool_name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Call an MCP tool; returns the data of its answer, or ``{"text"}`` if it has none.

    Raises NotFound for an unknown tool, and any GitmemError that the tool raises.
    """
    name, fixed = _FIXED.get(tool_name, (tool_name, {}))
    answer = calls.perform_tool_call(app, name, {**arguments, **fixed}, SessionState(), PROFILE)
    return answer.data if answer.data is not None else {"text": answer.text}


def arguments_from_query(tool_name: str, query_pairs: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """A dict of the arguments in a query string (pairs), in the types that the tool documents."""
    call = catalogue.find_tool(_FIXED.get(tool_name, (tool_name,))[0], PROFILE).call
    values: dict[str, Any] = {}
    for name, text in query_pairs:
        to = call.takes.get(name) if call is not None else None
        if to is not None and to.type == "array":
            values.setdefault(name, []).append(text)
        else:
            values[name] = _typed(text, to.type if to is not None else "string")
    return values


def _typed(text: str, type: str) -> Any:
    if type != "string":
        with suppress(ValueError, RecursionError):  # then the tool says what is wrong
            return json.loads(text)
    return text
