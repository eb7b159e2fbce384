"""Clients that break every rule: never a traceback, never a hang, gone in time when they are."""

from __future__ import annotations

import json
import os
import subprocess
from typing import Any

from tests.mcp.conftest import Site
from tests.mcp.peers import Raw
from tests.support.cli import command

# The rule is two seconds; a loaded machine gets more, but less than what a call may wait.
IN_TIME = 6.0
HUGE = 50_000_000


def request(id: Any, method: str = "ping", **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}


def ended(raw: Raw) -> None:
    """The server goes by itself, in time, and no traceback is left behind."""
    status, took = raw.end()
    assert status == 0
    assert b"Traceback" not in raw.errors, raw.errors
    assert took < IN_TIME


def test_whatever_comes_first_the_handshake_still_works_and_the_end_is_clean(
    shared_site: Site,
) -> None:
    firsts: list[list[Any]] = [
        [b'{"jsonrpc":"2.0","id":"half","method"\n'],
        [request(id) for id in (1.5, True, None, [], {}, "", "\u0000", -1, 1 << 70)],
        [request("same")] * 3,
        [request(5, "tools/call", name="recall", arguments={"query": "x"})],
        [request(6, "no/such"), {"jsonrpc": "2.0", "method": "no/such", "params": [1]}],
        [{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}],
        [{"jsonrpc": "2.0", "method": "notifications/initialized", "params": 7}],
        [{"jsonrpc": "2.0", "id": 9, "result": {}}, {"jsonrpc": "2.0", "id": [], "error": 1}],
        [{"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progress": "x"}}] * 20,
        [b"[" * 5_000 + b"\n", b"\x00\xff\n", b"\xef\xbb\xbf\n"],
    ]
    with Raw(shared_site.path, shared_site.env) as raw:
        for lines in firsts:
            raw.send(*lines)
        assert raw.open()["serverInfo"]["name"] == "gitmem"
        for lines in firsts:
            raw.send(*lines)
        assert raw.call("recall", query="x")["isError"] is False
        ended(raw)


def test_line_of_fifty_megabytes_is_refused_and_not_kept(shared_site: Site) -> None:
    with Raw(shared_site.path, shared_site.env) as raw:
        raw.open()
        raw.send(b'{"jsonrpc":"2.0","id":"big","method":"tools/call","params":{"x":"')
        for _ in range(HUGE // 1_000_000):
            raw.send(b"x" * 1_000_000)
        raw.send(b'"}}\n')
        assert raw.answer("big")["error"]["code"] == -32600
        assert raw.ask("ping")["result"] == {}
        raw.send(b"x" * 5_000_000)  # and one that never ends
        ended(raw)


def test_calls_with_one_id_and_one_of_them_cancelled_end_well(shared_site: Site) -> None:
    call = request("twin", "tools/call", name="recall", arguments={"query": "x"})
    with Raw(shared_site.path, shared_site.env) as raw:
        raw.open()
        raw.send(call, call)
        raw.notify("notifications/cancelled", requestId="twin", reason=["odd"])
        for id in (None, {}, "never", 1.5):
            raw.notify("notifications/cancelled", requestId=id)
        assert raw.ask("ping")["result"] == {}
        ended(raw)


def test_client_that_closes_our_output_does_not_keep_us_or_end_us_with_a_traceback(
    shared_site: Site,
) -> None:
    handshake = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "raw", "version": "0"},
    }
    call = request(2, "tools/call", name="recall", arguments={"query": "x"})
    lines = [request(1, "initialize", **handshake), call, request(3)]
    theirs, ours = os.pipe()
    os.close(theirs)
    program = command("mcp", "-C", str(shared_site.path))
    pipe = subprocess.PIPE
    with subprocess.Popen(
        program, env=shared_site.env, stdin=pipe, stdout=ours, stderr=pipe
    ) as item:
        os.close(ours)
        message = "".join(json.dumps(line) + "\n" for line in lines).encode()
        _, errors = item.communicate(message, timeout=IN_TIME * 5)
    assert (item.returncode, errors) == (0, b"")
