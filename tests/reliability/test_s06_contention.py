"""Many processes on one store: nobody is turned away, nothing is lost (S-06)."""

from __future__ import annotations

import os
import struct
import time
from pathlib import Path

from gitmem.store.file import integrity
from gitmem.store.memory import memories
from gitmem.store.memory.filters import MemoryFilter
from tests.reliability.scoring import Score
from tests.support import children
from tests.support.stores import keep, make_store, open_store, said
from tests.support.waiting import PATIENCE

pytestmark = children.needs_fork

WRITERS = 8
ALL = MemoryFilter(states=())


def write(path: str, writer: int, output: int, each: int) -> None:
    """Store memories one by one and tell how long each took, in seconds."""
    database = open_store(path)
    for number in range(each):
        seed = writer * each + number
        memory = said(f"Fact {seed} of process {writer} about redis", seed=seed, tags=("load",))
        before = time.monotonic()
        keep(database, memory)
        os.write(output, struct.pack("d", time.monotonic() - before))


def read(path: str, total: int) -> None:
    """Read until all is there; what is seen only grows."""
    database = open_store(path)
    observed, end = 0, time.monotonic() + PATIENCE
    while observed < total and time.monotonic() < end:
        count = memories.count_filtered_memories(database, ALL)
        assert count >= observed
        memories.select_memories(database, ALL, limit=20)
        observed = count
        time.sleep(0.005)
    assert observed == total


def durations(reading: int) -> list[float]:
    heard = b""
    while chunk := os.read(reading, 1 << 16):
        heard += chunk
    os.close(reading)
    return sorted(value for (value,) in struct.iter_unpack("d", heard))


def test_eight_processes_write_hundreds_of_memories_each(tmp_path: Path, score: Score) -> None:
    each = score.size(quick=80, full=500)
    total = WRITERS * each
    path = str(tmp_path / ".gitmem" / "memory.db")
    make_store(Path(path)).close()
    reading, output = os.pipe()
    readers = [children.start(lambda: read(path, total)) for _ in range(2)]
    writers = [
        children.start(lambda w=writer: write(path, w, output, each)) for writer in range(WRITERS)
    ]
    os.close(output)
    took = durations(reading)
    assert [children.finish(pid) for pid in writers] == [children.DONE] * WRITERS
    assert [children.finish(pid) for pid in readers] == [children.DONE] * 2
    p50, p99 = took[len(took) // 2], took[len(took) * 99 // 100]
    database = open_store(path)
    assert memories.count_filtered_memories(database, ALL) == total == len(took)
    assert integrity.structure_problems(database) == integrity.damaged_memories(database) == []
    assert integrity.index_problems(database) == []
    database.close()
    # Every write met seven other writers.
    score.report("contended writes", cases=total, fired=total)
    score.limit("write, middle, ms", p50 * 1000, at_most=250)
    score.limit("write, 99 of 100, ms", p99 * 1000, at_most=250)
    score.limit("write, slowest, ms", took[-1] * 1000, at_most=3000)
