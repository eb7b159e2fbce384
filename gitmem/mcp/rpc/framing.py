"""From bytes to messages, and from anything else to an error that names what was wrong.

Pure. Whoever waits for an answer must get one, so the id of a request that cannot be served is
found if it can be, even in a line too long to be kept.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from mcp_types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
)
from mcp_types.jsonrpc import jsonrpc_message_adapter
from pydantic import ValidationError

from gitmem.model.frozen import dataclass

MOST = 4 << 20  # bytes in a line; one memory holds 32 KB
_KEPT = 400
_ID = rb'"id"\s*:\s*(-?\d{1,18}(?![\d.eE])|"[^"\\\x00-\x1f]{1,200}")'
# Only where the id certainly is the request's own: before its params, or at the very end.
_FIRST = re.compile(rb'\s*\{\s*(?:"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"\s*,\s*){0,2}' + _ID)
_LAST = re.compile(_ID + rb'\s*(?:,\s*"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"\s*){0,2}\}\s*\Z')


@dataclass(frozen=True, slots=True)
class TooLong:
    """A line that was not kept: how it began and how it ended."""

    head: bytes
    tail: bytes


@dataclass(frozen=True, slots=True)
class Refusal:
    """A line that cannot be served, and what is answered to whoever sent it."""

    answer: JSONRPCError


class Lines:
    """Cuts a stream of bytes into lines of at most ``most`` bytes; longer ones become TooLong."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._kept = bytearray()
        self._head = b""

    def feed(self, chunk: bytes) -> Iterator[bytes | TooLong]:
        """The lines that this chunk completes."""
        *ends, rest = chunk.split(b"\n")
        for end in ends:
            self._add(end)
            yield self._finish()
        self._add(rest)

    def end(self) -> Iterator[bytes | TooLong]:
        """The line that the end of the stream cut off, if there is one."""
        if self._kept:
            yield self._finish()

    def _add(self, piece: bytes) -> None:
        self._kept += piece
        if len(self._kept) > self._most:
            self._head = self._head or bytes(self._kept[:_KEPT])
        if self._head:
            del self._kept[:-_KEPT]

    def _finish(self) -> bytes | TooLong:
        line, head = bytes(self._kept), self._head
        self._kept.clear()
        self._head = b""
        return TooLong(head, line[-_KEPT:]) if head else line


def read(line: bytes | TooLong) -> JSONRPCMessage | Refusal | None:
    """The message in a line; a Refusal with a null or found id where there is none to serve.

    None for a line that asks for nothing: an empty one, or an answer that nobody can place.
    """
    if isinstance(line, TooLong):
        return _refusal(
            INVALID_REQUEST, f"A message can have at most {MOST >> 20} MB.", _seen_id(line)
        )
    # NUL too: half a UTF-16 line end must not spoil the line after it.
    line = line.removeprefix(b"\xef\xbb\xbf").strip(b" \t\r\n\x00")
    if not line:
        return None
    try:
        message = jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError:
        whole = _whole(line)
        return read(whole) if whole else _wrong(line)
    if isinstance(message, JSONRPCNotification) and b'"id"' in line and "id" in json.loads(line):
        # With an id of no valid type a request would pass as a notification, never answered.
        return _refusal(
            INVALID_REQUEST, "The id of a request must be a string or an integer.", None
        )
    return message


def members(line: bytes) -> list[bytes] | None:
    """The messages of a JSON-RPC batch, each as a line of its own; None for what is no batch."""
    if not line.lstrip(b" \t\xef\xbb\xbf\x00").startswith(b"["):
        return None
    try:
        value = json.loads(line.removeprefix(b"\xef\xbb\xbf").strip(b" \t\r\n\x00"))
    except (ValueError, RecursionError):
        return None
    return [json.dumps(one).encode() for one in value]


def no_batch(message: str, id: int | str | None = None) -> Refusal:
    """The answer to a batch that cannot be served, or to the request in one that cannot."""
    return _refusal(INVALID_REQUEST, message, id)


def _whole(line: bytes) -> bytes:
    """The message with U+FFFD for each half of a character; empty where that is not its trouble.

    A host that cuts a text to a length cuts an emoji in two now and then; the rest is worth having.
    """
    if b"\\ud" not in line and b"\\uD" not in line:
        return b""
    try:
        value = json.loads(line)
        text = json.dumps(value, ensure_ascii=False)
    except (ValueError, RecursionError):
        return b""
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    # An answer with another id would reach nobody.
    ours = not isinstance(value, dict) or "id" not in value or _id(value["id"]) is not None
    return whole.encode() if ours and whole != text else b""


def _wrong(line: bytes) -> Refusal | None:
    try:
        value = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        return _refusal(PARSE_ERROR, "This line is not valid JSON.", _outer_id(line))
    if not isinstance(value, dict):
        return _refusal(INVALID_REQUEST, "A message must be one JSON object.", None)
    if "method" not in value and ("result" in value or "error" in value):
        return None
    return _refusal(
        INVALID_REQUEST, "This is not a valid JSON-RPC 2.0 request.", _id(value.get("id"))
    )


def _id(value: object) -> int | str | None:
    """The value, if it can be the id of an answer."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, str) and not any("\ud800" <= letter <= "\udfff" for letter in value):
        return value
    return None


def _outer_id(line: bytes) -> int | str | None:
    return _seen_id(TooLong(line[:_KEPT], line[-_KEPT:]))


def _seen_id(line: TooLong) -> int | str | None:
    found = _FIRST.match(line.head) or _LAST.search(line.tail)
    if found is None:
        return None
    try:
        return _id(json.loads(found[1].decode("utf-8")))
    except ValueError:
        return None


def _refusal(code: int, message: str, id: int | str | None) -> Refusal:
    error = ErrorData(code=code, message=message)
    return Refusal(JSONRPCError(jsonrpc="2.0", id=id, error=error))
