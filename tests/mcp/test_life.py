"""Starting anywhere, staying useful while the world changes, leaving in time."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
import pytest

from tests.mcp.conftest import Site, make_site
from tests.mcp.peers import FULL, Raw
from tests.support import on_path
from tests.support.cli import command, environment
from tests.support.repos import CONTEXTUAL
from tests.support.waiting import wait_until

# The rule is two seconds; a loaded machine gets more, but less than the ten a lock is waited for.
IN_TIME = 6.0
POSIX = pytest.mark.skipif(os.name != "posix", reason="there are no such signals on Windows")


@contextmanager
def locked(store: Path) -> Iterator[None]:
    """Hold the store's write lock, so that a writing call waits for ten seconds."""
    connection = apsw.Connection(str(store))
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        connection.execute("ROLLBACK")
        connection.close()


def code(result: dict[str, object]) -> str:
    assert result["isError"] is True
    content = result["structuredContent"]
    assert isinstance(content, dict)
    return str(content["error"]["code"])


def ids(raw: Raw, query: str) -> list[str]:
    # By words: what is only alike would be found too.
    found = raw.call("recall", query=query, mode="keyword")["structuredContent"]["memories"]
    return [item["id"] for item in found]


def test_the_first_answer_does_not_wait_for_the_transformer(site: Site) -> None:
    site.gitmem("remember", "The gateway applies rate limiting to every API consumer.")
    site.gitmem("index", env=site.env | {CONTEXTUAL: "always"})
    with Raw(site.path, site.env | {CONTEXTUAL: "server"}, options=FULL) as raw:
        raw.open()
        # It shares no word with what is asked: only the transformer knows that they are alike.
        text = "where do we throttle clients?"

        def found() -> list[object]:
            return raw.call("recall", query=text)["structuredContent"]["memories"]

        assert found() == []
        wait_until(found)


def test_outside_a_repository_the_server_starts_and_its_tools_say_why_not(tmp_path: Path) -> None:
    place = tmp_path / "plain"
    place.mkdir()
    env = environment(tmp_path / "home", GIT_CEILING_DIRECTORIES=str(tmp_path))
    with Raw(place, env, options=FULL) as raw:
        assert raw.open()["serverInfo"]["name"] == "gitmem"
        assert len(raw.ask("tools/list")["result"]["tools"]) >= 10
        assert raw.ask("prompts/get", name="orient")["result"]["messages"]
        for tool, arguments in (("orient", {}), ("recall", {"query": "x"})):
            assert code(raw.call(tool, **arguments)) == "not_a_repository"
        refused = raw.ask("resources/read", uri="gitmem://project/overview")["error"]
        assert refused["data"]["code"] == "not_a_repository"
        assert raw.end()[0] == 0
    assert not (tmp_path / "home" / "gitmem" / "errors.log").exists()


def test_folder_that_is_not_there_is_reported_and_not_fatal(tmp_path: Path) -> None:
    (tmp_path / "gone").mkdir()
    with Raw(tmp_path / "gone", environment(tmp_path / "home"), options=FULL) as raw:
        raw.open()
        (tmp_path / "gone").rmdir()
        assert code(raw.call("status")) == "not_a_repository"


def test_store_may_be_made_moved_away_and_replaced_while_the_server_runs(tmp_path: Path) -> None:
    site = make_site(tmp_path, init=False)
    with Raw(site.path, site.env, options=FULL) as raw:
        raw.open()
        refused = raw.call("remember", text="Too early")
        assert code(refused) == "not_initialized"
        assert "gitmem init" in refused["content"][0]["text"]
        assert raw.call("orient")["isError"] is False
        site.gitmem("init")
        assert raw.call("remember", text="First life")["isError"] is False
        assert len(ids(raw, "life")) == 1
        shutil.rmtree(site.store.parent)
        assert code(raw.call("recall", query="life")) == "not_initialized"
        site.gitmem("init")
        assert ids(raw, "life") == []
        assert raw.call("remember", text="Second life")["isError"] is False
        assert len(ids(raw, "life")) == 1


def test_commits_branches_and_settings_of_meanwhile_are_seen(site: Site) -> None:
    with Raw(site.path, site.env, options=FULL) as raw:
        raw.open()
        before = raw.call("status")["structuredContent"]
        site.repo.branch("feature")
        site.repo.commit("Go on", {"b": ""})
        site.gitmem("config", "recall.limit", "1")
        after = raw.call("status")["structuredContent"]
        assert (before["branch"], after["branch"]) == ("main", "feature")
        assert after["commit"] == site.repo.head() != before["commit"]
        for number in (1, 2):
            raw.call("remember", text=f"Fact {number}")
        assert len(ids(raw, "fact")) == 1


def test_two_servers_and_the_command_line_share_one_store(site: Site) -> None:
    """CT-32: all write to it at once, each under its own name."""
    with Raw(site.path, site.env, options=FULL) as item, Raw(site.path, site.env) as two:
        item.open(name="Codex CLI")
        two.open(name="claude-code")
        for number in range(8):
            for raw, word in ((item, "uno"), (two, "due")):
                raw.start("tools/call", name="remember", arguments={"text": f"{word} {number}"})
        for number in range(3):
            site.gitmem("remember", f"tre {number}", "--agent", "cli")
        for raw in (item, two):
            for number in range(2, 10):
                assert raw.answer(number)["result"]["isError"] is False
        counts = site.gitmem("stats", "--json").json["by_agent"]
        assert counts == {"codex-cli": 8, "claude-code": 8, "cli": 3}
        assert (
            len(item.call("recall", query="due", limit=100)["structuredContent"]["memories"]) == 8
        )
    site.gitmem("doctor")


def test_stray_prints_of_any_library_never_reach_the_protocol(site: Site) -> None:
    """ML-41: Python's print, a raw write and C's own buffers all go elsewhere."""
    script = (
        "import ctypes, os, sys, threading, time\n"
        "from gitmem.mcp.server import serve\n"
        "def stray():\n"
        "    while True:\n"
        "        print('stray print', flush=True)\n"
        "        os.write(1, b'stray write\\n')\n"
        "        os.system('echo stray child')\n"
        "        if os.name == 'posix':\n"
        "            libc = ctypes.CDLL(None)\n"
        "            libc.puts(b'stray puts')\n"
        "            libc.fflush(None)\n"
        "        time.sleep(0.05)\n"
        "def later():\n"
        "    while os.path.sameopenfile(1, out): time.sleep(0.001)\n"
        "    stray()\n"
        "out = os.dup(1)\n"
        "threading.Thread(target=later, daemon=True).start()\n"
        "sys.exit(serve('.'))\n"
    )
    with Raw(site.path, site.env, words=[sys.executable, "-P", "-c", script]) as raw:
        raw.open()
        for number in range(5):
            assert raw.call("remember", text=f"Fact {number}")["isError"] is False
        raw.end()
        assert {json.loads(line)["jsonrpc"] for line in raw.out.splitlines()} == {"2.0"}
        for stray in (b"stray print", b"stray write", b"stray child"):
            assert stray in raw.errors


def test_ping_is_answered_while_a_call_waits(site: Site) -> None:
    with Raw(site.path, site.env, options=FULL) as raw:
        raw.open()
        raw.call("status")
        with locked(site.store):
            slow = raw.start("tools/call", name="remember", arguments={"text": "Slow"})
            began = time.monotonic()
            for _ in range(3):
                assert raw.ask("ping")["result"] == {}
            assert raw.ask("tools/list")["result"]["tools"]
            assert time.monotonic() - began < 5
            same = [raw.start("tools/call", name="recall", arguments={"query": "slow"})]
            same += [raw.start("tools/call", name="recall", arguments={"query": "slow"})]
            other = raw.start("tools/call", name="recall", arguments={"query": "slower"})
            assert raw.ask("ping")["result"] == {}
        assert raw.answer(slow)["result"]["isError"] is False
        messages = [raw.answer(item)["result"] for item in same]
        assert "Slow" in messages[0]["content"][0]["text"]
        assert messages[0] == messages[1]
        assert raw.answer(other)["result"]["isError"] is False
    # The same question was worked on once for both.
    (counted,) = site.gitmem("stats", "--funnel", "--json").json["funnel"]
    assert counted["recalls"] == 2


def test_call_that_is_cancelled_before_its_turn_is_never_done(site: Site) -> None:
    with Raw(site.path, site.env, options=FULL) as raw:
        raw.open()
        with locked(site.store):
            first = raw.start("tools/call", name="remember", arguments={"text": "First"})
            second = raw.start("tools/call", name="remember", arguments={"text": "Second"})
            cancel = {"method": "notifications/cancelled", "params": {"requestId": second}}
            raw.send({"jsonrpc": "2.0", **cancel})
            assert raw.ask("ping")["result"] == {}
        assert raw.answer(first)["result"]["isError"] is False
        assert ids(raw, "second") == []
        assert raw.end()[0] == 0


def test_server_leaves_at_once_when_nothing_runs_and_leaves_the_store_whole(site: Site) -> None:
    with Raw(site.path, site.env, options=FULL) as raw:
        raw.open()
        raw.call("remember", text="Kept")
        status, seconds = raw.end()
        assert status == 0
        assert seconds < IN_TIME
        assert raw.errors == b""
    assert not site.store.with_name("memory.db-wal").exists()
    assert site.gitmem("recall", "kept", "--json").json["memories"]


def test_calls_that_were_sent_before_the_end_of_input_are_done_and_answered(site: Site) -> None:
    with Raw(site.path, site.env, options=FULL) as raw:
        raw.open()
        sent = [
            raw.start("tools/call", name="remember", arguments={"text": f"Last {number}"})
            for number in range(5)
        ]
        assert raw.end()[0] == 0
        for id in sent:
            assert raw.answer(id)["result"]["isError"] is False
    assert len(site.gitmem("recall", "last", "--json").json["memories"]) == 5


def test_server_leaves_in_time_while_calls_wait_and_says_so_to_them(site: Site) -> None:
    """CF-56: calls that cannot be finished are told that the server is shutting down."""
    with Raw(site.path, site.env, options=FULL) as raw:
        raw.open()
        raw.call("status")
        with locked(site.store):
            waiting = [
                raw.start("tools/call", name="remember", arguments={"text": f"Never {number}"})
                for number in range(3)
            ]
            status, seconds = raw.end()
        assert status == 0
        assert seconds < IN_TIME
        for id in waiting:
            assert code(raw.answer(id)["result"]) == "shutting_down"
    assert site.gitmem("recall", "never", "--json").json["memories"] == []
    site.gitmem("doctor")


def test_half_a_line_at_the_end_of_input_is_an_error_and_a_clean_end(site: Site) -> None:
    with Raw(site.path, site.env, options=FULL) as raw:
        raw.open()
        raw.send(b'{"jsonrpc":"2.0","id":77,"method":"pi')
        status, seconds = raw.end()
        assert raw.answer(77)["error"]["code"] == -32700
        assert status == 0
        assert seconds < IN_TIME


def test_whole_request_without_a_line_end_is_served(site: Site) -> None:
    with Raw(site.path, site.env, options=FULL) as raw:
        raw.open()
        raw.send(b'{"jsonrpc":"2.0","id":77,"method":"ping"}')
        assert raw.end()[0] == 0
        assert raw.answer(77)["result"] == {}


@POSIX
def test_sigterm_ends_the_server_as_the_end_of_input_does(site: Site) -> None:
    with Raw(site.path, site.env, options=FULL) as raw:
        raw.open()
        raw.call("remember", text="Kept")
        began = time.monotonic()
        raw.process.send_signal(signal.SIGTERM)
        assert raw.wait() == 0
        assert time.monotonic() - began < IN_TIME
    assert not site.store.with_name("memory.db-wal").exists()


@POSIX
def test_client_that_reads_nothing_does_not_keep_the_server_alive(site: Site) -> None:
    flood = [{"jsonrpc": "2.0", "id": f"f{n}", "method": "x" * 3000} for n in range(100)]
    script = (
        "import os, select, subprocess, sys, time\n"
        "read, write = os.pipe()\n"
        "server = subprocess.Popen(sys.argv[1:], stdin=0, stdout=write)\n"
        "while select.select([], [write], [], 0)[1]: time.sleep(0.01)\n"
        'print(\'{"jsonrpc": "2.0", "method": "full"}\', flush=True)\n'
        "sys.exit(server.wait())\n"
    )
    words = [sys.executable, "-P", "-c", script, *on_path.words("mcp", "-C", str(site.path))]
    with Raw(site.path, site.env, words=words) as raw:
        raw.send(*flood)
        # The answers now fill the pipe that nobody reads.
        wait_until(lambda: [note for note in raw.notes if note["method"] == "full"])
        status, seconds = raw.end()
        assert status == 0
        assert seconds < IN_TIME


def test_handshake_and_lists_are_answered_without_the_sdk(tmp_path: Path) -> None:
    """Its import is most of a second of CPU, paid by every session before it has done anything."""
    client = {"name": "x", "version": "1"}
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    ]
    words = [sys.executable, "-P", "-X", "importtime", "-m", "gitmem", "mcp", "-C", str(tmp_path)]
    lines = b"".join(json.dumps(item).encode() + b"\n" for item in messages)
    done = subprocess.run(words, input=lines, capture_output=True, check=True, timeout=60)
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == [1, 2]
    loaded = {line.rpartition(b"|")[2].strip().decode() for line in done.stderr.splitlines()}
    assert "gitmem.mcp.rpc.opening" in loaded
    assert not loaded & {"mcp", "mcp_types", "pydantic", "anyio", "asyncio", "click", "json"}


@POSIX
@pytest.mark.parametrize(
    ("closed", "status"),
    [
        ("2>&-", 0),
        ("2>&- </dev/null", 0),
        (">&-", 7),
        ("<&-", 7),
        (">&- 2>&-", 7),
        ("<&- >&- 2>&-", 7),
    ],
)
def test_server_whose_streams_are_closed_serves_or_says_why_not(
    site: Site, closed: str, status: int
) -> None:
    """What is opened next takes the place of a stream that is closed, and must not be its twin."""
    done = subprocess.run(
        ["sh", "-c", f'exec "$@" {closed}', "sh", *command("mcp")],
        cwd=site.path,
        env=site.env,
        input=b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n',
        capture_output=True,
        check=False,
    )
    assert done.returncode == status, done
    assert (b'"id":1' in done.stdout) == (closed == "2>&-")
    assert b"2>" in closed.encode() or b"Standard input or output is closed." in done.stderr
    assert not (site.env["GITMEM_HOME"] / Path("errors.log")).exists()


def lines(raw: Raw) -> list[dict[str, object]]:
    """What the server has written to its standard error, which has to be JSON."""
    raw.end()
    return [json.loads(line) for line in raw.errors.decode().splitlines()]


def test_standard_error_is_a_log_of_json_lines(site: Site) -> None:
    """CF-56: nothing unless something is wrong, and each call where log.level says so."""
    with Raw(site.path, site.env) as raw:
        raw.open()
        raw.call("recall", query="redis")
        assert lines(raw) == []
    with Raw(site.path, site.env | {"GITMEM_LOG_LEVEL": "info"}) as raw:
        raw.open()
        raw.call("recall", query="redis")
        raw.call("recall", query="redis", limit=0)
        (line,) = [line for line in lines(raw) if line["event"] == "call"]
    output = {"time", "level", "event", "command", "ms", "outcome"}
    assert output <= {*line} <= output | {"agent", "session", "request"}
    assert (line["level"], line["command"], line["outcome"]) == ("info", "recall", "done")


def test_a_damaged_store_is_reported_once_after_the_first_call(site: Site) -> None:
    """CF-56: the tables of memories are checked as soon as the server has opened them."""
    for number in range(40):
        site.gitmem("remember", f"Port {number} is taken. " + "x" * 2000)
    store = site.path / ".gitmem" / "memory.db"
    connection = apsw.Connection(str(store))
    page = connection.execute(
        "SELECT rootpage FROM sqlite_schema WHERE tbl_name = 'memories' AND type = 'index'"
    ).fetchone()[0]
    size = connection.execute("PRAGMA page_size").fetchone()[0]
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    with store.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\0" * size)
    with Raw(site.path, site.env, options=FULL) as raw:
        raw.open()
        for _ in range(2):
            raw.call("status")
        messages = [line for line in lines(raw) if line["event"] == "damaged_store"]
    (line,) = messages
    assert (line["level"], line["store"]) == ("error", str(store))
    assert line["problem"] and "doctor" in str(line["hint"])


@pytest.mark.parametrize("page", [0, 4])  # the header, the root of a table
def test_a_store_that_no_call_can_read_is_reported_once(site: Site, page: int) -> None:
    """CF-56: damage that the first call meets is in the log as well as in its answer."""
    site.gitmem("remember", "Port 6380 is taken.")
    store = site.path / ".gitmem" / "memory.db"
    connection = apsw.Connection(str(store))
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    with store.open("r+b") as file:
        file.seek(page * 4096)
        file.write(b"\xff" * 4096)
    with Raw(site.path, site.env, options=FULL) as raw:
        raw.open()
        for _ in range(2):
            answer = raw.call("recall", query="port")
            assert answer["structuredContent"]["error"]["code"] == "damaged"
        messages = [line for line in lines(raw) if line["event"] == "damaged_store"]
    (line,) = messages
    assert line["level"] == "error"
    assert "damaged" in str(line["problem"]) and "recover" in str(line["hint"])
