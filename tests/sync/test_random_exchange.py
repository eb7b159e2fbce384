"""Three real clones that do anything in any order, and are killed: they come to the same."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable

import pytest

from gitmem.errors import Conflict, NotFound
from gitmem.store.file import integrity
from gitmem.store.memory import memories, sync_rows
from tests.support.amounts import amount
from tests.sync.conftest import Clone, store_of

Make = Callable[..., Clone]
STEPS, KILLS = 25, amount(4, thorough=12)


def records(clone: Clone) -> set[str]:
    """The records that a clone knows, of memories that nobody has purged."""
    with store_of(clone) as database:
        rows = database.rows("SELECT hash, kind, id FROM sync_records")
    ended = {id for _, kind, id in rows if kind == "tombstone"}
    return {hash for hash, kind, id in rows if kind == "tombstone" or id not in ended}


def believe_everybody(clone: Clone) -> None:
    with store_of(clone) as database, database.write():
        for row in sync_rows.list_sync_devices(database):
            sync_rows.set_device_accepted(database, row.device, accepted=True)


def settle(clone: Clone, chance: random.Random) -> None:
    """Decide about each waiting version, looking again before the next."""
    while versions := [item for item in clone.run("inbox").items if item.kind == "version"]:
        clone.run("inbox", action=chance.choice(("accept", "reject")), id=versions[0].id)


def step(clone: Clone, chance: random.Random, purged: set[str]) -> None:
    """Something that a person does."""
    clone.clock.advance(chance.randint(-3, 9) * 86_400_000)  # clocks differ by days, and go back
    with store_of(clone) as database:
        versions = {
            row.copy for row in sync_rows.sync_records_in_states(database, ("conflict", "settled"))
        }
    known = sorted(clone.contents().keys() - versions)
    what = chance.choice(("remember", "revise", "revise", "purge", "sync", "sync", "settle"))
    if what == "remember" or not known:
        clone.remember(f"Fact {chance.random()}")
    elif what == "revise":
        id = chance.choice(known)
        if clone.tiers()[id] == "foreign":  # an edit of what nobody accepted would stay here
            clone.run("trust", id=id)
        clone.revise(id, f"Words {chance.random()}")
    elif what == "purge":
        id = chance.choice(known)
        clone.run("purge", id=id)
        purged.add(id)
    elif what == "settle":
        settle(clone, chance)
    else:
        assert clone.sync().problems == ()
        believe_everybody(clone)


@pytest.mark.parametrize("seed", range(amount(2, thorough=8)))
def test_whatever_was_done_all_come_to_the_same(clone: Make, seed: int) -> None:
    chance, purged = random.Random(seed), set[str]()
    clones = [clone(name) for name in ("ada", "grace", "third")]
    for each in clones:
        each.remember(f"The start of {each.place.name}")
        each.sync()
    for each in clones:
        each.sync()
        believe_everybody(each)
    for _ in range(STEPS):
        step(chance.choice(clones), chance, purged)
    first = clones[0]
    for _ in range(3):  # in the end a single person decides, else two decisions may differ again
        for each in (*clones, *clones):
            believe_everybody(each)
            assert each.sync().problems == ()
        settle(first, chance)
    for each in (*clones, *clones):
        each.sync()
    for each in clones:
        assert records(each) == records(first)
        assert each.contents() == first.contents()
        assert each.sync("status").waiting == 0
        with store_of(each) as database:
            assert integrity.structure_problems(database) == []
            assert integrity.damaged_memories(database) == []
            assert all(memories.row_number_of_memory(database, id) is None for id in purged)


def test_a_killed_sync_loses_nothing(clone: Make) -> None:
    ada, grace = clone("ada"), clone("grace")
    chance, expected = random.Random(7), set[str]()
    killed = 0
    for number in range(KILLS):
        expected |= {ada.remember(f"Of ada, {number}, {part}") for part in range(5)}
        expected |= {grace.remember(f"Of grace, {number}, {part}") for part in range(5)}
        for each in (ada, grace):
            words = [sys.executable, "-m", "gitmem", "sync"]
            with subprocess.Popen(
                words, cwd=each.place, env=each.env, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            ) as process:  # fmt: skip
                time.sleep(chance.uniform(0.05, 0.6))
                process.send_signal(signal.SIGKILL)
                killed += process.wait() == -signal.SIGKILL
    assert killed
    for each in (ada, grace, ada):
        assert each.sync().problems == ()
    for each in (ada, grace):
        assert set(each.contents()) == expected
        with pytest.raises((NotFound, Conflict)):
            each.run("inbox", action="accept", id="01ARZ3NDEKTSV4RRFFQ69G5FAV")
