"""JSON-RPC by hand: older generations, and everything that is not JSON-RPC."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from gitmem.mcp.rpc.framing import MOST
from tests.mcp.conftest import Site
from tests.mcp.peers import FULL, Raw
from tests.support.tables import table


@pytest.fixture(scope="module")
def raw(shared_site: Site) -> Iterator[Raw]:
    """One server for the whole module: whatever a test does to it, the next one needs it alive."""
    with Raw(shared_site.path, shared_site.env, options=FULL) as server:
        server.open()
        yield server


@pytest.fixture(autouse=True)
def alive_afterwards(raw: Raw) -> Iterator[None]:
    """After each test the next valid request is served."""
    yield
    assert raw.call("status")["isError"] is False
    assert raw.ask("ping")["result"] == {}


def request(id: Any, method: str = "ping", **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}


def remember(id: Any, text: Any) -> dict[str, Any]:
    return request(id, "tools/call", name="remember", arguments={"text": text})


@table(
    ("line", "code"),
    [
        (b"hello\n", -32700),
        (b'{"jsonrpc":"2.0",\n', -32700),
        (b"\xff\xfe\xfa\n", -32700),
        ('{"jsonrpc":"2.0"}\n'.encode("utf-16"), -32700),
        (b"\x01\x02\n", -32700),
        (b"[" * 10_000 + b"]" * 10_000 + b"\n", -32700),
        (b'{"a":' * 10_000 + b"1" + b"}" * 10_000 + b"\n", -32700),
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]\n', -32600),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}\n', -32600),
        (b'{"jsonrpc":"2.0","id":{},"method":"ping"}\n', -32600),
        (b'"ping"\n', -32600),
        (b"9" * 10_000 + b"\n", -32700),
    ],
    ids=range(12),
)
def test_garbage_is_answered_with_an_error(raw: Raw, line: bytes, code: int) -> None:
    raw.send(line)
    output = raw.answer(None)["error"]
    assert output["code"] == code
    assert output["message"]


@pytest.mark.parametrize("line", [b"\n", b" \r\n", b'{"jsonrpc":"2.0","id":99,"result":{}}\n'])
def test_what_asks_for_nothing_gets_no_answer(raw: Raw, line: bytes) -> None:
    raw.send(line)
    assert raw.ask("ping")["result"] == {}


@table(
    ("message", "code"),
    [
        (request("a", "no/such/method"), -32601),
        (request("a", "tools/call"), -32602),
        (request("a", "tools/call", name=7), -32602),
        (request("a", "tools/call", name="remember", arguments="text"), -32602),
        (request("a", "tools/call", name="remember", arguments=["text"]), -32602),
        (request("a", "tools/call", name="teleport", arguments={}), -32602),
        (request("a", "resources/read", uri=7), -32602),
        (request("a", "prompts/get", name="orient", arguments={"topic": 7}), -32602),
        ({"jsonrpc": "2.0", "id": "a", "method": 7}, -32600),
        ({"jsonrpc": "2.0", "id": "a", "method": "ping", "params": []}, -32600),
        ({"jsonrpc": "1.0", "id": "a", "method": "ping"}, -32600),
        ({"id": "a"}, -32600),
    ],
)  # fmt: skip
def test_wrong_request_is_answered_to_whoever_sent_it(
    raw: Raw, message: dict[str, Any], code: int
) -> None:
    raw.send(message)
    assert raw.answer("a")["error"]["code"] == code


@table(
    "text",
    [7, None, ["a"], {"deep": [[[]]]}, "x" * 100_000, "", "   ", "nul \x00 inside"],
    ids=str,
)
def test_wrong_argument_is_an_error_or_kept_safely(raw: Raw, text: Any) -> None:
    raw.send(remember("b", text))
    result = raw.answer("b")["result"]
    if result["isError"]:
        assert result["structuredContent"]["error"]["code"] == "invalid"
    else:
        assert "\x00" in text


def test_ten_megabytes_are_refused_to_the_request_that_brought_them(raw: Raw) -> None:
    raw.send(remember("big", "x" * 10_000_000))
    assert raw.answer("big")["error"]["code"] == -32600


def test_line_below_the_limit_reaches_the_tool(raw: Raw) -> None:
    raw.send(remember("large", "x" * (MOST - 1000)))
    assert raw.answer("large")["result"]["structuredContent"]["error"]["code"] == "invalid"


def test_invalid_utf8_in_a_memory_is_refused_and_not_stored_damaged(raw: Raw) -> None:
    line = json.dumps(remember("u", "caf?")).encode().replace(b"caf?", b"caf\xe9 unkept")
    raw.send(line + b"\n")
    assert raw.answer("u")["error"]["code"] == -32700
    assert raw.call("recall", query="unkept")["structuredContent"]["memories"] == []


def test_half_an_emoji_is_kept_as_a_mark_and_the_rest_of_the_text_whole(raw: Raw) -> None:
    raw.send(remember("s", "Cut in the midst of a rocket: \ud83d"))
    assert raw.answer("s")["result"]["isError"] is False
    (saved,) = raw.call("recall", query="rocket")["structuredContent"]["memories"]
    assert saved["content"] == "Cut in the midst of a rocket: \ufffd"


def test_number_of_ten_thousand_digits_is_an_error(raw: Raw) -> None:
    arguments = b'{"query":"x","limit":' + b"9" * 10_000 + b"}"
    raw.send(
        b'{"jsonrpc":"2.0","id":"n","method":"tools/call","params":{"name":"recall","arguments":'
        + arguments
        + b"}}\n"
    )
    assert "error" in raw.answer("n")


def test_requests_with_the_same_id_are_both_answered(raw: Raw) -> None:
    raw.send(request("twin"), request("twin"))
    assert raw.answer("twin")["result"] == raw.answer("twin")["result"] == {}


def test_storm_of_notifications_is_weathered(raw: Raw) -> None:
    storm = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}}
    unknown = {"jsonrpc": "2.0", "method": "notifications/moon", "params": {"a": [1]}}
    raw.send(*[storm, unknown] * 500)
    assert raw.ask("ping")["result"] == {}


def test_many_calls_at_once_are_all_answered(raw: Raw) -> None:
    raw.send(*[remember(f"m{number}", f"Fact {number}") for number in range(40)])
    answers = [raw.answer(f"m{number}")["result"]["structuredContent"] for number in range(40)]
    assert len({answer["id"] for answer in answers}) == 40


def test_requests_before_the_handshake_are_refused_and_the_handshake_still_works(
    shared_site: Site,
) -> None:
    with Raw(shared_site.path, shared_site.env, options=FULL) as server:
        server.send(b"garbage\n" * 20)
        for _ in range(20):
            assert server.answer(None)["error"]["code"] == -32700
        assert "error" in server.ask("tools/call", name="status", arguments={})
        assert server.open()["protocolVersion"] == "2025-11-25"
        assert server.call("status")["isError"] is False


def test_every_line_on_standard_output_was_json_rpc(raw: Raw) -> None:
    lines = raw.out.splitlines()
    assert len(lines) > 10
    assert {json.loads(line)["jsonrpc"] for line in lines} == {"2.0"}
