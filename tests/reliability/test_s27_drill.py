"""The drill: all is taken away, and comes back from an export or from a backup (S-27)."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from gitmem.errors import GitmemError
from tests.reliability.scoring import Score
from tests.reliability.worlds import World, held
from tests.support.apps import DAY


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return World(tmp_path_factory.mktemp("world"))


def wiped(world: World) -> None:
    """Neither store nor key is left; gitmem is set up anew."""
    for place in world.places:
        shutil.rmtree(place)
    world.desk.run("init", no_index=True, no_hooks=True)


def records(world: World) -> list[str]:
    """What an export says of each memory and link; the first line is sealed by the store."""
    lines = world.desk.run("export").lines
    return sorted(line for line in lines if "seals" not in json.loads(line))


def test_an_export_brings_all_back(world: World, score: Score) -> None:
    world.put_back()
    before = records(world)
    lines = "\n".join(world.desk.run("export").lines)
    wiped(world)
    world.desk.run("import", source=lines, piped=True, trust=True)
    assert records(world) == before
    # Once more changes nothing.
    world.desk.run("import", source=lines, piped=True, trust=True)
    assert records(world) == before
    score.report("records exported, wiped and imported", cases=len(before), fired=len(before))


def test_a_backup_brings_all_back(world: World, score: Score) -> None:
    world.put_back()
    before = held(world.desk.store)
    world.desk.run("backup")
    for suffix in ("", "-wal", "-shm"):
        Path(f"{world.desk.store}{suffix}").unlink(missing_ok=True)
    world.desk.run("restore-backup")
    assert held(world.desk.store) == before
    score.report("stores restored from a backup", cases=1, fired=1)


def test_a_store_that_moves_while_it_is_open_loses_nothing(world: World, score: Score) -> None:
    """A server keeps it open; what it writes after the move is refused or goes along."""
    world.put_back()
    app = world.desk.app()
    opened = app.store
    moved = world.places[0].with_name(".gitmem-moved")
    os.rename(world.places[0], moved)
    try:
        with opened.write():
            opened.run("INSERT OR REPLACE INTO meta VALUES ('noted', 'after the move')")
        went_along = True
    except GitmemError:
        went_along = False
    app.close()
    os.rename(moved, world.places[0])
    after = world.state()
    world.put_back()
    assert after == world.state()
    score.report("stores moved while open", cases=1, fired=1, went_along=int(went_along))


def test_a_clock_that_goes_back_loses_and_doubles_nothing(world: World, score: Score) -> None:
    world.put_back()
    ids = []
    for step in (DAY, -400 * DAY, DAY, -3000 * DAY):
        world.desk.clock.advance(step)
        ids.append(world.desk.run("remember", text=f"Said at {world.desk.clock.now()}").id)
        world.desk.run("revise", id=ids[0], text=f"Mended at {world.desk.clock.now()}")
        world.desk.run("upkeep")
        world.desk.run("drain")
    assert len(set(ids)) == 4
    known = {memory.id for memory in world.desk.run("list", state=("any",), limit=100).memories}
    assert {*ids, *world.ids} <= known
    steps = [version.version for version in world.desk.run("history", id=ids[0]).versions]
    assert steps == sorted(steps) and len(steps) == 5
    assert not [item for item in world.state() if isinstance(item, str)]
    score.report("steps of a clock, back and forth", cases=4, fired=4)
