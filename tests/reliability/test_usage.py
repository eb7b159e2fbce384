"""Use is counted by many and added up at once: nothing is lost or counted twice (CT-25)."""

from __future__ import annotations

import os
import signal
import time
from functools import partial
from pathlib import Path

import pytest

from gitmem.clock import DAY, SystemClock
from gitmem.store.file import integrity
from gitmem.store.session import usage
from tests.support import children
from tests.support.amounts import amount
from tests.support.stores import make_store, open_store, token

pytestmark = children.needs_fork

PROCESSES, EACH = 8, amount(200, thorough=500)
CLOCK = SystemClock()
TODAY = CLOCK.now() // DAY


@pytest.fixture
def path(tmp_path: Path) -> str:
    made = make_store(tmp_path / ".gitmem" / "memory.db")
    made.close()
    return made.path


def note(path: str, agent: str) -> None:
    for number in range(EACH):
        usage.append_usage_lines(
            path, usage.format_usage_line(TODAY, agent, "recall", 1, number, 1, token())
        )
        time.sleep(0.001)


def fold_for_ever(path: str) -> None:
    database = open_store(path)
    while True:
        usage.move_usage_log_to_table(database, now_ms=CLOCK.now(), pid=os.getpid())
        time.sleep(0.002)


def test_eight_processes_count_while_two_add_up_and_are_killed(path: str) -> None:
    writers = [children.start(partial(note, path, str(number % 4))) for number in range(PROCESSES)]
    for _ in range(3):
        folders = [children.start(partial(fold_for_ever, path)) for _ in range(2)]
        time.sleep(0.1)
        for pid in folders:
            os.kill(pid, signal.SIGKILL)
            children.finish(pid)
    assert [children.finish(pid) for pid in writers] == [children.DONE] * PROCESSES
    database = open_store(path)
    everything = usage.usage_counts_since(database, 0, include_log=True)
    usage.move_usage_log_to_table(database, now_ms=CLOCK.now(), pid=os.getpid())
    assert usage.usage_counts_since(database, 0) == everything
    each = PROCESSES // 4
    sums = each * EACH, each * sum(range(EACH)), each * EACH
    assert everything == {str(name): {"recall": sums} for name in range(4)}
    assert (
        usage.move_usage_log_to_table(database, now_ms=CLOCK.now() + 60_000, pid=os.getpid()) == 0
    )
    assert os.listdir(os.path.dirname(path)).count("memory.db") == 1
    assert not [name for name in os.listdir(os.path.dirname(path)) if "usage" in name]
    assert integrity.structure_problems(database) == []
    database.close()
