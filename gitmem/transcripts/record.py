"""A conversation in the making: what a format's reader found in the lines so far. Pure.

Everything is limited in size, and the oldest exchanges are dropped first, since the newest are
asked for most.
"""

from __future__ import annotations

import os
import re
from collections import Counter, deque
from collections.abc import Callable, Mapping
from typing import Any

from gitmem.clock import clamp_to_supported_years, parse_iso
from gitmem.errors import InvalidInput
from gitmem.model.exchange import FAILED, OK, Conversation, Exchange, ToolCall

MAX_USER, MAX_ASSISTANT = 32_000, 64_000  # characters of an exchange
MAX_TEXT = 24_000_000  # characters of a conversation
MAX_CALLS, MAX_PATHS, MAX_NAME_LENGTH, MAX_PATH_LENGTH = 400, 20, 200, 1000
CUT, DROPPED = "\n[cut]", "dropped"
_YEAR_2000 = 946_684_800_000
# Arguments of tools that name files; each may hold a list.
_PATH_KEYS = (
    *("file_path", "filePath", "path", "paths", "absolute_path", "notebook_path", "files"),
    *("dir_path", "filename"),
)
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)|^\*\*\* Move to: (.+)", re.M)
_FRAME = re.compile(r"<<<(gitmem:[A-Za-z0-9]{8,64}) .*?(?:\1>>>|\Z)", re.S)


class ConversationRecord:
    """A conversation as far as its transcript was read; ``make_conversation`` returns it.

    ``tags`` are names of tags by which the agent program speaks to its model in the user's name.
    ``place`` makes a path relative to the repository, given the folder it is relative to.
    ``counts`` counts what could not be read, by reason.
    """

    def __init__(self, tags: tuple[str, ...], place: Callable[[str, str], str]) -> None:
        self.session = self.folder = self.branch = self.summary = self.parent = self.version = ""
        self.model = ""
        self.started_at = self.ended_at = 0
        self.counts: Counter[str] = Counter()
        self.scratch: dict[str, Any] = {}  # for a format's reader
        self._place = place
        names = "|".join(map(re.escape, tags)) or r"\b\B"
        self._host_speaks = re.compile(rf"\s*<({names})\b[^>]{{0,200}}>.*?</\1>\s*", re.S | re.I)
        self._done: deque[_Open] = deque()
        self._text = 0
        self._open: _Open | None = None

    def set_missing_facts(self, **facts: Any) -> None:
        """Set those of the record's fields that are empty; values that are no text are ignored."""
        for name, value in facts.items():
            if isinstance(value, str) and value and not getattr(self, name):
                setattr(self, name, value[:MAX_PATH_LENGTH])

    def add_user_text(self, text: Any, time_ms: int = 0) -> None:
        """Add what the user said at ``time_ms`` (ms since 1970, 0: unknown).

        What the agent program adds in the user's name is left out.
        """
        text = self.remove_added_text(_text(text))
        if not text:
            return
        if self._open is None or self._open.answered:
            self._close()
            self._open = _Open(time_ms)
        self._open.user.add(text)
        self._note_time(time_ms)

    def remove_added_text(self, text: str) -> str:
        """Return a user's text without gitmem's own output and what the agent program added."""
        text = _FRAME.sub("", text) if "<<<gitmem:" in text else text
        start = 0  # a text that is copied for each tag would take the square of its length
        while match := self._host_speaks.match(text, start):
            start = match.end()
        return text[start:].strip()

    def add_agent_text(self, text: Any, time_ms: int = 0) -> None:
        """Add what the agent said at ``time_ms`` (ms since 1970, 0: unknown)."""
        text = _text(text).strip()
        if text:
            self._answering(time_ms).assistant.add(text)

    def add_tool_call(self, call_id: Any, tool_name: Any, arguments: Any, time_ms: int = 0) -> None:
        """Add a tool call of the agent at ``time_ms`` (ms since 1970, 0: unknown).

        Of its arguments only the paths in them are stored.
        """
        calls = self._answering(time_ms).calls
        if len(calls) < MAX_CALLS and isinstance(tool_name, str) and tool_name:
            calls.setdefault(
                str(call_id), _Call(tool_name[:MAX_NAME_LENGTH], self.paths_in_arguments(arguments))
            )

    def note_call_result(self, call_id: Any, failed: bool | None) -> None:
        """Store whether the tool call with an id failed; None leaves it open.

        A call that failed once stays failed.
        """
        call = self._open.calls.get(str(call_id)) if self._open else None
        if call is not None and failed is not None and call.outcome != FAILED:
            call.outcome = FAILED if failed else OK

    def _answering(self, at: int) -> _Open:
        if self._open is None:
            self._open = _Open(at)
        self._open.answered = True
        self._open.model = self.model or self._open.model
        self._note_time(at)
        return self._open

    def _note_time(self, at: int) -> None:
        if at:
            self.started_at = min(self.started_at or at, at)
            self.ended_at = max(self.ended_at, at)

    def paths_in_arguments(self, arguments: Any) -> tuple[str, ...]:
        """Return the paths in a tool's arguments, relative to the repository's root."""
        paths: dict[str, None] = {}
        if isinstance(arguments, str):
            paths = dict.fromkeys(a or b for a, b in _PATCHED.findall(arguments))
        for key in _PATH_KEYS if isinstance(arguments, Mapping) else ():
            value = arguments.get(key)
            for path in value if isinstance(value, list) else (value,):
                if isinstance(path, str) and path:
                    paths[path] = None
        short = [path for path in paths if len(path) <= MAX_PATH_LENGTH and "\n" not in path]
        return tuple(dict.fromkeys(self._place(path, self.folder) for path in short[:MAX_PATHS]))

    def _close(self) -> None:
        if self._open is None:
            return
        self._done.append(self._open)
        self._text += self._open.size
        while self._text > MAX_TEXT and len(self._done) > 1:
            self._text -= self._done.popleft().size
            self.counts[DROPPED] += 1
        self._open = None

    def finish_exchanges(self, conversation_id: str) -> list[Exchange]:
        """Return the exchanges (a prompt and its reply) read so far; nothing can be added then.

        ``conversation_id`` is that of the conversation they belong to.
        """
        self._close()
        dropped = self.counts[DROPPED]
        return [
            Exchange(
                conversation=conversation_id,
                number=number,
                user=open.user.text,
                assistant=open.assistant.text,
                tools=tuple(
                    ToolCall(call.name, call.paths, call.outcome) for call in open.calls.values()
                ),
                at=open.at,
                parent=self.parent,
                model=open.model,
            )
            for number, open in enumerate(self._done, 1 + dropped)
        ]

    def make_conversation(self, conversation_id: str, host: str, source_path: str) -> Conversation:
        """Return the conversation under this id, without its exchanges.

        ``host`` is the agent program, ``source_path`` the file it was read from.
        """
        return Conversation(
            id=conversation_id,
            host=host,
            session=self.session,
            folder=self.folder,
            started_at=self.started_at,
            ended_at=self.ended_at,
            branch=self.branch,
            summary=self.summary,
            source=source_path,
        )


class _Texts:
    """Texts that are joined, up to a number of characters."""

    __slots__ = ("left", "parts")

    def __init__(self, most: int) -> None:
        self.left = most
        self.parts: list[str] = []

    def add(self, text: str) -> None:
        if self.left <= 0 or (self.parts and self.parts[-1] == text):
            return
        self.parts.append(text if len(text) <= self.left else text[: self.left] + CUT)
        self.left -= len(text)

    @property
    def text(self) -> str:
        return "\n\n".join(self.parts)


class _Call:
    __slots__ = ("name", "outcome", "paths")

    def __init__(self, name: str, paths: tuple[str, ...]) -> None:
        self.name, self.paths, self.outcome = name, paths, ""


class _Open:
    """An exchange to which more may come."""

    __slots__ = ("answered", "assistant", "at", "calls", "model", "user")

    def __init__(self, at: int) -> None:
        self.at, self.model, self.answered = at, "", False
        self.user, self.assistant = _Texts(MAX_USER), _Texts(MAX_ASSISTANT)
        self.calls: dict[str, _Call] = {}

    @property
    def size(self) -> int:
        texts = (*self.user.parts, *self.assistant.parts)
        return 1000 + sum(map(len, texts)) + 500 * len(self.calls)


def _text(value: Any) -> str:
    """A text, or those in a list of blocks as all model servers have them; else empty."""
    if isinstance(value, list):
        value = "\n".join(
            block["text"]
            for block in value
            if isinstance(block, Mapping)
            and isinstance(block.get("text"), str)
            and block.get("type", "text") in ("text", "input_text", "output_text")
        )
    return value.replace("\x00", "") if isinstance(value, str) else ""


def parse_time_ms(value: Any) -> int:
    """Return a time in ms since 1970, from ISO 8601 or such a number; 0 if it is neither."""
    if type(value) is int or (isinstance(value, float) and value == value):
        return clamp_to_supported_years(int(value)) if _YEAR_2000 <= value < 1 << 53 else 0
    try:
        return max(parse_iso(value[:40]), 0) if isinstance(value, str) else 0
    except InvalidInput:
        return 0


def relative_to_root(roots: tuple[str, ...], path: str, working_folder: str) -> str:
    """Return a path relative to the one of ``roots`` that it is below, else absolute.

    A relative ``path`` is taken from ``working_folder``.
    """
    whole = os.path.normpath(os.path.join(working_folder, path.removeprefix("file://")))
    for root in roots:
        if whole.startswith(root + os.sep):
            return whole[len(root) + 1 :].replace(os.sep, "/")
    return whole
