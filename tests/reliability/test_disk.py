"""A disk that is full, or fails: a clear error, nothing lost, the store as it was (S-04)."""

from __future__ import annotations

import os
import resource
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import pytest

from gitmem.errors import DiskFull, GitmemError, Unavailable
from gitmem.store.db.connection import Database, harden
from gitmem.store.file import backup, integrity
from gitmem.store.file.create import create_store
from gitmem.store.memory import memories, memory_writes
from gitmem.store.memory.filters import Filter
from tests.support import children
from tests.support.apps import Desk
from tests.support.stores import (
    START,
    edited,
    entropy,
    go_back,
    keep,
    keys_of,
    make_store,
    open_store,
    said,
)

pytestmark = children.needs_fork
ALL = Filter(states=())


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
    assert integrity.structure(database) == integrity.damaged_memories(database) == []
    assert integrity.index_problems(database) == []
    found = [memory.content for memory in memories.every(database)]
    database.close()
    return found


def limited(size: int) -> None:
    """No file of this process grows beyond ``size`` bytes from now on."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


class TestWithALimitOnTheSizeOfFiles:
    def test_a_memory_that_does_not_fit_is_refused_and_the_others_stay(self, path: str) -> None:
        def work() -> None:
            database = open_store(path)
            limited(100_000)
            with pytest.raises(DiskFull, match="could not be written"):
                for seed in range(100, 200):
                    keep(database, said("Too much " * 500, seed=seed))
            assert memories.count(database, ALL) >= 20
            assert memories.get(database, said(seed=3).id)

        assert children.run(work) == children.DONE
        kept = contents(path)
        assert [text for text in kept if text.startswith("Fact")] == [
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
            assert [one.id for one in desk.run("list").memories] == [id]
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
                backup.write(database, os.path.join(backup.folder_of(path), "memory-1.db"))

        assert children.run(work) == children.DONE
        assert os.listdir(backup.folder_of(path)) == []
        assert len(contents(path)) == 20

    def test_a_new_store_that_does_not_fit_leaves_nothing(self, tmp_path: Path) -> None:
        target = tmp_path / "new" / "memory.db"

        def work() -> None:
            limited(20_000)
            with pytest.raises(DiskFull):
                create_store(str(target), keys_of(target), now=START, entropy=entropy())

        assert children.run(work) == children.DONE
        assert os.listdir(target.parent) == [".gitignore"]

    def test_a_restore_that_does_not_fit_changes_nothing(self, path: str) -> None:
        database = open_store(path)
        source = os.path.join(backup.folder_of(path), "memory-1.db")
        backup.write(database, source)
        keep(database, said("Later", seed=999))
        database.close()

        def work() -> None:
            limited(20_000)
            with pytest.raises(DiskFull):
                go_back(source, path, source + ".aside")

        assert children.run(work) == children.DONE
        assert len(contents(path)) == 21
        assert not [name for name in os.listdir(os.path.dirname(path)) if "restoring" in name]


class Faulty(apsw.VFS):
    """The operating system's files, of which the n-th write, sync or truncation fails."""

    def __init__(self) -> None:
        super().__init__("faulty", "")
        self.left = -1
        self.lasting = False
        self.code = apsw.SQLITE_FULL
        self.failed = 0

    def fail_at(self, call: int, code: int, *, lasting: bool) -> None:
        self.left, self.code, self.lasting, self.failed = call, code, lasting, 0

    def check(self) -> None:
        if self.left < 0:
            return
        if self.left == 0:
            self.failed += 1
            self.left = 0 if self.lasting else -1
            raise apsw.exception_for(self.code)
        self.left -= 1

    def xOpen(self, name: object, flags: list[int]) -> apsw.VFSFile:
        return FaultyFile(self, name, flags)


class FaultyFile(apsw.VFSFile):
    """One file of ``Faulty``."""

    def __init__(self, vfs: Faulty, name: object, flags: list[int]) -> None:
        super().__init__("", name, flags)
        self.vfs = vfs

    def xWrite(self, data: bytes, offset: int) -> None:
        self.vfs.check()
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:
        self.vfs.check()
        super().xSync(flags)

    def xTruncate(self, size: int) -> None:
        self.vfs.check()
        super().xTruncate(size)


@pytest.fixture(scope="module")
def faulty() -> Iterator[Faulty]:
    vfs = Faulty()
    yield vfs
    vfs.unregister()


def through(path: str) -> Database:
    """The store, opened by way of the failing files."""
    flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_NOMUTEX
    database = Database(path, apsw.Connection(path, flags, vfs="faulty"), read_only=False)
    harden(database, 100)
    own = open_store(path)
    database.key = own.key
    own.close()
    database.connection.pragma("wal_autocheckpoint", 4)
    return database


def add_three(database: Database, done: list[str]) -> None:
    for seed in (100, 101, 102):
        keep(database, said(f"New {seed} " * 200, seed=seed))
        done.append(f"New {seed}")


def edit_one(database: Database, done: list[str]) -> None:
    memory = memories.get(database, said(seed=3).id)
    assert memory
    edited(database, memory, content="Edited")
    done.append("Edited")


def purge_one(database: Database, done: list[str]) -> None:
    memory = memories.get(database, said(seed=4).id)
    assert memory
    with database.write():
        memory_writes.purge(database, memory.id, at=START)
    done.append("purged")
    memory_writes.compact(database)


WORKS: list[Callable[[Database, list[str]], None]] = [add_three, edit_one, purge_one]


@pytest.mark.parametrize("work", WORKS)
@pytest.mark.parametrize("lasting", [False, True], ids=["once", "from then on"])
@pytest.mark.parametrize("code", [apsw.SQLITE_FULL, apsw.SQLITE_IOERR_FSYNC])
def test_any_call_that_fails_gives_an_error_and_loses_nothing(
    path: str,
    faulty: Faulty,
    work: Callable[[Database, list[str]], None],
    lasting: bool,
    code: int,
) -> None:
    """Every seventh call of each work (the full run of S-04 takes all)."""
    original = Path(path).read_bytes()
    for call in range(0, 600, 7):
        Path(path).write_bytes(original)
        done: list[str] = []
        database = through(path)
        faulty.fail_at(call, code, lasting=lasting)
        try:
            work(database, done)
        except GitmemError as error:
            assert isinstance(error, DiskFull if code == apsw.SQLITE_FULL else Unavailable)
        failed = faulty.failed
        faulty.left = -1
        database.close()
        kept = contents(path)
        if "purged" in done:
            assert "Fact 4" not in kept
        assert all(any(text.startswith(one) for text in kept) for one in done if one != "purged")
        assert len(kept) >= 19
        if not failed:
            break
    else:
        pytest.fail("the work makes more calls than were tried")
