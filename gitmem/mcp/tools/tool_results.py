"""The answer to a tool call, as text for the agent and as data.

Text that quotes memories or history is framed by a delimiter that nobody could have written into a
memory beforehand. Two of six hosts give their model only the data, so it begins with a notice that
says the same. Neither contains invisible characters or tags of a host.
"""

from __future__ import annotations

__all__ = ["NOTICE_ROOM", "ToolAnswer", "successful_answer", "failed_answer"]

import re
from typing import Any

from gitmem.app import App
from gitmem.clock import format_iso
from gitmem.errors import GitmemError
from gitmem.mcp.tools import profiles
from gitmem.mcp.tools.schemas import write_options_as_arguments
from gitmem.model.frozen import dataclass
from gitmem.operations.registry import Operation
from gitmem.text.fence import (
    NOTICE,
    data_notice,
    escape_data_for_model,
    escape_for_model,
    fence_text,
)

# Characters of the notice, with its key.
NOTICE_ROOM = 160
_COMMAND = re.compile(r"`gitmem ([a-z-]+)[^`]*`(?! in a shell)")


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """The answer to a call of a tool: text for the model, and data (None: there is none)."""

    text: str
    data: dict[str, Any] | None
    failed: bool = False

    @property
    def result(self) -> dict[str, Any]:
        """The result of ``tools/call`` as JSON."""
        content = [{"text": self.text, "type": "text"}]
        result: dict[str, Any] = {"content": content, "isError": self.failed}
        if self.data is not None:
            result["structuredContent"] = self.data
        return result


def successful_answer(
    app: App,
    operation: Operation,
    tool_name: str,
    text: str,
    data: dict[str, Any],
    quotation_source_note: str = "",
) -> ToolAnswer:
    """A successful answer; quotations of stored text are marked as data, for a model.

    ``quotation_source_note`` is added to the source that the mark names.
    """
    if operation.answer_quotes_stored_text:
        source = f"gitmem {tool_name}{quotation_source_note and f' ({quotation_source_note})'}"
        text = fence_text(text, source=source, delimiter=app.entropy(8).hex())
        data = {NOTICE: data_notice(f"gitmem {tool_name}", format_iso(app.now)), **data}
    else:
        text = escape_for_model(text)
    return ToolAnswer(text, data)


def failed_answer(error: GitmemError) -> ToolAnswer:
    """The answer to a failed call, with ``{"error": {"code", "message", "hint"}}`` as data."""
    fields = escape_data_for_model(
        {
            name: _in_a_shell(write_options_as_arguments(text))
            for name, text in error.as_json_object().items()
        }
    )
    text = f"{fields['message']} {fields['hint']}".strip()
    return ToolAnswer(text, {"error": fields}, failed=True)


def _in_a_shell(text: str) -> str:
    """The text, with "in a shell" after each command that is no tool of the default list."""
    return _COMMAND.sub(
        lambda match: match[0] if match[1] in profiles.DEFAULT else f"{match[0]} in a shell", text
    )
