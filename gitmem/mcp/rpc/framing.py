"""Parsing lines of bytes into JSON-RPC messages, or into the error to answer. Pure.

A client that waits for an answer must get one, so the id of a request that cannot be served is
looked for even in a line too long to keep.
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
_EDGE = 400
_ID = rb'"id"\s*:\s*(-?\d{1,18}(?![\d.eE])|"[^"\\\x00-\x1f]{1,200}")'
# Only an id that is certainly the request's own: before its params, or at the very end.
_FIRST = re.compile(rb'\s*\{\s*(?:"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"\s*,\s*){0,2}' + _ID)
_LAST = re.compile(_ID + rb'\s*(?:,\s*"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"\s*){0,2}\}\s*\Z')


@dataclass(frozen=True, slots=True)
class OversizedLine:
    """The first (``head``) and last (``tail``) 400 bytes of an input line that is too long."""

    head: bytes
    tail: bytes


@dataclass(frozen=True, slots=True)
class JsonRpcErrorAnswer:
    """The JSON-RPC error to send (``answer``) for a line that is not a valid message."""

    answer: JSONRPCError


class LineSplitter:
    """Cuts a stream of bytes into lines of at most ``max_bytes``.

    A longer line becomes an OversizedLine, with only its beginning and end.
    """

    def __init__(self, max_bytes: int = MOST) -> None:
        self._most = max_bytes
        self._buffer = bytearray()
        self._head = b""

    def feed(self, chunk: bytes) -> Iterator[bytes | OversizedLine]:
        """Add the next bytes of the stream; yields the lines that are complete now."""
        *ends, rest = chunk.split(b"\n")
        for end in ends:
            self._add(end)
            yield self._finish()
        self._add(rest)

    def flush(self) -> Iterator[bytes | OversizedLine]:
        """Yield the unfinished line at the end of the stream, if there is one."""
        if self._buffer:
            yield self._finish()

    def _add(self, piece: bytes) -> None:
        self._buffer += piece
        if len(self._buffer) > self._most:
            self._head = self._head or bytes(self._buffer[:_EDGE])
        if self._head:
            del self._buffer[:-_EDGE]

    def _finish(self) -> bytes | OversizedLine:
        line, head = bytes(self._buffer), self._head
        self._buffer.clear()
        self._head = b""
        return OversizedLine(head, line[-_EDGE:]) if head else line


def read_message(line: bytes | OversizedLine) -> JSONRPCMessage | JsonRpcErrorAnswer | None:
    """Parse a line: returns its JSON-RPC message, or for an invalid line the error to answer.

    The error has the id of the request if the line shows it. None for a line that needs no answer:
    an empty line, or an invalid response.
    """
    if isinstance(line, OversizedLine):
        return _refusal(
            INVALID_REQUEST, f"A message can have at most {MOST >> 20} MB.", _find_id(line)
        )
    # NUL too: half of a UTF-16 line end must not make the next line invalid.
    line = line.removeprefix(b"\xef\xbb\xbf").strip(b" \t\r\n\x00")
    if not line:
        return None
    try:
        message = jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError:
        whole = _repair(line)
        return read_message(whole) if whole else _explain_refusal(line)
    if isinstance(message, JSONRPCNotification) and b'"id"' in line and "id" in json.loads(line):
        # A request with an id of a wrong type would pass as a notification and get no answer.
        return _refusal(
            INVALID_REQUEST, "The id of a request must be a string or an integer.", None
        )
    return message


def split_batch(line: bytes) -> list[bytes] | None:
    """The messages of a JSON-RPC batch, each as a line of JSON; None if the line is no batch."""
    if not line.lstrip(b" \t\xef\xbb\xbf\x00").startswith(b"["):
        return None
    try:
        value = json.loads(line.removeprefix(b"\xef\xbb\xbf").strip(b" \t\r\n\x00"))
    except (ValueError, RecursionError):
        return None
    return [json.dumps(member).encode() for member in value]


def batch_error(message: str, id: int | str | None = None) -> JsonRpcErrorAnswer:
    """The JSON-RPC error "invalid request" with this message; ``id`` is that of the request."""
    return _refusal(INVALID_REQUEST, message, id)


def _repair(line: bytes) -> bytes:
    """The message with U+FFFD for each lone surrogate; empty if it has none.

    Hosts that cut a text at some length may cut an emoji in two; the rest is still useful.
    """
    if b"\\ud" not in line and b"\\uD" not in line:
        return b""
    try:
        value = json.loads(line)
        text = json.dumps(value, ensure_ascii=False)
    except (ValueError, RecursionError):
        return b""
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    # An id with a lone surrogate cannot be repaired: the answer would have another id.
    ours = not isinstance(value, dict) or "id" not in value or _id(value["id"]) is not None
    return whole.encode() if ours and whole != text else b""


def _explain_refusal(line: bytes) -> JsonRpcErrorAnswer | None:
    try:
        value = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        id = _find_id(OversizedLine(line[:_EDGE], line[-_EDGE:]))
        return _refusal(PARSE_ERROR, "This line is not valid JSON.", id)
    if not isinstance(value, dict):
        return _refusal(INVALID_REQUEST, "A message must be one JSON object.", None)
    if "method" not in value and ("result" in value or "error" in value):
        return None
    return _refusal(
        INVALID_REQUEST, "This is not a valid JSON-RPC 2.0 request.", _id(value.get("id"))
    )


def _id(value: object) -> int | str | None:
    """The value if it is a valid id, else None."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, str) and not any("\ud800" <= letter <= "\udfff" for letter in value):
        return value
    return None


def _find_id(line: OversizedLine) -> int | str | None:
    match = _FIRST.match(line.head) or _LAST.search(line.tail)
    if match is None:
        return None
    try:
        return _id(json.loads(match[1].decode("utf-8")))
    except ValueError:
        return None


def _refusal(code: int, message: str, id: int | str | None) -> JsonRpcErrorAnswer:
    error = ErrorData(code=code, message=message)
    return JsonRpcErrorAnswer(JSONRPCError(jsonrpc="2.0", id=id, error=error))
