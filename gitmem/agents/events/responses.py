"""How each host wants to be answered, and how much of an answer it takes.

A hook's output is counted by its host: one character too many and the whole of it is cut to a
preview, or dropped without a word. So every answer is cut here, at the end of a line, below a bound
that is safely under the host's own. JSON is written in ASCII: no code page can lose it, and its
characters and its bytes are the same number.
"""

from __future__ import annotations

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Callable

    from gitmem.agents.events.hook_event import Moment

# Claude Code, Copilot and VS Code show 10,000 characters and of one more only a preview.
_LARGE = 9_500
# Codex takes 2,500 tokens, counted as bytes / 4; this is under that even at three bytes a token.
_CODEX = 7_500
# Nothing is documented of these; they are given little.
_SMALL = 4_000
_CUT = "(cut: this host accepts no more; `gitmem orient` shows all of it)"

_SESSION, _PROMPT, _TOOL = "SessionStart", "UserPromptSubmit", "PostToolUse"
_CLAUDE = {
    "session-start": _SESSION,
    "prompt": _PROMPT,
    # `gitmem setup` makes these two asynchronous. Claude Code still delivers what they answer as
    # additionalContext, with the next turn; a plain text would be lost.
    "post-edit": _TOOL,
    "post-command": _TOOL,
}
# Events at which a host takes text into what the model reads, with the host's name for the event.
# Not among them: Claude's Stop, where additional context makes the model go on working; what
# Copilot CLI drops (at its prompt and tool events only VS Code reads the output); what comes before
# a compaction, and would be compacted with the rest.
_EVENTS: dict[str, dict[str, str]] = {
    "claude-code": _CLAUDE,
    "codex": _CLAUDE,
    "gemini": {
        "session-start": _SESSION,
        "prompt": "BeforeAgent",
        "post-edit": "AfterTool",
        "post-command": "AfterTool",
    },
    "copilot": {"session-start": _SESSION, "post-tool": _TOOL},
    "vscode": {"session-start": _SESSION, "post-tool": _TOOL},
    "cursor": {"session-start": "sessionStart"},
    "antigravity": {"pre-invocation": "PreInvocation"},
    "kimi": {"prompt": _PROMPT},
    "opencode": {"session-start": "session-start"},
}
_CAPS = {
    **dict.fromkeys(("claude-code", "copilot", "vscode", "gemini", "opencode"), _LARGE),
    "codex": _CODEX,
}
# Hosts that read one JSON object, also where there is nothing to say.
_OBJECTS = frozenset({"gemini", "antigravity", "cursor", "copilot", "vscode"})
_PLAIN = frozenset({"kimi", "opencode"})


def injects(moment: Moment) -> bool:
    """Whether text can reach the model at this event of this host."""
    if moment.dialect == "camel" and moment.event != "session-start":
        return False
    return moment.event in _EVENTS.get(moment.agent, ())


def cap(agent: str, event: str) -> int:
    """Characters (and bytes) of the whole output that this host surely takes."""
    del event  # the same for all of a host's events, as far as is known
    return _CAPS.get(agent, _SMALL)


def silent(agent: str, event: str) -> bytes:
    """What this host takes for an answer that says nothing."""
    if agent == "cursor" and event == "prompt":
        return b'{"continue":true}'
    return b"{}" if agent in _OBJECTS else b""


def say(moment: Moment, text: str) -> bytes:
    """The output that gives the text to the model; of a text too long the beginning.

    It is cut at the end of a line where it can be, a last line says so, and the line that closes a
    frame stays. Never more than ``cap``; ``silent`` for an empty text or where nothing reaches the
    model.
    """
    if not text or not injects(moment):
        return silent(moment.agent, moment.event)
    most = cap(moment.agent, moment.event)
    text = text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
    whole = _written(moment, text)
    if len(whole) <= most:
        return whole
    room = most - len(_written(moment, ""))
    return _written(moment, _shortened(text, room, _size(moment)))


def size(moment: Moment, text: str) -> int:
    """How many characters the whole output has that gives this text, before anything is cut."""
    return len(_written(moment, text))


def _written(moment: Moment, text: str) -> bytes:
    agent, name = moment.agent, _EVENTS[moment.agent][moment.event]
    if agent in _PLAIN:
        return text.encode("utf-8", "replace")
    if agent == "cursor":
        return _json({"additional_context": text})
    if agent == "antigravity":
        return _json({"injectSteps": [{"ephemeralMessage": text}]})
    if moment.dialect == "camel":
        return _json({"additionalContext": text})
    if moment.dialect == "failure":
        name += "Failure"
    # Codex refuses an object with any other key.
    return _json({"hookSpecificOutput": {"hookEventName": name, "additionalContext": text}})


def _json(value: object) -> bytes:
    import json  # noqa: PLC0415 - not for hosts that read plain text, nor for silence

    return json.dumps(value, separators=(",", ":")).encode("ascii")


def _size(moment: Moment) -> Callable[[str], int]:
    """How much a piece of text adds to the output."""
    if moment.agent in _PLAIN:
        return lambda piece: len(piece.encode("utf-8", "replace"))
    return lambda piece: len(_json(piece)) - 2


def _shortened(text: str, room: int, size: Callable[[str], int]) -> str:
    """The beginning of a text that with its last lines takes at most ``room``."""
    lines = text.split("\n")
    closing = lines.pop() if lines[-1].startswith("gitmem:") and lines[-1].endswith(">>>") else ""
    last = "\n".join(filter(None, (_CUT, closing)))
    left = room - size("\n" + last)
    kept: list[str] = []
    for line in lines:
        cost = size(line + "\n")
        if cost > left:
            break
        kept.append(line)
        left -= cost
    if not kept:  # one line longer than everything
        kept.append(_beginning(lines[0], left, size))
    return "\n".join((*kept, last))


def _beginning(line: str, room: int, size: Callable[[str], int]) -> str:
    low, high = 0, max(0, min(len(line), room))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if size(line[:middle]) <= room else (low, middle - 1)
    return line[:low]
