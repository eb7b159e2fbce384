"""Lines that are written: always JSON, whatever an answer holds."""

from __future__ import annotations

import json

from mcp_types import JSONRPCResponse

from gitmem.mcp.transport import line_of


def test_answer_is_one_line_of_utf8() -> None:
    line = line_of(JSONRPCResponse(jsonrpc="2.0", id=1, result={"text": "a\nb\u2028ü"}))
    assert line.count(b"\n") == 1
    assert json.loads(line) == {"jsonrpc": "2.0", "id": 1, "result": {"text": "a\nb\u2028ü"}}


def test_answer_that_utf8_cannot_carry_becomes_an_error_for_whoever_asked() -> None:
    told = json.loads(line_of(JSONRPCResponse(jsonrpc="2.0", id="q", result={"text": "\ud800"})))
    assert (told["id"], told["error"]["code"]) == ("q", -32603)
