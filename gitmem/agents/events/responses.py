"""Answering a host in its own way, with no more than it takes.

A hook's output is counted by its host: one character too many and the whole of it is cut to a
preview, or dropped without a word. So every answer is cut here, at the end of a line, below a bound
that is safely under the host's own. JSON is written in ASCII: no code page can lose it, and its
characters and its bytes are the same number.
"""

from __future__ import annotations

from gitmem.agents.hosts import registry

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Callable

    from gitmem.agents.events.hook_event import Moment

_CUT = "(cut: this host accepts no more; `gitmem orient` shows all of it)"


def injects(moment: Moment) -> bool:
    """Whether text can reach the model at this event of this host."""
    reply = registry.find(moment.agent).reply
    return moment.event in reply.heard_in.get(moment.dialect, reply.heard)


def waits(moment: Moment) -> bool:
    """Whether text of this event is kept for the next one at which it reaches the model."""
    return moment.event in registry.find(moment.agent).reply.heard_later


def cap(agent: str, event: str) -> int:
    """Characters (and bytes) of the whole output that this host surely takes."""
    del event  # the same for all of a host's events, as far as is known
    return registry.find(agent).reply.cap


def silent(agent: str, event: str) -> bytes:
    """What this host takes for an answer that says nothing."""
    reply = registry.find(agent).reply
    return reply.own_silence.get(event, reply.silence)


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
    reply = registry.find(moment.agent).reply
    if reply.wrap is None:
        return text.encode("utf-8", "replace")
    return _json(reply.wrap(reply.heard[moment.event], text, moment.dialect))


def _json(value: object) -> bytes:
    import json  # noqa: PLC0415 - not for hosts that read plain text, nor for silence

    return json.dumps(value, separators=(",", ":")).encode("ascii")


def _size(moment: Moment) -> Callable[[str], int]:
    """How much a piece of text adds to the output."""
    if registry.find(moment.agent).reply.wrap is None:
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
