"""Each revision of the protocol that the server says it speaks, by hand: what it has, and lacks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import apsw
import pytest
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from gitmem.mcp.rpc import transport
from tests.mcp.conftest import Site
from tests.mcp.peers import BATCH, FULL, Raw
from tests.support.waiting import wait_until

KEY = "io.modelcontextprotocol/"
LISTS = ("tools/list", "prompts/list", "resources/list", "resources/templates/list")
EARLIER = [
    version for version in HANDSHAKE_PROTOCOL_VERSIONS if version != transport.BATCH_REVISION
]
PROMPT = {"type": "ref/prompt", "name": "review-pr"}


def envelope(version: str, **more: Any) -> dict[str, Any]:
    """What every request of 2026 says of its client."""
    client = {"name": "raw", "version": "0"}
    return {
        f"{KEY}protocolVersion": version,
        f"{KEY}clientInfo": client,
        f"{KEY}clientCapabilities": {},
        **more,
    }


class Peer:
    """A client of one revision."""

    def __init__(self, raw: Raw, version: str) -> None:
        self.raw = raw
        self.version = version
        self.modern = version in MODERN_PROTOCOL_VERSIONS
        if self.modern:
            self.greeting = self.ask("server/discover")["result"]
        else:
            self.greeting = raw.open(version)

    def ask(self, method: str, **params: Any) -> Any:
        """The answer to a request, with the envelope where the revision has one."""
        if self.modern:
            params["_meta"] = envelope(self.version, **params.get("_meta", {}))
        return self.raw.ask(method, **params)

    def code(self, method: str, **params: Any) -> Any:
        """The code of the error that a request is answered."""
        return self.ask(method, **params)["error"]["code"]


@contextmanager
def peer(site: Site, version: str) -> Iterator[Peer]:
    with Raw(site.path, site.env, options=FULL) as raw:
        yield Peer(raw, version)
        assert raw.end()[0] == 0
        assert raw.errors == b""


@pytest.mark.parametrize("version", [*HANDSHAKE_PROTOCOL_VERSIONS, *MODERN_PROTOCOL_VERSIONS])
def test_every_revision_is_served_as_it_is_written(shared_site: Site, version: str) -> None:
    with peer(shared_site, version) as one:
        greeted(one)
        listed(one)
        missed(one)
        completed(one)
        logged(one)


def test_the_default_list_declares_tools_alone(shared_site: Site) -> None:
    """For resources hosts add tools of their own to every session."""
    for version in (HANDSHAKE_PROTOCOL_VERSIONS[-1], MODERN_PROTOCOL_VERSIONS[-1]):
        with Raw(shared_site.path, shared_site.env) as raw:
            one = Peer(raw, version)
            assert set(one.greeting["capabilities"]) <= {"tools", "logging"}
            for method in (*LISTS[1:], "resources/read", "prompts/get"):
                assert one.code(method, uri="gitmem://project/overview", name="orient") == -32601


def greeted(one: Peer) -> None:
    can = set(one.greeting["capabilities"])
    assert can == {"completions", "prompts", "resources", "tools"} | (
        set() if one.modern else {"logging"}
    )
    assert "`orient`" in one.greeting["instructions"]
    if one.modern:
        assert one.version in one.greeting["supportedVersions"]
    else:
        assert one.greeting["protocolVersion"] == one.version
        assert one.greeting["serverInfo"]["name"] == "gitmem"
        assert one.ask("ping")["result"] == {}


def listed(one: Peer) -> None:
    """All lists are one page long: a cursor was never handed out, an empty one is none."""
    for method in LISTS:
        assert one.code(method, cursor="zzz") == -32602, method
        assert "nextCursor" not in one.ask(method, cursor="")["result"], method
        assert one.code(method, cursor=7) == -32602, method
    tools = one.ask("tools/list")["result"]["tools"]
    assert {"orient", "recall", "remember"} <= {tool["name"] for tool in tools}
    answer = one.ask("tools/call", name="status", arguments={})["result"]
    assert answer["isError"] is False
    assert answer["content"][0]["type"] == "text"


def missed(one: Peer) -> None:
    """What is not there has the code that the revision gives it."""
    for uri in (
        "gitmem://memory/00000000000000000000000000",
        "gitmem://nope",
        "file:///etc/passwd",
    ):
        error = one.ask("resources/read", uri=uri)["error"]
        assert error["code"] == (-32602 if one.modern else -32002), uri
        assert error["data"]["uri"] == uri
        assert error["message"]
    assert one.code("prompts/get", name="nope") == -32602
    assert one.code("prompts/get", name="why-changed") == -32602
    assert one.code("tools/call", name="nope") == -32602
    assert one.code("nope/nope") == -32601
    # One of these two belongs to the other era.
    gone = "ping" if one.modern else "server/discover"
    assert one.code(gone) == -32601


def completed(one: Peer) -> None:
    def values(ref: dict[str, str], name: str, value: str = "") -> Any:
        argument = {"name": name, "value": value}
        return one.ask("completion/complete", ref=ref, argument=argument)

    assert values(PROMPT, "base", "ma")["result"]["completion"]["values"] == ["main"]
    assert values(PROMPT, "base", "mb")["result"]["completion"]["values"] == []
    unknown = {"type": "ref/prompt", "name": "nope"}
    elsewhere = {"type": "ref/resource", "uri": "gitmem://nope/{id}"}
    for ref, name in ((unknown, "base"), (PROMPT, "nope"), (elsewhere, "id")):
        assert values(ref, name)["error"]["code"] == -32602, ref


def logged(one: Peer) -> None:
    """Nothing before a level is set, and nothing below it; in 2026 there is no such request."""
    if one.modern:
        assert one.code("logging/setLevel", level="debug") == -32601
        return
    assert one.raw.notes == []
    assert one.code("logging/setLevel", level="loud") == -32602
    for level, expected in (("debug", ["debug", "info"]), ("info", ["info"]), ("error", [])):
        assert one.ask("logging/setLevel", level=level)["result"] == {}
        one.ask("tools/call", name="status", arguments={})
        one.ask("tools/call", name="recall", arguments={"limit": "many"})
        messages = [note["params"] for note in one.raw.notes]
        assert [note["level"] for note in messages] == expected
        failed = [note["data"]["code"] for note in messages if "code" in note["data"]]
        assert failed == (["invalid"] if "info" in expected else [])
        assert all(note["logger"] == "gitmem" and note["data"]["ms"] > 0 for note in messages)
        one.raw.notes.clear()


def test_log_level_of_a_single_request_brings_no_message_in_2026(shared_site: Site) -> None:
    """The server declares no logging there, so it sends none."""
    with peer(shared_site, "2026-07-28") as one:
        one.ask("tools/call", name="status", arguments={}, _meta={f"{KEY}logLevel": "debug"})
        assert one.raw.notes == []


# --- batches --------------------------------------------------------------------------------------


def request(id: Any, method: str = "ping", **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}


NOTE = {"jsonrpc": "2.0", "method": "notifications/moon"}


def test_batch_is_answered_by_one_line_with_what_each_of_it_is_answered(shared_site: Site) -> None:
    with peer(shared_site, transport.BATCH_REVISION) as one:
        raw = one.raw
        call = request("c", "tools/call", name="status", arguments={})
        raw.send([request(1), NOTE, call, request(1), 7, {"id": "x"}, request("h", "initialize")])
        output = raw.answer(BATCH)
        assert sorted(str(answer["id"]) for answer in output) == ["1", "1", "None", "c", "h", "x"]
        codes = {
            str(answer["id"]): answer["error"]["code"] for answer in output if "error" in answer
        }
        assert codes == {"None": -32600, "x": -32600, "h": -32600}
        (called,) = [answer["result"] for answer in output if answer["id"] == "c"]
        assert called["isError"] is False
        raw.send([NOTE, NOTE])
        assert raw.ask("ping")["result"] == {}
        for wrong in ([], [request(n) for n in range(transport.MOST_BATCHED + 1)]):
            raw.send(wrong)
            assert raw.answer(None)["error"]["code"] == -32600
        raw.send([request(n) for n in range(transport.MOST_BATCHED)])
        assert {answer["id"] for answer in raw.answer(BATCH)} == set(range(transport.MOST_BATCHED))
        assert len(raw.notes) == 0


def test_request_of_a_batch_that_is_cancelled_is_left_out_of_its_answer(site: Site) -> None:
    lock = apsw.Connection(str(site.store))
    lock.execute("BEGIN IMMEDIATE")
    with peer(site, transport.BATCH_REVISION) as one:
        slow = request("slow", "tools/call", name="remember", arguments={"text": "Never mind"})
        one.raw.send([slow, request("p")])
        assert one.raw.ask("ping")["result"] == {}
        one.raw.notify("notifications/cancelled", requestId="slow")
        assert one.raw.answer(BATCH) == [{"jsonrpc": "2.0", "id": "p", "result": {}}]
        lock.execute("ROLLBACK")
    lock.close()


def test_batch_with_a_call_that_never_ends_is_answered_when_input_ends(site: Site) -> None:
    lock = apsw.Connection(str(site.store))
    lock.execute("BEGIN IMMEDIATE")
    with Raw(site.path, site.env) as raw:
        raw.open(transport.BATCH_REVISION)
        slow = request("slow", "tools/call", name="remember", arguments={"text": "Too late"})
        raw.send([slow, request("p")])
        assert raw.ask("ping")["result"] == {}
        raw.end()
        assert {answer["id"] for answer in raw.answer(BATCH)} == {"slow", "p"}
    lock.execute("ROLLBACK")
    lock.close()


@pytest.mark.parametrize("version", EARLIER)
def test_other_revisions_have_no_batches(shared_site: Site, version: str) -> None:
    with peer(shared_site, version) as one:
        one.raw.send([request(1)])
        assert one.raw.answer(None)["error"]["code"] == -32600


# --- progress -------------------------------------------------------------------------------------


def test_call_that_only_waits_says_so_to_whoever_gave_a_token(site: Site) -> None:
    lock = apsw.Connection(str(site.store))
    lock.execute("BEGIN IMMEDIATE")
    with peer(site, "2025-11-25") as one:
        query = {"name": "remember", "arguments": {"text": "At last"}}
        id = one.raw.start("tools/call", **query, _meta={"progressToken": "t"})
        wait_until(lambda: one.raw.notes)
        lock.execute("ROLLBACK")
        assert one.raw.answer(id)["result"]["isError"] is False
        messages = [note["params"] for note in one.raw.notes]
        assert {note["progressToken"] for note in messages} == {"t"}
        assert "still" in messages[0]["message"]
    lock.close()
