"""A backup is a whole store at one moment; going back to one loses nothing."""

from __future__ import annotations

import os
import stat
import time
from pathlib import Path

import apsw
import pytest

from gitmem.errors import (
    Conflict,
    ForeignFile,
    GitmemError,
    NotFound,
    ReadOnly,
    StoreBusy,
    StoreDamaged,
    StoreTooNew,
)
from gitmem.store.db import full_text
from gitmem.store.db.connection import Database
from gitmem.store.file import backup, copy_check, integrity
from gitmem.store.memory import memories
from gitmem.store.memory.filters import MemoryFilter
from tests.support import children
from tests.support.stores import edited, go_back, keep, make_store, open_store, reopened, said

ALL = MemoryFilter(states=())


def contents(path: str | Path) -> list[str]:
    database = open_store(str(path))
    assert integrity.structure_problems(database) == integrity.damaged_memories(database) == []
    found = [memory.content for memory in memories.all_memories(database)]
    database.close()
    return found


@pytest.fixture
def saved(database: Database) -> str:
    """A backup of a store with one memory, ``One``."""
    keep(database, said("One", seed=1))
    target = os.path.join(backup.backup_folder(database.path), "memory-1.db")
    backup.write_backup(database, target)
    return target


def test_a_backup_holds_everything_and_is_private(database: Database, saved: str) -> None:
    assert contents(saved) == ["One"]
    assert stat.S_IMODE(os.stat(saved).st_mode) == 0o600
    assert stat.S_IMODE(os.stat(os.path.dirname(saved)).st_mode) == 0o700
    assert os.listdir(os.path.dirname(saved)) == ["memory-1.db"]
    Path(saved).with_name("README.txt").write_text("Copied to the other disk each week.")
    assert backup.list_backups(database.path) == [saved]


def test_a_backup_is_on_the_disk_before_it_has_its_name(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a power cut could leave a backup with nothing in it; its name is synced after it."""
    target, real = tmp_path / "copies" / "1.db", os.fsync
    synced: list[tuple[int, bool]] = []

    def seen(descriptor: int) -> None:
        real(descriptor)
        synced.append((os.fstat(descriptor).st_ino, target.exists()))

    monkeypatch.setattr(os, "fsync", seen)
    backup.write_backup(database, str(target))
    assert synced[-2:] == [(target.stat().st_ino, False), (target.parent.stat().st_ino, True)]


def test_a_file_that_is_there_is_not_overwritten(database: Database, tmp_path: Path) -> None:
    target = tmp_path / "mine.txt"
    target.write_text("mine")
    with pytest.raises(Conflict):
        backup.write_backup(database, str(target))
    assert target.read_text() == "mine"


@pytest.mark.parametrize("target", ["{file}/x.db", "/proc/x.db"])
def test_a_place_that_takes_no_file_is_reported(
    database: Database, tmp_path: Path, target: str
) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ReadOnly):
        backup.write_backup(database, target.format(file=tmp_path / "file"))


@children.needs_fork
def test_a_backup_made_while_another_process_writes_is_of_one_moment(
    database: Database, tmp_path: Path
) -> None:
    """The other process always writes two memories together."""

    def work() -> None:
        own = reopened(database)
        for seed in range(100, 400, 2):
            with own.write():
                keep(own, said(f"Fact {seed}", seed=seed))
                keep(own, said(f"Fact {seed + 1}", seed=seed + 1))

    child = children.start(work)
    copies = []
    for number in range(5):
        copies.append(tmp_path / "copies" / f"{number}.db")
        backup.write_backup(database, str(copies[-1]))
        time.sleep(0.02)
    assert children.finish(child) == children.DONE
    sizes = [len(contents(copy)) for copy in copies]
    assert all(size % 2 == 0 for size in sizes)
    assert sizes == sorted(sizes)
    assert len(contents(database.path)) == 300


def test_pruning_keeps_the_newest_timed_ones(database: Database, saved: str) -> None:
    folder = Path(saved).parent
    os.unlink(saved)
    stamp = "memory-20260101T00000"
    names = [f"{stamp}0Z.db", f"{stamp}1Z.db", f"{stamp}1Z-1.db", "schema-1-01.db", "mine.db"]
    for name in names:
        (folder / name).touch()
    doomed = backup.prune_backups(database.path, "memory", 1)
    assert [os.path.basename(path) for path in doomed] == names[:2]
    assert sorted(os.listdir(folder)) == sorted(names[2:])


class TestGoingBack:
    def test_to_a_backup_keeps_what_was_there(self, database: Database, saved: str) -> None:
        keep(database, said("Two", seed=2))
        database.close()
        aside = saved.replace("memory", "before")
        go_back(saved, database.path, aside)
        assert contents(database.path) == ["One"]
        assert contents(aside) == ["One", "Two"]
        assert not list(Path(database.path).parent.glob("*.restoring"))

    def test_while_others_have_it_open_shows_them_the_old_or_the_new(
        self, database: Database, saved: str
    ) -> None:
        keep(database, said("Two", seed=2))
        reading = reopened(database)
        reading.connection.execute("BEGIN")
        assert memories.count_filtered_memories(reading, ALL) == 2
        go_back(saved, database.path, saved + ".aside")
        assert memories.count_filtered_memories(reading, ALL) == 2
        reading.connection.execute("COMMIT")
        assert memories.count_filtered_memories(reading, ALL) == 1
        keep(database, said("Three", seed=3))
        assert memories.count_filtered_memories(reading, ALL) == 2
        reading.close()

    @children.needs_fork
    def test_waits_for_a_writer_and_then_gives_up_without_a_change(
        self, database: Database, saved: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        keep(database, said("Two", seed=2))
        monkeypatch.setattr(
            "gitmem.store.file.opening.open_store.__kwdefaults__",
            {"lock_timeout_ms": 100, "read_only": False},
        )
        with children.holding(database.path), pytest.raises(StoreBusy):
            go_back(saved, database.path, saved + ".aside")
        assert contents(database.path) == ["One", "Two"]

    @children.needs_fork
    def test_never_moves_a_store_away_that_cannot_be_opened_now(
        self, database: Database, saved: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """What its writer is about to write would be lost with it."""
        keep(database, said("Two", seed=2))
        database.connection.pragma("journal_mode", "DELETE")
        database.close()
        before = os.stat(database.path).st_ino
        monkeypatch.setattr(
            "gitmem.store.file.opening.open_store.__kwdefaults__",
            {"lock_timeout_ms": 50, "read_only": False},
        )
        with children.holding(database.path, "BEGIN EXCLUSIVE"), pytest.raises(StoreBusy):
            go_back(saved, database.path, saved + ".aside")
        assert os.stat(database.path).st_ino == before
        assert contents(database.path) == ["One", "Two"]

    @children.needs_fork
    def test_over_a_damaged_store_takes_its_log_away_with_it(
        self, database: Database, saved: str
    ) -> None:
        """What stands in the log would be written into the restored store."""
        database.close()

        def work() -> None:
            own = open_store(database.path)
            keep(own, said("Two", seed=2))
            os._exit(children.DONE)  # as a killed process: the log stays

        assert children.run(work) == children.DONE
        log = Path(database.path + "-wal").read_bytes()
        Path(database.path).write_bytes(b"ruins" * 1000)
        go_back(saved, database.path, saved + ".aside")
        assert contents(database.path) == ["One"]
        assert Path(saved + ".aside-wal").read_bytes() == log
        assert os.path.exists(saved + ".aside-shm")

    def test_over_a_damaged_store_moves_that_aside(self, database: Database, saved: str) -> None:
        database.close()
        Path(database.path).write_bytes(b"ruins" * 1000)
        aside = saved + ".aside"
        go_back(saved, database.path, aside)
        assert contents(database.path) == ["One"]
        assert Path(aside).read_bytes() == b"ruins" * 1000

    def test_from_elsewhere_where_no_backup_folder_is(
        self, database: Database, saved: str, tmp_path: Path
    ) -> None:
        elsewhere = tmp_path / "copy.db"
        os.rename(saved, elsewhere)
        os.rmdir(os.path.dirname(saved))
        database.close()
        Path(database.path).write_bytes(b"ruins")
        go_back(str(elsewhere), database.path, saved)
        assert contents(database.path) == ["One"]
        assert Path(saved).read_bytes() == b"ruins"

    @pytest.mark.parametrize("gone", [False, True])
    def test_gives_a_store_that_writes_ahead(
        self, database: Database, saved: str, gone: bool
    ) -> None:
        """Readers would wait for writers otherwise."""
        database.close()
        if gone:
            os.unlink(database.path)
        go_back(saved, database.path, saved + ".aside")
        restored = open_store(database.path)
        assert restored.value("PRAGMA journal_mode") == "wal"
        assert stat.S_IMODE(os.stat(database.path).st_mode) == 0o600
        restored.close()

    def test_from_a_folder_that_everybody_can_write(
        self, database: Database, saved: str, tmp_path: Path
    ) -> None:
        shared = tmp_path / "shared"
        shared.mkdir()
        shared.chmod(0o1777)
        os.rename(saved, shared / "copy.db")
        go_back(str(shared / "copy.db"), database.path, saved)
        assert contents(database.path) == ["One"]

    def test_to_a_backup_of_an_edited_memory_brings_its_history(
        self, database: Database, saved: str
    ) -> None:
        (stored,) = memories.all_memories(database)
        edited(database, stored, content="Edited")
        second = saved + ".second"
        backup.write_backup(database, second)
        go_back(saved, database.path, saved + ".aside1")
        go_back(second, database.path, saved + ".aside2")
        assert contents(database.path) == ["Edited"]
        assert len(memories.earlier_versions(database, stored.id)) == 1


def damage(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[4096 * 2 : 4096 * 5] = bytes(4096 * 3)
    path.write_bytes(data)


def foreign(path: Path) -> None:
    path.write_bytes(b"SQLite format 3\x00" + bytes(4080))


def newer(path: Path) -> None:
    with open(path, "r+b") as file:
        file.seek(60)
        file.write((999001).to_bytes(4, "big"))


def linked(path: Path) -> None:
    os.rename(path, f"{path}.real")
    path.symlink_to(f"{path}.real")


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (damage, StoreDamaged),
        (foreign, ForeignFile),
        (newer, StoreTooNew),
        (linked, ForeignFile),
        (Path.unlink, NotFound),
        (lambda path: path.write_bytes(b""), StoreDamaged),
    ],
)
def test_what_is_no_whole_backup_is_refused_and_nothing_changes(
    database: Database, saved: str, change: object, expected: type[GitmemError]
) -> None:
    keep(database, said("Two", seed=2))
    change(Path(saved))  # type: ignore[operator]
    names = set(os.listdir(os.path.dirname(database.path)))
    with pytest.raises(expected):
        go_back(saved, database.path, saved + ".aside")
    assert contents(database.path) == ["One", "Two"]
    assert set(os.listdir(os.path.dirname(database.path))) == names
    assert not os.path.exists(saved + ".aside")


def test_leftovers_of_an_interrupted_restore_do_no_harm(database: Database, saved: str) -> None:
    for suffix in ("", "-wal", "-shm"):
        Path(f"{database.path}.{os.getpid()}.restoring{suffix}").write_bytes(b"left over" * 100)
    go_back(saved, database.path, saved + ".aside")
    assert contents(database.path) == ["One"]
    assert not [name for name in os.listdir(Path(saved).parent.parent) if "restoring" in name]


def test_without_a_folder_there_are_no_backups(path: Path) -> None:
    make_store(path).close()
    assert backup.list_backups(str(path)) == []


def test_words_are_found_in_a_backup_and_after_going_back(database: Database, saved: str) -> None:
    copy = open_store(saved)
    assert full_text.count_matching_rows(copy, "memory_text", "one", 9) == 1
    copy.close()
    keep(database, said("Two", seed=2))
    go_back(saved, database.path, saved + ".aside")
    counts = [
        full_text.count_matching_rows(database, "memory_text", word, 9) for word in ("one", "two")
    ]
    assert counts == [1, 0]
    keep(database, said("Three", seed=3))
    assert full_text.count_matching_rows(database, "memory_text", "three", 9) == 1


def spoil(database: Database, seq: int = 1) -> None:
    database.run("UPDATE memories SET content = 'x' WHERE seq = ?", (seq,))


class TestABackupOfADamagedStore:
    def test_says_so_in_its_name_and_is_kept(self, database: Database, saved: str) -> None:
        spoil(database)
        folder = backup.backup_folder(database.path)
        for _ in range(2):
            backup.write_backup(database, os.path.join(folder, "auto-1.db"))
        names = [os.path.basename(path) for path in backup.list_backups(database.path)]
        assert sorted(names) == ["auto-1-1-damaged.db", "auto-1-damaged.db", "memory-1.db"]
        assert [
            copy_check.copy_problems(path) == [] for path in (saved, f"{folder}/{names[0]}")
        ] == [
            True,
            False,
        ]

    def test_pushes_out_no_good_one(self, database: Database, saved: str) -> None:
        folder = Path(saved).parent
        for day in range(1, 5):
            (folder / f"auto-2026010{day}T000000Z.db").touch()
            (folder / f"auto-2026020{day}T000000Z-damaged.db").touch()
        backup.prune_backups(database.path, "auto", 2)
        assert sorted(os.listdir(folder)) == [
            "auto-20260103T000000Z.db",
            "auto-20260104T000000Z.db",
            "auto-20260203T000000Z-damaged.db",
            "auto-20260204T000000Z-damaged.db",
            "memory-1.db",
        ]


JUDGED = {
    "a row": "UPDATE memories SET content = 'x'",
    "an earlier version": "UPDATE versions SET snapshot = '{}'",
    "a strange table": "CREATE TABLE strange (x)",
}


def test_what_is_wrong_with_a_copy_is_reported(database: Database, saved: str) -> None:
    edited(database, keep(database, said("Two", seed=2)), content="Edited")
    assert copy_check.copy_problems(saved) == []
    for number, sql in enumerate(JUDGED.values()):
        copy = f"{saved}.{number}"
        backup.write_backup(database, copy)
        connection = apsw.Connection(copy)
        connection.execute(sql)
        connection.close()
        assert copy_check.copy_problems(copy), sql
    damage(Path(saved))
    assert copy_check.copy_problems(saved)


def test_a_temporary_file_that_cannot_be_deleted_hides_no_error(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: str) -> None:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(os, "unlink", refuse)
    assert os.path.exists(backup.write_backup(database, str(tmp_path / "1.db")))
