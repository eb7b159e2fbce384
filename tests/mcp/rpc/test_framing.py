"""Bytes to lines, lines to messages, and anything else to an error."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_types import JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

from gitmem.mcp.rpc.framing import JsonRpcErrorAnswer, LineSplitter, OversizedLine, read_message
from tests.support.tables import table

PING = b'{"jsonrpc":"2.0","id":7,"method":"ping"}'


def cut(pieces: list[bytes], most: int = 1 << 20) -> list[bytes | OversizedLine]:
    lines = LineSplitter(most)
    return [line for piece in pieces for line in lines.feed(piece)] + list(lines.flush())


@given(st.lists(st.binary(max_size=20)))
def test_lines_are_the_same_however_the_stream_is_cut(pieces: list[bytes]) -> None:
    whole = b"".join(pieces)
    expected = whole.split(b"\n")
    assert cut(pieces) == (expected if expected[-1] else expected[:-1])


@given(st.lists(st.binary(max_size=3000), max_size=8))
def test_no_line_is_longer_than_the_limit(pieces: list[bytes]) -> None:
    found = cut(pieces, most=1000)
    lengths = [len(line) for line in b"".join(pieces).split(b"\n")]
    lengths = lengths if lengths[-1] else lengths[:-1]
    assert [isinstance(line, OversizedLine) for line in found] == [size > 1000 for size in lengths]


@given(st.binary())
def test_any_bytes_are_read_or_refused_and_never_raise(line: bytes) -> None:
    read_message(line)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: (
            st.lists(inner)
            | st.dictionaries(
                st.sampled_from(["id", "method", "jsonrpc", "params", "result"]) | st.text(), inner
            )
        ),
    )
)
def test_any_json_is_read_or_refused_and_never_raises(value: object) -> None:
    read_message(json.dumps(value).encode())


def test_request_is_read() -> None:
    message = read_message(b"\xef\xbb\xbf \x00 " + PING + b"\r")
    assert isinstance(message, JSONRPCRequest)
    assert (message.id, message.method) == (7, "ping")


def test_half_a_character_costs_no_more_than_itself() -> None:
    """A host that cuts texts to a length cuts an emoji in two."""
    line = b'{"jsonrpc":"2.0","id":7,"method":"x","params":{"text":"%s"}}'
    for half in (b"cut \\ud83d", b"cut \\uD83D", b"cut \\udc00"):
        message = read_message(line % half)
        assert isinstance(message, JSONRPCRequest)
        assert message.params == {"text": "cut \ufffd"}
    message = read_message(line % b"whole \\ud83d\\ude00, cut \\ud83d")
    assert isinstance(message, JSONRPCRequest)
    assert message.params == {"text": "whole \U0001f600, cut \ufffd"}


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"  \r",
        b'{"id":3,"result":7}',
    ],
)
def test_what_asks_for_nothing_is_left_out(line: bytes) -> None:
    assert read_message(line) is None


@table(
    ("line", "code", "id"),
    [
        (b"hello", -32700, None),
        (b"{", -32700, None),
        (b"\xff\xfe{\x00}\x00", -32700, None),
        (b"[" * 10_000, -32700, None),
        (b"[]", -32600, None),
        (b"7", -32600, None),
        (b'{"jsonrpc":"2.0","id":5,"method":7}', -32600, 5),
        (b'{"jsonrpc":"1.0","id":"a","method":"ping"}', -32600, "a"),
        (b'{"jsonrpc":"2.0","id":5,"method":"ping","params":[]}', -32600, 5),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":5,"method":"x","params":{"text":"\xff"}}', -32700, 5),
        (b'{"method":"x","params":{"id":4,"text":"\xff"},"jsonrpc":"2.0","id":5}', -32700, 5),
        (b'{"method":"x","params":{"text":"\xff","id":4}}', -32700, None),
        (b'{"jsonrpc":"2.0","id":' + b"9" * 10_000 + b',"method":"ping"}', -32700, None),
    ],
)  # fmt: skip
def test_what_cannot_be_served_is_refused_to_whoever_asked(
    line: bytes, code: int, id: int | str | None
) -> None:
    refusal = read_message(line)
    assert isinstance(refusal, JsonRpcErrorAnswer)
    assert (refusal.answer.error.code, refusal.answer.id) == (code, id)


@pytest.mark.parametrize(
    "line",
    [
        b'{"jsonrpc":"2.0","id":"q","method":"x","params":{"text":"%s"}}',
        b'{"method":"x","params":{"text":"%s"},"jsonrpc":"2.0","id":"q"}',
        b'{"method":"x","params":{"id":"no","text":"%s"},"id":"q","jsonrpc":"2.0"}',
    ],
)
def test_too_long_request_is_refused_with_its_id_wherever_it_stands(line: bytes) -> None:
    (found,) = cut([line % (b"a" * 5000)], most=2000)
    refusal = read_message(found)
    assert isinstance(refusal, JsonRpcErrorAnswer)
    assert (refusal.answer.error.code, refusal.answer.id) == (-32600, "q")


def test_id_inside_the_arguments_is_not_taken_for_the_requests_own() -> None:
    (found,) = cut([b'{"method":"x","params":{"text":"%s","id":"no"}}' % (b"a" * 5000)], most=2000)
    refusal = read_message(found)
    assert isinstance(refusal, JsonRpcErrorAnswer)
    assert refusal.answer.id is None


def test_answers_to_what_the_server_asked_are_read() -> None:
    good = read_message(b'{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}')
    bad = read_message(b'{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"none"}}')
    assert isinstance(good, JSONRPCResponse)
    assert isinstance(bad, JSONRPCError)


def test_notification_is_read() -> None:
    line = b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}'
    assert isinstance(read_message(line), JSONRPCNotification)
