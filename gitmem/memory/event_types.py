"""The eight types of events that an agent reports, and what is to be kept of each (CF-37). Pure.

A payload comes from whatever reports, so that a value may have one of several names; what is not
known is let go, and what has the wrong form is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from gitmem.clock import HOUR
from gitmem.errors import InvalidInput
from gitmem.memory.draft import Draft
from gitmem.model.frozen import dataclass

TYPE_CHECKING = False  # importing typing costs 4 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from typing import Any

LARGEST = 1 << 20  # bytes of a payload
OPENED_LENGTH, OUTPUT_LENGTH = 1_000, 500
MOST_STARS = 5

FILE, COMMAND, ERROR, DECISION = (
    "file_opened",
    "command_executed",
    "error_occurred",
    "decision_made",
)
START, END, PATTERN, FEEDBACK = "session_start", "session_end", "pattern_detected", "user_feedback"
TYPES = (FILE, COMMAND, ERROR, DECISION, START, END, PATTERN, FEEDBACK)

# What a payload calls a value, the first that is there.
_PATH = ("path", "filePath", "file_path", "file")
_PATHS = ("paths", "files", *_PATH)
_COMMAND = ("command", "cmd")
_OUTPUT = ("output", "stderr", "stdout", "result")
_ERROR = ("stack", "stackTrace", "stack_trace", "output", "error", "message")
_FIX = ("fix", "solution", "resolution")
_SAID = ("message", "summary", "goal", "content", "text")
_TITLE = ("title", "decision", "name", "pattern")
_WHY = ("why", "rationale", "reason", "reasoning", "description", "context")
# What a payload that is a text and no object says.
_WHOLE = {FILE: "path", COMMAND: "command", ERROR: "error", DECISION: "title", PATTERN: "name"}


@dataclass(frozen=True, slots=True)
class Kept:
    """What is kept of an event: ``captured`` is what nobody asked to keep, ``layer`` where."""

    draft: Draft
    layer: str
    captured: bool = True


@dataclass(frozen=True, slots=True)
class Told:
    """An event as it was reported.

    ``path`` is the file that was opened, ``output`` what may hold an error, ``fix`` what mended it
    and ``commit`` where; each is empty where the event does not speak of it.
    """

    type: str
    kept: Kept | None
    path: str = ""
    output: str = ""
    fix: str = ""
    commit: str = ""
    said: str = ""


def check(type: str) -> str:
    """The type, if there is such a one. Raises InvalidInput."""
    name = type.strip().lower().replace("-", "_")
    if name not in TYPES:
        raise InvalidInput(
            f"There is no event of the type {type[:40]!r}.", f"Types: {', '.join(TYPES)}."
        )
    return name


def payload(type: str, text: str) -> dict[str, Any]:
    """The values of a payload: a JSON object, or the plain text of what the type is mostly about.

    Raises InvalidInput for what is too large or broken.
    """
    size = len(text.encode("utf-8", "replace"))
    if size > LARGEST:
        raise InvalidInput(
            f"The payload has {size:,} bytes; an event has at most {LARGEST:,}.",
            "Report the part that matters, such as the end of an output.",
        )
    if not text.lstrip("\ufeff \t\r\n").startswith("{"):
        return {_WHOLE.get(type, "message"): text} if text.strip() else {}
    from gitmem.memory.jsonl_input import json_object  # noqa: PLC0415 - a text needs none

    return json_object(text)


def read(type: str, values: Mapping[str, Any]) -> Told:
    """What an event tells and what is to be kept of it. Raises InvalidInput."""
    return _READ[check(type)](values)


def _file(values: Mapping[str, Any]) -> Told:
    path = _needed(FILE, values, _PATH)
    text = _text(values, ("content", "text"))
    return Told(FILE, None, path=path, output=text[:OPENED_LENGTH])


def opened(path: str, content: str) -> Kept:
    """What is kept of a file that was opened: its first characters, for an hour."""
    draft = Draft(
        content=content[:OPENED_LENGTH],
        title=path[-200:],
        kind="file_context",
        tags=("file-opened",),
        paths=(path,),
        ttl_ms=HOUR,
    )
    return Kept(draft, "working")


def _command(values: Mapping[str, Any]) -> Told:
    command = _needed(COMMAND, values, _COMMAND)
    output = _text(values, _OUTPUT)
    draft = Draft(
        content=f"$ {command[:OUTPUT_LENGTH]}\n{output[:OUTPUT_LENGTH]}",
        kind="command",
        tags=("command-executed",),
        ttl_ms=2 * HOUR,
    )
    return Told(COMMAND, Kept(draft, "working"), output=output, said=command)


def _error(values: Mapping[str, Any]) -> Told:
    parts = [_text(values, (name,)) for name in _ERROR]
    output = "\n".join(dict.fromkeys(part for part in parts if part.strip()))
    if not output:
        _needed(ERROR, values, ("error",))
    return Told(
        ERROR,
        None,
        path=_text(values, _PATH),
        output=output,
        fix=_text(values, _FIX),
        commit=_text(values, ("commit", "sha")),
    )


def _decision(values: Mapping[str, Any]) -> Told:
    title = _needed(DECISION, values, (*_TITLE, "content"))
    draft = Draft(
        content=_text(values, _WHY),
        title=title,
        kind="decision",
        paths=_texts(values, _PATHS),
        tags=_texts(values, ("tags",)),
        importance=0.8,
    )
    return Told(DECISION, Kept(draft, "project", captured=False))


def _marker(type: str, title: str, values: Mapping[str, Any]) -> Told:
    said = _text(values, _SAID)
    draft = Draft(
        content=said,
        title=title,
        kind="summary",
        tags=(type.replace("_", "-"),),
        ttl_ms=24 * HOUR,
    )
    return Told(type, Kept(draft, "working"), said=said)


def _pattern(values: Mapping[str, Any]) -> Told:
    name = _needed(PATTERN, values, (*_TITLE, *_SAID))
    parts = (_text(values, _WHY), _text(values, ("code", "example", "snippet")))
    draft = Draft(
        content="\n\n".join(part for part in parts if part) or name,
        title=name[:200] if any(parts) else "",
        kind="pattern",
        tags=_texts(values, ("tags",)),
        scope="global",
    )
    return Told(PATTERN, Kept(draft, "global", captured=False))


def _feedback(values: Mapping[str, Any]) -> Told:
    rating = values.get("rating")
    if rating is not None and (
        isinstance(rating, bool)
        or not isinstance(rating, int | float)
        or not 0 <= rating <= MOST_STARS
    ):
        raise InvalidInput(
            f"rating is {str(rating)[:40]!r}.", f"Give a number from 0 to {MOST_STARS}."
        )
    said = _text(values, ("feedback", "comment", *_SAID))
    if rating is None and not said.strip():
        _needed(FEEDBACK, values, ("feedback",))
    stars = "" if rating is None else f"Rated {rating:g}/{MOST_STARS}"
    draft = Draft(
        content=": ".join(part for part in (stars, said) if part),
        kind="relationship",
        tags=("user-feedback",),
        scope="global",
    )
    return Told(FEEDBACK, Kept(draft, "global", captured=False))


_READ: dict[str, Callable[[Mapping[str, Any]], Told]] = {
    FILE: _file,
    COMMAND: _command,
    ERROR: _error,
    DECISION: _decision,
    START: lambda values: _marker(START, "Session started", values),
    END: lambda values: _marker(END, "Session ended", values),
    PATTERN: _pattern,
    FEEDBACK: _feedback,
}


def _needed(type: str, values: Mapping[str, Any], names: tuple[str, ...]) -> str:
    found = _text(values, names)
    if not found.strip():
        raise InvalidInput(
            f"The payload of {type} has no {names[0]}.",
            f'Give it as JSON, such as {{"{names[0]}": "..."}}.',
        )
    return found


def _text(values: Mapping[str, Any], names: tuple[str, ...]) -> str:
    for name in names:
        value = values.get(name)
        if value is None or value == "":
            continue
        if not isinstance(value, str):
            raise InvalidInput(f"{name} is {type(value).__name__}, not str.", "Give it as a text.")
        return value
    return ""


def _texts(values: Mapping[str, Any], names: tuple[str, ...]) -> tuple[str, ...]:
    for name in names:
        value = values.get(name)
        if isinstance(value, str) and value:
            return (value,)
        if isinstance(value, list) and value:
            if not all(isinstance(one, str) for one in value):
                raise InvalidInput(f"{name} is not a list of strings.", "")
            return tuple(value)
    return ()
