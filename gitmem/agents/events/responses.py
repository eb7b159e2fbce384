"""Writing a hook's answer in the format of its host, within the host's limit.

A host that gets one character too many shows a preview of the output or drops it silently. So each
answer is cut here at the end of a line, safely under the limit. JSON is written in ASCII: no code
page can damage it, and it has as many characters as bytes.
"""

from __future__ import annotations

from gitmem.agents.hosts import registry

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Callable

    from gitmem.agents.events.hook_event import HookEvent

_CUT = "(cut: this host accepts no more; `gitmem orient` shows all of it)"


def hook_text_reaches_model(hook_event: HookEvent) -> bool:
    """Whether the agent program gives its model the text that a hook prints at this event."""
    reply = registry.find_host(hook_event.agent).reply
    return hook_event.event in reply.heard_in.get(hook_event.dialect, reply.heard)


def is_hook_text_deferred(hook_event: HookEvent) -> bool:
    """Whether text for this event is to wait for the next prompt, where it reaches the model."""
    return hook_event.event in registry.find_host(hook_event.agent).reply.heard_later


def max_output_size(agent: str) -> int:
    """How many characters a hook may print so that the agent program surely takes all of them."""
    return registry.find_host(agent).reply.cap


def empty_answer(agent: str, event: str) -> bytes:
    """The bytes that a hook prints for an agent program when it has nothing to say at an event."""
    reply = registry.find_host(agent).reply
    return reply.own_silence.get(event, reply.silence)


def format_answer(hook_event: HookEvent, text: str) -> bytes:
    """The bytes that a hook prints so that the agent program gives ``text`` to its model.

    At most ``max_output_size`` characters: a longer text is cut, at the end of a line if possible;
    a last line says so, and the line that closes a quote stays. ``empty_answer`` if the text is
    empty or would not reach the model.
    """
    if not text or not hook_text_reaches_model(hook_event):
        return empty_answer(hook_event.agent, hook_event.event)
    most = max_output_size(hook_event.agent)
    text = text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
    whole = _encode(hook_event, text)
    if len(whole) <= most:
        return whole
    room = most - len(_encode(hook_event, ""))
    return _encode(hook_event, _shorten(text, room, _size(hook_event)))


def answer_size(hook_event: HookEvent, text: str) -> int:
    """How many characters a hook would print for a text, before any cut."""
    return len(_encode(hook_event, text))


def _encode(hook_event: HookEvent, text: str) -> bytes:
    reply = registry.find_host(hook_event.agent).reply
    if reply.wrap is None:
        return text.encode("utf-8", "replace")
    return _json(reply.wrap(reply.heard[hook_event.event], text, hook_event.dialect))


def _json(value: object) -> bytes:
    import json  # noqa: PLC0415 - not for hosts that read plain text, nor for silence

    return json.dumps(value, separators=(",", ":")).encode("ascii")


def _size(hook_event: HookEvent) -> Callable[[str], int]:
    """A function from a text to the characters that it adds to the output."""
    if registry.find_host(hook_event.agent).reply.wrap is None:
        return lambda piece: len(piece.encode("utf-8", "replace"))
    return lambda piece: len(_json(piece)) - 2


def _shorten(text: str, room: int, size: Callable[[str], int]) -> str:
    """The first lines of a text that fit into ``room`` together with the closing lines."""
    lines = text.split("\n")
    closing = lines.pop() if lines[-1].startswith("gitmem:") and lines[-1].endswith(">>>") else ""
    last = "\n".join(filter(None, (_CUT, closing)))
    room_left = room - size("\n" + last)
    fitting: list[str] = []
    for line in lines:
        cost = size(line + "\n")
        if cost > room_left:
            break
        fitting.append(line)
        room_left -= cost
    if not fitting:  # one line longer than everything
        fitting.append(_longest_prefix(lines[0], room_left, size))
    return "\n".join((*fitting, last))


def _longest_prefix(line: str, room: int, size: Callable[[str], int]) -> str:
    low, high = 0, max(0, min(len(line), room))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if size(line[:middle]) <= room else (low, middle - 1)
    return line[:low]
