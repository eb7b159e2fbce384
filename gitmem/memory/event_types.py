"""The eight types of events that an agent reports, and the memory that each becomes. Pure.

Payloads come from many programs, so a value may have one of several names. Unknown keys are
ignored; a value of the wrong type is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from gitmem.clock import HOUR
from gitmem.errors import InvalidInput
from gitmem.memory.draft import MemoryDraft
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

# The keys that a payload may use for a value; the first present one counts.
_PATH = ("path", "filePath", "file_path", "file")
_PATHS = ("paths", "files", *_PATH)
_COMMAND = ("command", "cmd")
_OUTPUT = ("output", "stderr", "stdout", "result")
_ERROR = ("stack", "stackTrace", "stack_trace", "output", "error", "message")
_FIX = ("fix", "solution", "resolution")
_MESSAGE = ("message", "summary", "goal", "content", "text")
_TITLE = ("title", "decision", "name", "pattern")
_WHY = ("why", "rationale", "reason", "reasoning", "description", "context")
# The key that a payload stands for where it is plain text.
_WHOLE = {FILE: "path", COMMAND: "command", ERROR: "error", DECISION: "title", PATTERN: "name"}


@dataclass(frozen=True, slots=True)
class EventDraft:
    """The memory to make of an event that an agent reports, and its layer.

    The layer is working, project or global. ``captured``: nobody asked for it to be remembered, so
    it ends after a while.
    """

    draft: MemoryDraft
    layer: str
    captured: bool = True


@dataclass(frozen=True, slots=True)
class ReportedEvent:
    """An event that an agent reported, such as an opened file; ``type`` is one of ``TYPES``.

    ``memory`` is what is stored for it, None if that depends on the store. ``path`` is the file
    that was opened, ``output`` text that may contain an error, ``fix`` how the error was fixed,
    ``commit`` the fixing commit, ``text`` the command or the message; each may be empty.
    """

    type: str
    memory: EventDraft | None
    path: str = ""
    output: str = ""
    fix: str = ""
    commit: str = ""
    text: str = ""


def check_event_type(event_type: str) -> str:
    """The name of a type of events as in ``TYPES``. Raises InvalidInput for an unknown one."""
    name = event_type.strip().lower().replace("-", "_")
    if name not in TYPES:
        raise InvalidInput(
            f"There is no event of the type {event_type[:40]!r}.", f"Types: {', '.join(TYPES)}."
        )
    return name


def parse_event_payload(event_type: str, text: str) -> dict[str, Any]:
    """The dict of values in an event's payload, which is the text of a JSON object or plain text.

    Plain text becomes the main value of that type of event, such as ``path`` of ``file_opened``.
    Raises InvalidInput for a payload of more than 1 MiB and for broken JSON.
    """
    size = len(text.encode("utf-8", "replace"))
    if size > LARGEST:
        raise InvalidInput(
            f"The payload has {size:,} bytes; an event has at most {LARGEST:,}.",
            "Report the part that matters, such as the end of an output.",
        )
    if not text.lstrip("\ufeff \t\r\n").startswith("{"):
        return {_WHOLE.get(event_type, "message"): text} if text.strip() else {}
    from gitmem.memory.jsonl_input import parse_json_object  # noqa: PLC0415 - a text needs none

    return parse_json_object(text)


def reported_event_from_values(event_type: str, values: Mapping[str, Any]) -> ReportedEvent:
    """The ReportedEvent of this type, from a payload as ``parse_event_payload`` returns it.

    Raises InvalidInput if a value is wrong or missing.
    """
    return _READ[check_event_type(event_type)](values)


def _file(values: Mapping[str, Any]) -> ReportedEvent:
    path = _needed(FILE, values, _PATH)
    text = _text(values, ("content", "text"))
    return ReportedEvent(FILE, None, path=path, output=text[:OPENED_LENGTH])


def event_draft_of_opened_file(path: str, content: str) -> EventDraft:
    """The EventDraft for an opened file: its first 1,000 characters, kept for an hour."""
    draft = MemoryDraft(
        content=content[:OPENED_LENGTH],
        title=path[-200:],
        kind="file_context",
        tags=("file-opened",),
        paths=(path,),
        ttl_ms=HOUR,
    )
    return EventDraft(draft, "working")


def _command(values: Mapping[str, Any]) -> ReportedEvent:
    command = _needed(COMMAND, values, _COMMAND)
    output = _text(values, _OUTPUT)
    draft = MemoryDraft(
        content=f"$ {command[:OUTPUT_LENGTH]}\n{output[:OUTPUT_LENGTH]}",
        kind="command",
        tags=("command-executed",),
        ttl_ms=2 * HOUR,
    )
    return ReportedEvent(COMMAND, EventDraft(draft, "working"), output=output, text=command)


def _error(values: Mapping[str, Any]) -> ReportedEvent:
    parts = [_text(values, (name,)) for name in _ERROR]
    output = "\n".join(dict.fromkeys(part for part in parts if part.strip()))
    if not output:
        _needed(ERROR, values, ("error",))
    return ReportedEvent(
        ERROR,
        None,
        path=_text(values, _PATH),
        output=output,
        fix=_text(values, _FIX),
        commit=_text(values, ("commit", "sha")),
    )


def _decision(values: Mapping[str, Any]) -> ReportedEvent:
    title = _needed(DECISION, values, (*_TITLE, "content"))
    draft = MemoryDraft(
        content=_reasons(values, title),
        title=title,
        kind="decision",
        paths=_texts(values, _PATHS),
        tags=_texts(values, ("tags",)),
        importance=0.8,
    )
    return ReportedEvent(DECISION, EventDraft(draft, "project", captured=False))


def _marker(type: str, title: str, values: Mapping[str, Any]) -> ReportedEvent:
    text = _text(values, _MESSAGE)
    draft = MemoryDraft(
        content=text,
        title=title,
        kind="summary",
        tags=(type.replace("_", "-"),),
        ttl_ms=24 * HOUR,
    )
    return ReportedEvent(type, EventDraft(draft, "working"), text=text)


def _pattern(values: Mapping[str, Any]) -> ReportedEvent:
    name = _needed(PATTERN, values, (*_TITLE, *_MESSAGE))
    why, code = _reasons(values, name), _text(values, ("code", "example", "snippet"))
    block = {"code": code, "language": _text(values, ("language",))}
    draft = MemoryDraft(
        content="\n\n".join(filter(None, (why, code))) or name,
        title=name[:200] if why or code else "",
        kind="pattern",
        metadata={"codeBlock": block} if code else {},
        tags=_texts(values, ("tags",)),
        scope="global",
    )
    return ReportedEvent(PATTERN, EventDraft(draft, "global", captured=False))


def _feedback(values: Mapping[str, Any]) -> ReportedEvent:
    rating = values.get("rating")
    if rating is not None and (
        isinstance(rating, bool)
        or not isinstance(rating, int | float)
        or not 0 <= rating <= MOST_STARS
    ):
        raise InvalidInput(
            f"rating cannot be {str(rating)[:40]!r}.", f"Give a number from 0 to {MOST_STARS}."
        )
    text = _text(values, ("feedback", "comment", *_MESSAGE))
    if rating is None and not text.strip():
        _needed(FEEDBACK, values, ("feedback",))
    stars = "" if rating is None else f"Rated {rating:g}/{MOST_STARS}"
    draft = MemoryDraft(
        content=": ".join(part for part in (stars, text) if part),
        kind="relationship",
        tags=("user-feedback",),
        scope="global",
    )
    return ReportedEvent(FEEDBACK, EventDraft(draft, "global", captured=False))


_READ: dict[str, Callable[[Mapping[str, Any]], ReportedEvent]] = {
    FILE: _file,
    COMMAND: _command,
    ERROR: _error,
    DECISION: _decision,
    START: lambda values: _marker(START, "Session started", values),
    END: lambda values: _marker(END, "Session ended", values),
    PATTERN: _pattern,
    FEEDBACK: _feedback,
}


def _reasons(values: Mapping[str, Any], title: str) -> str:
    """Why, or else what is told besides the title."""
    texts = (_text(values, (name,)) for name in (*_WHY, *_MESSAGE))
    return next((text for text in texts if text not in ("", title)), "")


def _needed(type: str, values: Mapping[str, Any], names: tuple[str, ...]) -> str:
    text = _text(values, names)
    if not text.strip():
        raise InvalidInput(
            f"The payload of {type} has no {names[0]}.",
            f'Give it as JSON, such as {{"{names[0]}": "..."}}.',
        )
    return text


def _text(values: Mapping[str, Any], names: tuple[str, ...]) -> str:
    for name in names:
        value = values.get(name)
        if value is None or value == "":
            continue
        if not isinstance(value, str):
            raise InvalidInput(f"{name} is not a string.", f"Give {name} as a JSON string.")
        return value
    return ""


def _texts(values: Mapping[str, Any], names: tuple[str, ...]) -> tuple[str, ...]:
    for name in names:
        value = values.get(name)
        if isinstance(value, str) and value:
            return (value,)
        if isinstance(value, list) and value:
            if not all(isinstance(item, str) for item in value):
                raise InvalidInput(
                    f"{name} is not a list of strings.", f"Give {name} as a JSON list of strings."
                )
            return tuple(value)
    return ()
