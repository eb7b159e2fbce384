"""No room for files to grow: a clear error, no half file, and reading goes on (S-05)."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from gitmem.errors import DiskFull
from gitmem.spool import event_log
from gitmem.store.file import backup, integrity
from gitmem.store.file.create import create_store
from gitmem.store.memory import memories
from gitmem.store.memory.filters import MemoryFilter
from tests.reliability.scoring import Score
from tests.support import children
from tests.support.apps import Desk
from tests.support.file_faults import limited
from tests.support.stores import (
    START,
    entropy,
    go_back,
    keep,
    keys_of,
    make_store,
    open_store,
    said,
)

pytestmark = children.needs_fork
ALL = MemoryFilter(states=())


@pytest.fixture
def path(tmp_path: Path) -> str:
    """A store with 20 memories."""
    database = make_store(tmp_path / ".gitmem" / "memory.db")
    for seed in range(20):
        keep(database, said(f"Fact {seed}", seed=seed))
    database.close()
    return database.path


def contents(path: str) -> list[str]:
    """What the store holds, after a look for damage."""
    database = open_store(path)
    assert integrity.structure_problems(database) == integrity.damaged_memories(database) == []
    assert integrity.index_problems(database) == []
    found = [memory.content for memory in memories.all_memories(database)]
    database.close()
    return found


class TestWithALimitOnTheSizeOfFiles:
    def test_a_memory_that_does_not_fit_is_refused_and_the_others_stay(self, path: str) -> None:
        def work() -> None:
            database = open_store(path)
            limited(100_000)
            with pytest.raises(DiskFull, match="could not be written"):
                for seed in range(100, 200):
                    keep(database, said("Too much " * 500, seed=seed))
            assert memories.count_filtered_memories(database, ALL) >= 20
            assert memories.get_memory(database, said(seed=3).id)

        assert children.run(work) == children.DONE
        saved = contents(path)
        assert [text for text in saved if text.startswith("Fact")] == [
            f"Fact {n}" for n in range(20)
        ]
        database = open_store(path)
        keep(database, said("There is room again", seed=999))
        database.close()

    def test_reading_goes_on_where_nothing_can_be_written(self, desk: Desk) -> None:
        """Not even the memory that SQLite's readers share fits, which is a file as well."""
        id = desk.run("remember", text="Redis is on 6380").id
        desk.run("session start", goal="Read on")

        def work() -> None:
            limited(1_000)
            assert [memory.id for memory in desk.run("list").memories] == [id]
            assert desk.run("recall", query="redis").memories[0].id == id
            assert desk.run("search", query="redis").hits
            assert desk.run("show", id=id).memory.content == "Redis is on 6380"
            assert desk.run("status").memories == 1
            assert "Read on" in desk.text("orient")
            for verb, values in (("remember", {"text": "more"}), ("forget", {"id": (id,)})):
                with pytest.raises(DiskFull, match="could not be written"):
                    desk.run(verb, **values)

        assert children.run(work) == children.DONE
        assert desk.run("list").total == 1
        desk.run("remember", text="There is room again")

    def test_a_backup_that_does_not_fit_leaves_no_file(self, path: str) -> None:
        def work() -> None:
            database = open_store(path)
            limited(20_000)
            with pytest.raises(DiskFull):
                backup.write_backup(
                    database, os.path.join(backup.backup_folder(path), "memory-1.db")
                )

        assert children.run(work) == children.DONE
        assert os.listdir(backup.backup_folder(path)) == []
        assert len(contents(path)) == 20

    def test_a_new_store_that_does_not_fit_leaves_nothing(self, tmp_path: Path) -> None:
        target = tmp_path / "new" / "memory.db"

        def work() -> None:
            limited(20_000)
            with pytest.raises(DiskFull):
                create_store(str(target), keys_of(target), now_ms=START, random_bytes=entropy())

        assert children.run(work) == children.DONE
        assert os.listdir(target.parent) == [".gitignore"]

    def test_a_restore_that_does_not_fit_changes_nothing(self, path: str) -> None:
        database = open_store(path)
        source = os.path.join(backup.backup_folder(path), "memory-1.db")
        backup.write_backup(database, source)
        keep(database, said("Later", seed=999))
        database.close()

        def work() -> None:
            limited(20_000)
            with pytest.raises(DiskFull):
                go_back(source, path, source + ".aside")

        assert children.run(work) == children.DONE
        assert len(contents(path)) == 21
        assert not [name for name in os.listdir(os.path.dirname(path)) if "restoring" in name]


# Verbs that write files of their own: the verb, its values below a folder.
OUTSIDE: tuple[tuple[str, Callable[[Path], dict[str, object]]], ...] = (
    ("export", lambda folder: {"target": str(folder / "out.jsonl")}),
    ("adr export", lambda folder: {"folder": "decisions"}),
    ("config", lambda folder: {"key": "orient.budget", "value": "900"}),
    ("backup", lambda folder: {"target": str(folder / "copy.db")}),
)


def test_files_outside_the_store_are_whole_or_not_there(
    desk: Desk, tmp_path: Path, score: Score
) -> None:
    """No byte more can be written, or a few: the error is clear, and no half file stays."""
    desk.run("decide", title="Use Redis", why="It is there")
    before = everything(tmp_path)
    fired = 0
    for verb, values in OUTSIDE:
        for room in (0, 10, 300):

            def work(verb: str = verb, values: object = values(tmp_path), room: int = room) -> None:
                limited(room)
                if getattr(desk.run(verb, **values), "failed", 0):
                    raise DiskFull("told in the answer", "")

            status = children.run(work)
            # In the larger room what is small fits.
            assert status == children.EXPECTED or (status == children.DONE and room == 300), verb
            fired += status == children.EXPECTED
            now = everything(tmp_path)
            half = [name for name, data in now.items() if before.get(name, data) != data]
            assert not half, (verb, room, half)
            for name in now.keys() - before.keys():
                assert room == 300, (verb, room, name)
                (tmp_path / name).unlink()
    score.report("files that do not fit", cases=3 * len(OUTSIDE), fired=fired)
    assert fired >= 2 * len(OUTSIDE)


def test_a_hook_s_line_that_does_not_fit_is_dropped_whole(tmp_path: Path, score: Score) -> None:
    """What is left of it spoils no other; whoever wrote it is told."""
    folder = tmp_path / "spool"
    folder.mkdir()
    assert event_log.append_lines(str(folder), b"first line\n", max_bytes=1 << 20)

    def work() -> None:
        limited(15)
        assert not event_log.append_lines(str(folder), b"second line\n", max_bytes=1 << 20)

    assert children.run(work) == children.DONE
    assert event_log.append_lines(str(folder), b"third line\n", max_bytes=1 << 20)
    lines = b"".join(data for _, data in event_log.read_all_log_files(str(folder))).split()
    assert lines.count(b"line") == 2  # what there is of the second stands by itself
    assert {b"first", b"third"} <= set(lines)
    score.report("lines that do not fit", cases=1, fired=1)


def everything(folder: Path) -> dict[str, bytes]:
    """Each file below a folder but the store's own, which may be read."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and "memory.db" not in path.name
    }
