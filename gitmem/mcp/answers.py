"""What a tool call answers: text for the agent, and the same as data.

Text that quotes memories or history is fenced by a delimiter nobody could have written into a
memory beforehand; the data carries no invisible characters.
"""

from __future__ import annotations

from typing import Any

from mcp_types import CallToolResult, TextContent

from gitmem.app import App
from gitmem.errors import GitmemError
from gitmem.operations.registry import READ, Operation, plain
from gitmem.text.fence import frame, neutralise

_EMPTY = "Nothing."


def success(app: App, operation: Operation, result: Any) -> CallToolResult:
    """The answer to a call that went well."""
    text = operation.view(result) or _EMPTY
    if operation.effect == READ:
        delimiter = app.entropy(8).hex()
        text = frame(text, source=f"gitmem {operation.tool}", delimiter=delimiter)
    else:
        text = neutralise(text)
    return CallToolResult(
        content=[TextContent(type="text", text=text)], structured_content=clean(plain(result))
    )


def failure(error: GitmemError) -> CallToolResult:
    """The answer to a call that did not: ``{"error": {"code", "message", "hint"}}``."""
    told = clean(error.plain())
    text = f"{told['message']} {told['hint']}".strip()
    return CallToolResult(
        content=[TextContent(type="text", text=text)],
        structured_content={"error": told},
        is_error=True,
    )


def clean(value: Any) -> Any:
    """JSON values with every text neutralised, names included."""
    if isinstance(value, str):
        return neutralise(value)
    if isinstance(value, list):
        return [clean(item) for item in value]
    if isinstance(value, dict):
        return {neutralise(str(name)): clean(item) for name, item in value.items()}
    return value
