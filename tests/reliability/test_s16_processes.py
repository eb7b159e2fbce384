"""No process of gitmem outlives who needs it, and none listens (S-16; ML-41).

How a server ends with its input, a signal or a client that does not read is told in
``tests/mcp/test_life.py``; here its parent is killed, and drains are counted.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gitmem.spool import event_log, lease
from tests.mcp.conftest import Site, make_site
from tests.reliability.scoring import Score
from tests.support import children
from tests.support.cli import command
from tests.support.waiting import wait_until

pytestmark = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="reads Linux' /proc")

HELLO = (
    b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",'
    b'"capabilities":{},"clientInfo":{"name":"x","version":"1"}}}\n'
    b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n'
    b'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"status","arguments":{}}}\n'
)
# A host that starts a server with pipes and then waits; what it says first is the server's id.
HOST = """
import subprocess, sys, time
server = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
server.stdin.write(sys.stdin.buffer.read()); server.stdin.flush()
answers = [server.stdout.readline() for _ in range(2)]
print(server.pid, flush=True)
time.sleep(600)
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    return make_site(tmp_path_factory.mktemp("site"))


def listening(pid: int) -> list[str]:
    """The sockets of a process that are of the network: their numbers."""
    own = set()
    for descriptor in Path(f"/proc/{pid}/fd").iterdir():
        try:
            target = os.readlink(descriptor)
        except OSError:
            continue
        if target.startswith("socket:["):
            own.add(target[8:-1])
    table = [
        line.split()[9]
        for name in ("tcp", "tcp6", "udp", "udp6")
        for line in Path(f"/proc/{pid}/net/{name}").read_text().splitlines()[1:]
    ]
    return sorted(own & set(table))


def test_a_server_whose_host_is_killed_is_gone_in_time(site: Site, score: Score) -> None:
    rounds, slowest, gone = score.size(quick=2, full=100), 0.0, 0
    for _ in range(rounds):
        host = subprocess.Popen(
            [sys.executable, "-c", HOST, *command("mcp", "-C", str(site.path))],
            env=site.env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert host.stdin and host.stdout
        with host:
            host.stdin.write(HELLO)
            host.stdin.close()
            server = int(host.stdout.readline())
            assert children.runs(server)
            assert listening(server) == []
            begun = time.monotonic()
            host.send_signal(signal.SIGKILL)
        wait_until(lambda server=server: not children.runs(server))  # type: ignore[misc]
        slowest, gone = max(slowest, time.monotonic() - begun), gone + 1
    score.report("hosts killed", cases=rounds, fired=gone)
    score.limit("server gone, ms", slowest * 1000, at_most=2_000)


def drains(place: Path) -> set[int]:
    """The processes that work off what the hooks of a repository noted."""
    found = set()
    for process in Path("/proc").iterdir():
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
            if b"drain" in words and os.readlink(process / "cwd").startswith(str(place)):
                found.add(int(process.name))
        except (OSError, ValueError):
            continue
    return found


def test_after_many_commits_all_is_worked_off_and_no_drain_stays(site: Site, score: Score) -> None:
    """Two may start at once on a busy machine: who finds the lease taken leaves."""
    commits = score.size(quick=6, full=100)
    site.gitmem("hooks", "install")
    observed: set[int] = set()
    for number in range(commits):
        site.repo.git("commit", "-q", "--allow-empty", "-m", f"Commit {number}")
        observed |= drains(site.path)
    spool = str(site.path / ".gitmem" / "spool")
    assert event_log.count_unread_log_bytes(spool) or observed, "no hook noted anything"
    # One that is about to end has no command line any more, and still runs for a moment.
    wait_until(lambda: not drains(site.path) and not any(map(children.runs, observed)))
    assert not lease.is_spool_lease_held(spool)
    site.gitmem("drain")  # of commits that came while the last one was leaving
    assert event_log.count_unread_log_bytes(spool) == 0
    score.report("commits", cases=commits, fired=commits, drains_seen=len(observed))
