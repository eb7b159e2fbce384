"""What a killed backup, restore, recovery or copy left behind is purged as well (S-22)."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from tests.reliability.scoring import Score
from tests.reliability.test_s02_each_change import whole
from tests.reliability.test_s22_purge import holds
from tests.reliability.worlds import MARKER, World
from tests.support import children
from tests.support.file_faults import FailingFiles, failing_files, python_counts

pytestmark = children.needs_fork
COPYING = ("backup", "restore-backup", "recover", "drain")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return World(tmp_path_factory.mktemp("world"), GITMEM_COPY_MODE="plain")


def half_done(world: World, files: FailingFiles, work: str, number: int) -> int:
    """Kill the work at a change; in how many files the marker stands then."""
    world.put_back(work)
    files.kill_at(number)
    pid = children.start(lambda: world.run(work))
    files.stop()
    assert children.finish(pid) == -signal.SIGKILL
    for place in world.places:
        for path in place.rglob("*"):
            os.utime(path, (world.now / 1000, world.now / 1000))  # killed a moment ago
    return sum(len(holds(place, MARKER)) for place in world.places)


def left(world: World) -> list[str]:
    return [name for place in world.places for name in holds(Path(place), MARKER)]


def test_no_byte_is_left_whatever_was_killed_before(
    world: World, score: Score, monkeypatch: pytest.MonkeyPatch
) -> None:
    cases, most = 0, 0
    with failing_files(default=True) as files, python_counts(files, monkeypatch):
        for work in COPYING:
            changes = whole(world, files, work).changes
            step = max(1, changes // score.size(quick=2, full=40))
            for number in range(step // 2, changes, step):
                most = max(most, half_done(world, files, work, number))
                world.desk.run("purge", id=(world.marked,))
                assert left(world) == [], f"{work} killed at {number}"
                cases += 1
    assert most > 2, "no kill left a copy behind"
    score.report("purges after a kill", cases=cases, fired=cases, files_with_the_text=most)
