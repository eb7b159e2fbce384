"""The power goes at any moment: what was acknowledged is there, and nothing is corrupt (S-03).

``kill -9`` proves less: what a process wrote outlives it, synced or not.
"""

from __future__ import annotations

import random
import shutil
from pathlib import Path

from gitmem.store.db.connection import Database
from gitmem.store.memory import memories, memory_writes
from tests.reliability.scoring import Score
from tests.reliability.worlds import problems
from tests.support.power_cut import Chance, RecordedFiles, recorded_files
from tests.support.stores import START, edited, keep, make_store, open_store, said

ROUNDS = 6


def work(path: str, disk: RecordedFiles) -> None:
    """Store, edit and purge; each is told when it is done. Some writes need not be durable."""
    database = open_store(path)
    database.connection.pragma("wal_autocheckpoint", 25)
    for number in range(ROUNDS):
        stored = keep(database, said(f"Fact {number} " * 60, seed=number, tags=("a",)))
        disk.tell(f"kept {stored.id}")
        edited(database, stored, content=f"Edited {number}")
        disk.tell(f"edited {stored.id}")
        with database.lock_timeout(50, sync_commits=False), database.write():
            database.run("INSERT OR REPLACE INTO meta VALUES ('noted', ?)", (str(number),))
        if number % 3 == 2:
            with database.write():
                memory_writes.purge_memory(database, stored.id, at_ms=START)
            disk.tell(f"purged {stored.id}")
            memory_writes.erase_deleted_text_from_file(database)
    database.close()


def missing(database: Database, reported: list[str]) -> list[str]:
    """What was told and is not so."""
    wrong = []
    purged = {line.split()[1] for line in reported if line.startswith("purged")}
    for line in reported:
        done, id = line.split()
        found = memories.get_memory(database, id)
        if done == "purged":
            there = found is None and memory_writes.is_memory_purged(database, id)
        elif id in purged:
            there = found is None
        else:
            # A purge may have been done and not told yet.
            there = memory_writes.is_memory_purged(database, id) or (
                found is not None and (done == "kept" or found.content.startswith("Edited"))
            )
        wrong += [] if there else [line]
    return wrong


def test_no_power_cut_loses_what_was_acknowledged(tmp_path: Path, score: Score) -> None:
    path = tmp_path / "disk" / "memory.db"
    make_store(path).close()
    rng, fired, acknowledged = random.Random(3), 0, 0
    with recorded_files() as disk:
        work(str(path), disk)
    cuts = score.size(quick=50, full=2000)
    for number in range(cuts):
        moment = rng.randrange(len(disk.events) + 1)
        folder = tmp_path / "after"
        chance = Chance(rng)
        output = disk.cut(moment, chance, folder, path.parent)
        fired += chance.lost > 0
        database = open_store(str(folder / "memory.db"))
        assert missing(database, output) == [], f"cut {number} at {moment}"
        assert problems(database) == [], f"cut {number} at {moment}"
        database.close()
        shutil.rmtree(folder)
        acknowledged += len(output)
    score.report("power cuts", cases=cuts, fired=fired, acknowledged_writes=acknowledged)


def test_a_store_that_is_not_synced_is_caught(tmp_path: Path, score: Score) -> None:
    """The test above could fail: with ``synchronous=NORMAL`` the same cuts lose memories."""
    path = tmp_path / "disk" / "memory.db"
    make_store(path).close()
    rng, caught, cuts = random.Random(3), 0, 30
    with recorded_files() as disk:
        database = open_store(str(path))
        with database.lock_timeout(50, sync_commits=False):
            stored = keep(database, said("Fact"))
            disk.tell(f"kept {stored.id}")
        told_at = len(disk.events)
        database.close()
    for number in range(cuts):
        folder = tmp_path / str(number)
        output = disk.cut(told_at, Chance(rng), folder, path.parent)
        database = open_store(str(folder / "memory.db"))
        caught += missing(database, output) != []
        assert problems(database) == []
        database.close()
    score.report("power cuts without a sync", cases=cuts, fired=caught)
