"""The tool names of five other systems, with the call behind each.

Offered in the profile ``compat``, so that instructions written for these systems still work. The
tables are the texts in ``systems``, read at the first use: other profiles need them only for an
error. A name in ``WAITING`` cannot be answered correctly yet.
"""

from __future__ import annotations

import os
from functools import cache
from typing import Any

from gitmem.mcp.compat.emulated_tool import (
    CONTEXTIFY,
    ENGINE,
    EmulatedMultiActionTool,
    EmulatedTool,
)

_FOLDER = os.path.join(os.path.dirname(__file__), "systems")

CALLS: dict[str, EmulatedTool]
CHOICES: dict[str, EmulatedMultiActionTool]
# System -> the names that are not offered yet, and what each one waits for.
WAITING: dict[str, dict[str, str]]
# Their names of tools that are the same as ours.
SAME: dict[str, str] = {"set_session_defaults": "session_defaults"}


def __getattr__(name: str) -> Any:
    if name not in ("CALLS", "CHOICES", "WAITING"):
        raise AttributeError(name)
    return getattr(_tables(), name.lower())


@cache
def _tables() -> Any:
    from gitmem.mcp.compat import (  # noqa: PLC0415 - for who asks for a name of another system
        answer_converters,
        context_engine_answers,
        context_fabric_answers,
        memory_layer_answers,
        tables,
    )

    texts = {
        "context_fabric": context_fabric_answers,
        "context_cache": answer_converters,
        "memory_layer": memory_layer_answers,
        "contextify": answer_converters,
        "context_engine": context_engine_answers,
    }
    loaded = tables.EmulatedToolRegistry()
    for name, words in texts.items():
        with open(os.path.join(_FOLDER, f"{name}.txt"), encoding="utf-8") as file:
            loaded.add_tools_from_table(file.read(), words)
    return loaded


def why_tool_unavailable(tool_name: str) -> str:
    """Why another system's tool cannot be answered yet; "" if it can, or if it is unknown."""
    return next(
        (names[tool_name] for names in _tables().waiting.values() if tool_name in names), ""
    )


def tools_of_system(system_name: str) -> list[str]:
    """The tools of a system (``Context Engine`` ...) that gitmem answers, in its table's order."""
    calls, choices = _tables().calls, _tables().choices
    names = [name for name, call in (calls | choices).items() if call.system == system_name]
    # A name of two systems is listed with both.
    names += ["get_context"] * (system_name == CONTEXTIFY)
    return names + list(SAME) * (system_name == ENGINE)
