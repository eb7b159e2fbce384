"""Many processes on one store: nobody is turned away, nothing is lost (S-06)."""

from __future__ import annotations

import os
import struct
import time
from pathlib import Path

from gitmem.store.file import integrity
from gitmem.store.memory import memories
from gitmem.store.memory.filters import Filter
from tests.support import children
from tests.support.amounts import amount
from tests.support.stores import keep, make_store, open_store, said

pytestmark = children.needs_fork

WRITERS, EACH = 8, amount(150, thorough=500)
ALL = Filter(states=())


def write(path: str, writer: int, told: int) -> None:
    """Store memories one by one and tell how long each took, in seconds."""
    database = open_store(path)
    for number in range(EACH):
        seed = writer * EACH + number
        memory = said(f"Fact {seed} of process {writer} about redis", seed=seed, tags=("load",))
        before = time.monotonic()
        keep(database, memory)
        os.write(told, struct.pack("d", time.monotonic() - before))


def read(path: str) -> None:
    """Read until all is there; what is seen only grows."""
    database = open_store(path)
    seen, end = 0, time.monotonic() + 60
    while seen < WRITERS * EACH and time.monotonic() < end:
        before = time.monotonic()
        count = memories.count(database, ALL)
        assert time.monotonic() - before < 2
        assert count >= seen
        memories.select(database, ALL, limit=20)
        seen = count
        time.sleep(0.005)
    assert seen == WRITERS * EACH


def durations(reading: int) -> list[float]:
    heard = b""
    while chunk := os.read(reading, 1 << 16):
        heard += chunk
    os.close(reading)
    return sorted(value for (value,) in struct.iter_unpack("d", heard))


def test_eight_processes_write_hundreds_of_memories_each(tmp_path: Path) -> None:
    path = str(tmp_path / ".gitmem" / "memory.db")
    make_store(Path(path)).close()
    reading, told = os.pipe()
    begun = time.monotonic()
    readers = [children.start(lambda: read(path)) for _ in range(2)]
    writers = [children.start(lambda w=writer: write(path, w, told)) for writer in range(WRITERS)]
    os.close(told)
    took = durations(reading)
    assert [children.finish(pid) for pid in writers] == [children.DONE] * WRITERS
    assert [children.finish(pid) for pid in readers] == [children.DONE] * 2
    p50, p99 = took[len(took) // 2], took[len(took) * 99 // 100]
    print(
        f"{len(took)} writes in {time.monotonic() - begun:.1f} s: "
        f"p50 {p50 * 1e3:.1f} ms, p99 {p99 * 1e3:.0f} ms, max {took[-1] * 1e3:.0f} ms"
    )
    database = open_store(path)
    assert memories.count(database, ALL) == WRITERS * EACH
    assert integrity.structure(database) == integrity.damaged_memories(database) == []
    assert integrity.index_problems(database) == []
    database.close()
    # The bar is 250 ms and 3 s on a machine of its own; this one may run other tests meanwhile.
    assert p99 < 2.5
    assert took[-1] < 9
