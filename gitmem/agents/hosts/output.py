"""What a hook printed, with the ways in which hosts read it.

On purpose not the code that writes those outputs: what is checked against itself is always right.
Every method raises InvalidInput for what a host would refuse.
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
class Output:
    """The text that a hook printed, without white space around it; never empty."""

    text: str

    def object(self) -> dict[str, Any]:
        """The one JSON object that it has to be."""
        try:
            value = json.loads(self.text)
        except (ValueError, RecursionError) as error:
            raise InvalidInput("its output is not one JSON object") from error
        if not isinstance(value, dict):
            raise InvalidInput("its output is not one JSON object")
        return value

    def key(self, name: str) -> str:
        """The text below a key of the object."""
        return text_of(self.object().get(name))

    def specific(self, event: str, *also: str, names: dict[str, str] | None = None) -> str:
        """The context for the model where several hosts look for it.

        Its event has to be the host's own: of ``names``, else the common ones, or one of ``also``.
        """
        inner = self.object().get("hookSpecificOutput")
        if inner is None:
            return ""
        if not isinstance(inner, dict):
            raise InvalidInput("hookSpecificOutput is not an object")
        wanted = ((names or {}).get(event) or _NAMES.get(event, ""), *also)
        if any(wanted) and inner.get("hookEventName") not in wanted:
            raise InvalidInput(f"hookEventName is not {' or '.join(wanted)}")
        return text_of(inner.get("additionalContext"))

    def plain(self, event: str) -> str:
        """Text that is no JSON: two events take it."""
        return self.text if event in ("session-start", "prompt") else ""

    def refuse(self, reason: str) -> NoReturn:
        """The host would not take it."""
        raise InvalidInput(reason)


def text_of(value: Any) -> str:
    """A value that has to be a text, or absent."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise InvalidInput("its output contains something other than text")
    return value
