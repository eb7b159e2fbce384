"""The tool names of five other systems: the documented call behind each, or why it waits.

Offered in the profile ``compat``, so that instructions and habits written for one of them go on
working. A name that cannot be answered rightly yet is in ``WAITING``.
"""

from __future__ import annotations

from gitmem.mcp.compat import (
    context_cache,
    context_engine,
    context_fabric,
    contextify,
    engine_searches,
    fabric_first,
    fabric_memories,
    fabric_skills,
    graph_calls,
    history_calls,
    layer_features,
    layer_history,
    layer_upkeep,
    memory_gateways,
    memory_layer,
)
from gitmem.mcp.compat.documented_call import CACHE, CONTEXTIFY, ENGINE, FABRIC, LAYER, Call, Choice

_TABLES = (
    *(fabric_memories, context_fabric, fabric_skills, fabric_first, context_cache),
    *(memory_layer, layer_upkeep),
    *(layer_features, layer_history),
    *(contextify, context_engine, engine_searches, graph_calls, history_calls),
)
CALLS: dict[str, Call] = {
    name: call for table in _TABLES for call in table.CALLS for name in call.names
}
CHOICES: dict[str, Choice] = {
    one.name: one
    for table in (fabric_memories, memory_gateways, engine_searches, graph_calls, history_calls)
    for one in table.CHOICES
}
# System -> the names that are not offered yet, and what each waits for.
WAITING: dict[str, dict[str, str]] = {
    FABRIC: context_fabric.WAITING,
    CACHE: context_cache.WAITING,
    LAYER: memory_gateways.WAITING,
    CONTEXTIFY: contextify.WAITING,
    ENGINE: context_engine.WAITING,
}
# Names of theirs that are tools of ours under another name, with nothing to translate.
SAME: dict[str, str] = {"set_session_defaults": "session_defaults"}


def waits_for(name: str) -> str:
    """What a name waits for; empty where it is none of theirs, or offered."""
    return next((names[name] for names in WAITING.values() if name in names), "")


def offered(system: str) -> list[str]:
    """The names of a system that are offered, in the order of its table."""
    found = [name for name, call in CALLS.items() if call.system == system]
    found += [name for name, one in CHOICES.items() if one.system == system]
    # A name of two systems is told with both.
    found += ["get_context"] * (system == CONTEXTIFY)
    return found + list(SAME) * (system == ENGINE)
