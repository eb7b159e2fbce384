"""Hours of use in minutes: memory, open files, processes and the log stay bounded (S-07).

Sessions come and go in processes of their own, some of them killed; one process, as an MCP server
is, lives through all of it and searches. The nightly tier goes on for half an hour.
"""

from __future__ import annotations

import os
import random
import signal
import time
from pathlib import Path

import pytest

from tests.reliability.scoring import Score
from tests.reliability.worlds import problems
from tests.support import children
from tests.support.apps import MINUTE, Desk
from tests.support.stores import open_store

pytestmark = [children.needs_fork, pytest.mark.timeout(2400)]
MB = 1 << 20


def session(desk: Desk, number: int) -> None:
    """What an agent does in a session."""
    desk.run("session start", goal=f"Session {number}")
    for fact in range(5):
        saved = desk.run("remember", text=f"Fact {fact} of session {number}").id
        desk.run("recall", query=f"fact {fact}")
        desk.run("revise", id=saved, text=f"Fact {fact} of session {number}, mended")
    desk.run("index")
    desk.run("drain")
    desk.run("upkeep")
    desk.run("session end")


def memory() -> int:
    """The resident bytes of this process."""
    fields = Path("/proc/self/statm").read_text().split()
    return int(fields[1]) * os.sysconf("SC_PAGE_SIZE")


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="asks /proc")
def test_nothing_grows_while_sessions_come_and_go(desk: Desk, score: Score) -> None:
    seconds = score.size(quick=1, full=60, nightly=1800)
    rng, begun, sizes, files, killed, number = random.Random(7), time.monotonic(), [], [], 0, 0
    least = score.size(quick=3, full=20)
    while time.monotonic() - begun < seconds or number < least:
        pid = children.start(lambda number=number: session(desk, number))
        if rng.random() < 0.3:
            time.sleep(rng.random() * 0.3)
            os.kill(pid, signal.SIGKILL)
        status = children.finish(pid)
        assert status in (children.DONE, -signal.SIGKILL), f"session {number}: standard error"
        killed += status == -signal.SIGKILL
        desk.clock.advance(5 * MINUTE)
        desk.run("search", query="fact session")
        sizes.append(memory())
        files.append(open_files())
        number += 1
    database = open_store(str(desk.store))
    assert problems(database) == []
    database.close()
    wal = Path(f"{desk.store}-wal")
    size = wal.stat().st_size if wal.exists() else 0
    # What is loaded once is loaded in the first third.
    before, after = max(sizes[: len(sizes) // 3 + 1]), max(sizes[-len(sizes) // 3 :])
    score.report("sessions", cases=number, fired=number, killed=killed)
    growth = 100 * (after / before - 1)
    score.limit("growth of the one that lives on, percent", growth, at_most=10, timed=False)
    score.limit("size of the log, MB", size / MB, at_most=64, timed=False)
    assert files[-1] <= files[0] + 1
