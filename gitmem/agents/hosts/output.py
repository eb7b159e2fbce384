"""Reading a hook's output as hosts do, for `gitmem doctor --live`.

Deliberately separate from the code that writes the output, which it checks. Every method raises
InvalidInput for what a host would refuse.
"""

from __future__ import annotations

import json
from typing import Any, NoReturn

from gitmem.errors import InvalidInput
from gitmem.model.frozen import dataclass

_NAMES = {
    "session-start": "SessionStart",
    "post-edit": "PostToolUse",
    "post-command": "PostToolUse",
    "prompt": "UserPromptSubmit",
}


@dataclass(frozen=True, slots=True)
class HookOutput:
    """The text that a hook printed, read as its agent program would; never empty."""

    text: str

    def json_object(self) -> dict[str, Any]:
        """The output, read as one JSON object. Raises InvalidInput if it is anything else."""
        try:
            value = json.loads(self.text)
        except (ValueError, RecursionError) as error:
            raise InvalidInput("the hook's output is not one JSON object") from error
        if not isinstance(value, dict):
            raise InvalidInput("the hook's output is not one JSON object")
        return value

    def text_at_key(self, key: str) -> str:
        """The text at the key ``key`` of the JSON object; empty if there is none."""
        return read_optional_text(self.json_object().get(key))

    def additional_context(
        self, event: str, *other_event_names: str, names_by_event: dict[str, str] | None = None
    ) -> str:
        """The text at ``additionalContext`` that several agent programs give to the model; or "".

        ``event`` is gitmem's name of it. The output has to name the event as in ``names_by_event``,
        else as Claude Code does, or by one of ``other_event_names``. Raises InvalidInput.
        """
        if event == "stop":
            decided = self.json_object().get("decision")
            return self.text_at_key("reason") if decided == "block" else ""
        inner = self.json_object().get("hookSpecificOutput")
        if inner is None:
            return ""
        if not isinstance(inner, dict):
            raise InvalidInput("hookSpecificOutput in the hook's output is not an object")
        name = ((names_by_event or {}).get(event) or _NAMES.get(event, ""), *other_event_names)
        if any(name) and inner.get("hookEventName") not in name:
            raise InvalidInput(f"hookEventName in the hook's output is not {' or '.join(name)}")
        return read_optional_text(inner.get("additionalContext"))

    def plain_text(self, event: str) -> str:
        """The output as plain text; empty at events at which that does not reach the model."""
        return self.text if event in ("session-start", "prompt") else ""

    def raise_invalid_output(self, reason: str) -> NoReturn:
        """Raise InvalidInput with ``reason``: the agent program would not accept the output."""
        raise InvalidInput(reason)


def read_optional_text(value: Any) -> str:
    """Return ``value`` if it is a text, "" for None. Raises InvalidInput for anything else."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise InvalidInput("a value in the hook's output is not a text")
    return value
