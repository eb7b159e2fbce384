"""What a host makes of a hook's output: the text that it puts before its model, or why it does not.

Read here by each host's own rules, and on purpose not by the code that writes those outputs: what
is checked against itself is always right.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from gitmem.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Callable

# The event at which a host takes a session's orientation.
TOLD_AT = {
    "claude-code": "session-start",
    "codex": "session-start",
    "gemini": "session-start",
    "cursor": "session-start",
    "copilot": "session-start",
    "vscode": "session-start",
    "opencode": "session-start",
    "antigravity": "pre-invocation",
    "kimi": "prompt",
}
# Characters of one output, of which the host takes all; more is cut or dropped. Where nobody has
# published a number, the ceiling that gitmem gave itself.
CAPS = {"claude-code": 10_000, "codex": 10_000, "gemini": 10_000, "vscode": 10_000}
CEILING = 10_000
_NAMES = {
    "session-start": "SessionStart",
    "post-edit": "PostToolUse",
    "post-command": "PostToolUse",
    "prompt": "UserPromptSubmit",
}
_GEMINI_NAMES = {"prompt": "BeforeAgent", "post-edit": "AfterTool", "post-command": "AfterTool"}
_CODEX = frozenset(
    {"continue", "stopReason", "suppressOutput", "systemMessage", "hookSpecificOutput"}
)
_CODEX_INNER = frozenset({"hookEventName", "additionalContext", "env"})


def text(host: str, event: str, output: bytes) -> str:
    """The text that reaches the model, empty for none. Raises InvalidInput where it is refused."""
    try:
        told = output.decode("utf-8").strip()
    except UnicodeDecodeError as error:
        raise InvalidInput("its output is not UTF-8") from error
    if not told:
        return ""
    return _BY_HOST.get(host, _plain)(event, told)


def _plain(_event: str, told: str) -> str:
    return told


def _object(told: str) -> dict[str, Any]:
    try:
        value = json.loads(told)
    except (ValueError, RecursionError) as error:
        raise InvalidInput("its output is not one JSON object") from error
    if not isinstance(value, dict):
        raise InvalidInput("its output is not one JSON object")
    return value


def _text(value: Any) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise InvalidInput("its output contains something other than text")
    return value


def _specific(value: dict[str, Any], *names: str) -> str:
    inner = value.get("hookSpecificOutput")
    if inner is None:
        return ""
    if not isinstance(inner, dict):
        raise InvalidInput("hookSpecificOutput is not an object")
    if any(names) and inner.get("hookEventName") not in names:
        raise InvalidInput(f"hookEventName is not {' or '.join(names)}")
    return _text(inner.get("additionalContext"))


def _claude(event: str, told: str) -> str:
    """Plain text counts at two events; text that begins as JSON has to be JSON."""
    if told.startswith("{"):
        # Of a command that failed the event has a name of its own.
        more = ("PostToolUseFailure",) if event == "post-command" else ()
        return _specific(_object(told), _NAMES.get(event, ""), *more)
    return told if event in ("session-start", "prompt") else ""


def _codex(event: str, told: str) -> str:
    if not told.startswith(("{", "[")):
        return told if event in ("session-start", "prompt") else ""
    value = _object(told)
    inner = value.get("hookSpecificOutput")
    if set(value) - _CODEX or (isinstance(inner, dict) and set(inner) - _CODEX_INNER):
        raise InvalidInput("Codex rejects output with unknown keys")
    return _specific(value, _NAMES.get(event, ""))


def _gemini(event: str, told: str) -> str:
    return _specific(_object(told), (_NAMES | _GEMINI_NAMES).get(event, ""))


def _cursor(_event: str, told: str) -> str:
    return _text(_object(told).get("additional_context"))


def _copilot(_event: str, told: str) -> str:
    return _text(_object(told).get("additionalContext"))


def _vscode(event: str, told: str) -> str:
    value = _object(told)
    return _specific(value, _NAMES.get(event, "")) or _text(value.get("additionalContext"))


def _antigravity(_event: str, told: str) -> str:
    steps = _object(told).get("injectSteps", [])
    if not isinstance(steps, list) or not all(isinstance(one, dict) for one in steps):
        raise InvalidInput("injectSteps is not a list of objects")
    return "\n".join(_text(one.get("ephemeralMessage")) for one in steps)


def _windsurf(_event: str, told: str) -> str:
    raise InvalidInput(f"Windsurf shows the output to nobody, and it wrote {len(told)} characters")


_BY_HOST: dict[str, Callable[[str, str], str]] = {
    "claude-code": _claude,
    "codex": _codex,
    "gemini": _gemini,
    "cursor": _cursor,
    "copilot": _copilot,
    "vscode": _vscode,
    "antigravity": _antigravity,
    "windsurf": _windsurf,
}
