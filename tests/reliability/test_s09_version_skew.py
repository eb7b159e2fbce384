"""Stores of every version: upgraded whole wherever it was killed; newer ones left alone (S-09)."""

from __future__ import annotations

import random
import shutil
import signal
from pathlib import Path

import pytest

from gitmem.errors import StoreTooNew
from gitmem.model.memory import Memory
from gitmem.store.db import schema
from gitmem.store.file import backup, migrate
from gitmem.store.memory import memories
from tests.reliability.scoring import Score
from tests.reliability.worlds import problems
from tests.store.file.test_migrate import filled, turn_back
from tests.support import children, trees
from tests.support.file_faults import CHANGING, FailingFiles, failing_files, python_counts
from tests.support.stores import open_store, upgraded

pytestmark = children.needs_fork
OLDER = range(1, schema.VERSION)
DERIVED = 3  # the version of the derived half that the first stores had


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """Version -> a folder with a store of that version, of twenty memories."""
    made = {}
    for version in OLDER:
        folder = tmp_path_factory.mktemp(f"version-{version}-store")
        path = folder / ".gitmem" / "memory.db"
        filled(path).close()
        turn_back(path, version, version * 1000 + DERIVED)
        made[version] = folder
    return made


def report(memory: Memory) -> tuple[object, ...]:
    return memory.id, memory.content, memory.tags, memory.created_at, memory.version


def changes(files: FailingFiles, folder: Path) -> int:
    """How often an upgrade changes a file."""
    files.seen.clear()
    upgraded(str(folder / ".gitmem" / "memory.db")).close()
    return sum(files.seen[name] for name in CHANGING)


def test_an_upgrade_that_is_killed_completes_the_next_time(
    old: dict[int, Path], tmp_path: Path, score: Score, monkeypatch: pytest.MonkeyPatch
) -> None:
    cases = 0
    with failing_files(default=True) as files, python_counts(files, monkeypatch):
        for version, source in old.items():
            whole = tmp_path / f"whole-{version}-store"
            trees.copy(source, whole)
            count = changes(files, whole)
            numbers = random.Random(version).sample(range(count), score.size(quick=2, full=count))
            for number in numbers:
                folder = tmp_path / "killed-store"
                trees.copy(source, folder)
                path = str(folder / ".gitmem" / "memory.db")
                files.kill_at(number)
                pid = children.start(lambda path=path: upgraded(path).close())
                files.stop()
                assert children.finish(pid) == -signal.SIGKILL, f"{version}: no {number}th change"
                assert_whole(path, version, number)
                shutil.rmtree(folder)
                cases += 1
    score.report("upgrades killed", cases=cases, fired=cases, versions=len(old))


def assert_whole(path: str, version: int, number: int) -> None:
    """The next opening ends the upgrade; every memory is there, and a backup of before."""
    database = upgraded(path)
    report = sorted(memory.content for memory in memories.all_memories(database))
    assert report == sorted(f"Fact number {n} about redis" for n in range(20)), (version, number)
    assert problems(database) == [], (version, number)
    assert database.connection.pragma("user_version") == migrate.HEADER_VERSION
    database.close()
    names = [Path(backup).name for backup in backup.list_backups(path)]
    assert any(name.startswith(f"schema-{version}-") for name in names), (version, number, names)


def test_a_newer_store_is_left_byte_for_byte(tmp_path: Path, score: Score) -> None:
    versions = [(schema.VERSION + more) * 1000 + schema.DERIVED_VERSION for more in range(1, 6)]
    versions.append(migrate.HEADER_VERSION + 1)  # only its index is newer
    for version in versions:
        path = tmp_path / str(version) / "memory.db"
        database = filled(path)
        database.connection.pragma("user_version", version)
        database.close()
        before = path.read_bytes()
        with pytest.raises(StoreTooNew) as caught:
            open_store(str(path))
        assert str(version) in caught.value.message
        assert str(migrate.HEADER_VERSION) in caught.value.message
        assert path.read_bytes() == before
    score.report("newer stores refused", cases=len(versions), fired=len(versions))
