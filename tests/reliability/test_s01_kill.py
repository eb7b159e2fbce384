"""Killed at any moment: what was acknowledged is there, the rest is not half there (S-01)."""

from __future__ import annotations

import itertools
import os
import random
import select
import signal
import time
from pathlib import Path

from gitmem.model.memory import Link
from gitmem.model.session import Event
from gitmem.store.file import integrity
from gitmem.store.memory import memories, memory_writes
from gitmem.store.session import sessions
from tests.reliability.scoring import Score
from tests.store.session.test_sessions import BASE as SESSION
from tests.support import children
from tests.support.stores import START, edited, keep, make_store, open_store, said

pytestmark = children.needs_fork


def work(path: str, generation: int, output: int) -> None:
    """Write for ever; after each commit tell what is now stored, in a line."""
    database = open_store(path)
    for number in itertools.count():
        seed = generation * 10_000 + number * 10
        stored = keep(database, said(f"Fact {seed} " * 30, seed=seed, tags=("a", f"t{number}")))
        os.write(output, f"kept {stored.id}\n".encode())
        edited(database, stored, content=f"Edited {seed}")
        os.write(output, f"edited {stored.id}\n".encode())
        other = keep(database, said(f"Other {seed}", seed=seed + 1))
        with database.write():
            memory_writes.add_link(
                database, Link(other.id, other.id, stored.id, "SOLVES", 0.5, "", START)
            )
            sessions.save_session(database, SESSION)
            sessions.add_event(
                database, Event(other.id, START, "note", SESSION.id, "", "", "", "", "note")
            )
        os.write(output, f"linked {other.id}\n".encode())
        if number % 3 == 0:
            with database.write():
                memory_writes.purge_memory(database, other.id, at_ms=START)
            os.write(output, f"purged {other.id}\n".encode())
            memory_writes.erase_deleted_text_from_file(database)


def killed(path: str, generation: int, rng: random.Random) -> list[str]:
    """What the child had told when it was killed, some time after its first word."""
    reading, output = os.pipe()
    pid = children.start(lambda: work(path, generation, output))
    os.close(output)
    select.select([reading], [], [], 30)
    time.sleep(rng.random() * 0.08)
    os.kill(pid, signal.SIGKILL)
    heard = b""
    while chunk := os.read(reading, 65536):
        heard += chunk
    os.close(reading)
    assert children.finish(pid) == -signal.SIGKILL
    return heard.decode().splitlines()


def lost(path: str, acknowledged: list[str]) -> list[str]:
    """Acknowledgements that the store does not bear out."""
    database = open_store(path)
    missing = []
    purged = {line[7:] for line in acknowledged if line.startswith("purged")}
    for line in acknowledged:
        action, id = line.split()
        found = memories.get_memory(database, id)
        if action == "purged":
            there = found is None and memory_writes.is_memory_purged(database, id)
        elif id in purged:
            there = found is None
        elif action == "linked":
            # The child may have been killed after a purge and before it could tell.
            there = bool(memories.links_of_memory(database, id)) or memory_writes.is_memory_purged(
                database, id
            )
        else:
            there = found is not None and (action == "kept" or found.version == 2)
        if not there:
            missing.append(line)
    database.close()
    return missing


def test_kills_at_any_moment_lose_nothing(tmp_path: Path, score: Score) -> None:
    path = str(tmp_path / ".gitmem" / "memory.db")
    make_store(Path(path)).close()
    rng = random.Random(20)
    total, slowest, kills = 0, 0.0, score.size(quick=10, full=1000)
    for generation in range(kills):
        acknowledged = killed(path, generation, rng)
        total += len(acknowledged)
        before = time.monotonic()
        open_store(path).close()
        slowest = max(slowest, time.monotonic() - before)
        assert lost(path, acknowledged) == []
        if generation % 10 == 9:
            database = open_store(path)
            assert integrity.structure_problems(database) == []
            assert integrity.damaged_memories(database) == []
            assert integrity.index_problems(database) == []
            database.close()
    score.report("kills", cases=kills, fired=kills, acknowledged_writes=total)
    score.limit("reopen ms", slowest * 1000, at_most=1000)
    assert total > kills
