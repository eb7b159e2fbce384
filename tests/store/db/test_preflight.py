"""What is refused before SQLite reads a byte, and that a refusal changes nothing (S-23)."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from gitmem.errors import (
    DiskFull,
    ForeignFile,
    GitmemError,
    NotInitialized,
    ReadOnly,
    StoreDamaged,
    StoreTooNew,
    Unavailable,
)
from gitmem.store.db import preflight, schema
from gitmem.store.file import migrate
from tests.support import children
from tests.support.stores import keep, make_store, open_store, said
from tests.support.tables import table


def own_names(path: Path) -> list[str]:
    """The names beside the store; SQLite may leave an empty log where a file is cut short."""
    return sorted(set(os.listdir(path.parent)) - {"memory.db-wal", "memory.db-shm"})


def some_store(path: Path) -> None:
    database = make_store(path)
    keep(database, said())
    database.close()


def loosen(path: Path) -> None:
    path.chmod(0o620)


def loosen_folder(path: Path) -> None:
    path.parent.chmod(0o770)


def link(path: Path) -> None:
    path.rename(path.parent.parent / "real.db")
    path.symlink_to(path.parent.parent / "real.db")


def link_folder(path: Path) -> None:
    path.parent.rename(path.parent.parent / "real")
    path.parent.symlink_to(path.parent.parent / "real")


def pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path, 0o600)


def folder(path: Path) -> None:
    path.unlink()
    path.mkdir(0o700)


def header_bytes(place: int, value: int) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        with open(path, "r+b") as file:
            file.seek(place)
            file.write(value.to_bytes(4, "big"))

    return change


def content(data: bytes) -> Callable[[Path], None]:
    return lambda path: path.write_bytes(data) and None


def cut(size: int) -> Callable[[Path], None]:
    return lambda path: os.truncate(path, size)


def statement(sql: str) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        connection = apsw.Connection(str(path))
        connection.execute(sql)
        connection.close()

    return change


def foreign_database(path: Path) -> None:
    path.unlink()
    statement("CREATE TABLE memories (id)")(path)
    path.chmod(0o600)


REFUSALS: dict[str, tuple[Callable[[Path], None], type[GitmemError]]] = {
    "a link": (link, ForeignFile),
    "a linked folder": (link_folder, ForeignFile),
    "writable by the group": (loosen, ForeignFile),
    "in a folder writable by the group": (loosen_folder, ForeignFile),
    "a named pipe": (pipe, ForeignFile),
    "a folder": (folder, ForeignFile),
    "another application": (header_bytes(68, 0x12345678), ForeignFile),
    "another program's database": (foreign_database, ForeignFile),
    "a newer schema": (header_bytes(60, (schema.VERSION + 1) * 1000), StoreTooNew),
    "a newer index": (header_bytes(60, migrate.HEADER_VERSION + 1), StoreTooNew),
    "a version out of all bounds": (header_bytes(60, 0xFFFFFFFF), StoreTooNew),
    "text": (content(b"not a database" * 100), StoreDamaged),
    "empty": (content(b""), StoreDamaged),
    "cut inside the header": (cut(60), StoreDamaged),
    "cut after the header": (cut(100), StoreDamaged),
    "cut after the first page": (cut(4096), StoreDamaged),
    "with another table": (statement("CREATE TABLE extra (x)"), ForeignFile),
    "with an index": (statement("CREATE INDEX extra ON memories (title)"), ForeignFile),
    "with a view": (statement("CREATE VIEW v AS SELECT * FROM memories"), ForeignFile),
    "with a trigger": (
        statement(
            "CREATE TRIGGER t AFTER INSERT ON memories BEGIN DELETE FROM memories; END",
        ),
        ForeignFile,
    ),
    "with a table missing": (statement("DROP TABLE links"), ForeignFile),
    "with a changed column": (statement("ALTER TABLE links ADD COLUMN x TEXT"), ForeignFile),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_a_strange_store_is_refused_and_stays_as_it_was(path: Path, name: str) -> None:
    some_store(path)
    change, expected = REFUSALS[name]
    change(path)
    before = path.read_bytes() if path.is_file() else None
    names = own_names(path)
    with pytest.raises(expected) as caught:
        open_store(str(path))
    assert type(caught.value) is expected
    assert caught.value.hint
    assert (path.read_bytes() if path.is_file() else None) == before
    assert own_names(path) == names


def test_no_file_is_not_initialised(path: Path) -> None:
    with pytest.raises(NotInitialized):
        open_store(str(path))
    assert not path.parent.exists()


def test_a_link_to_nowhere_is_refused(path: Path) -> None:
    path.parent.mkdir(mode=0o700)
    path.symlink_to("nowhere")
    with pytest.raises(ForeignFile):
        open_store(str(path))


@children.needs_fork
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to another user")
def test_the_store_of_another_user_is_refused() -> None:
    with children.open_folder() as folder:
        path = folder / ".gitmem" / "memory.db"
        some_store(path)
        path.parent.chmod(0o755)
        path.chmod(0o644)

        def work() -> None:
            with pytest.raises(ForeignFile, match="another user"):
                open_store(str(path))

        assert children.run(children.as_nobody(work)) == children.DONE


def a_link(place: Path) -> None:
    (place.parent.parent / "docs").mkdir()
    place.symlink_to("../docs")


def a_link_to_nowhere(place: Path) -> None:
    place.symlink_to("../nowhere")


def a_pipe(place: Path) -> None:
    os.mkfifo(place, 0o600)


def a_file(place: Path) -> None:
    place.write_text("")


STRANGE: dict[str, tuple[str, Callable[[Path], None], str]] = {
    "backups elsewhere": ("backups", a_link, "rm .*/backups"),
    "sessions nowhere": ("sessions", a_link_to_nowhere, "rm .*/sessions"),
    "a name of theirs": ("notes", a_link, "rm .*/notes"),
    "a log that is a link": ("memory.db.usage", a_link_to_nowhere, "rm .*usage"),
    "a spool that is a pipe": ("spool", a_pipe, "move it away"),
    "a spool that is a file": ("spool", a_file, "move it away"),
    "notes of hooks that are a pipe": ("hooks.json", a_pipe, "move it away"),
}


@pytest.mark.parametrize("name", STRANGE)
def test_a_folder_in_which_something_leads_elsewhere_is_refused(path: Path, name: str) -> None:
    path.parent.mkdir(mode=0o700)
    place, make, hint = STRANGE[name]
    preflight.check_store_folder_ownership(str(path.parent))
    make(path.parent / place)
    for check in (preflight.check_store_folder_ownership, preflight.create_store_folder):
        with pytest.raises(ForeignFile, match=place) as caught:
            check(str(path.parent))
        assert re.search(hint, caught.value.hint)
    assert os.listdir(path.parent) == [place]


def test_what_lies_deeper_is_found_by_a_deep_look_alone(path: Path) -> None:
    (path.parent / "backups" / "old").mkdir(parents=True)
    a_link(path.parent / "backups" / "old" / "x.db")
    preflight.check_store_folder_ownership(str(path.parent))
    (found,) = preflight.find_foreign_files(str(path.parent), recursive=True)
    assert "x.db is a symbolic link" in found.message


def test_a_settings_file_that_is_a_link_is_found_and_holds_nothing_up(path: Path) -> None:
    path.parent.mkdir(mode=0o700)
    (path.parent / "config.toml").symlink_to("../docs")
    preflight.check_store_folder_ownership(str(path.parent))
    assert list(preflight.find_foreign_files(str(path.parent), recursive=True))


def test_of_a_folder_with_another_name_only_what_gitmem_makes_is_looked_at(tmp_path: Path) -> None:
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "theirs").symlink_to(tmp_path)
    preflight.check_store_folder_ownership(str(tmp_path / "shared"))
    (tmp_path / "shared" / "backups").symlink_to(tmp_path)
    with pytest.raises(ForeignFile):
        preflight.check_store_folder_ownership(str(tmp_path / "shared"))


def test_a_folder_that_is_not_there_or_cannot_be_read(path: Path) -> None:
    preflight.check_store_folder_ownership(str(path.parent))
    if os.geteuid():
        path.parent.mkdir(mode=0o300)
        with pytest.raises(Unavailable, match="cannot be read"):
            preflight.check_store_folder_ownership(str(path.parent))


def test_a_mounted_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "backups").mkdir()
    found = (tmp_path / "backups").lstat()
    assert preflight._strange(str(tmp_path / "backups"), found, found.st_dev) is None
    problem = preflight._strange(str(tmp_path / "backups"), found, found.st_dev + 1)
    assert problem is not None and "umount" in problem.hint


@children.needs_fork
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to another user")
def test_a_folder_of_another_user_in_ones_own_is_refused() -> None:
    with children.open_folder() as folder:
        store = folder / ".gitmem"
        (store / "backups").mkdir(parents=True)
        children.give_away(store)
        os.chown(store / "backups", 0, 0)

        def work() -> None:
            with pytest.raises(ForeignFile, match="another user") as caught:
                preflight.check_store_folder_ownership(str(store))
            assert "sudo chown" in caught.value.hint

        assert children.run(children.as_nobody(work)) == children.DONE


@table(
    ("number", "expected"),
    [
        (errno.ENOSPC, DiskFull),
        (errno.EDQUOT, DiskFull),
        (errno.EFBIG, DiskFull),
        (errno.EROFS, ReadOnly),
        (errno.EACCES, ReadOnly),
    ],
)
def test_a_refusal_of_the_system_says_whether_space_is_missing(
    number: int, expected: type[GitmemError]
) -> None:
    result = preflight.write_failure_error(OSError(number, os.strerror(number)), "The file x")
    assert type(result) is expected
    assert os.strerror(number) in result.message


MOUNTS = """\
22 1 8:1 / / rw - ext4 /dev/sda1 rw
30 22 0:40 / /home rw - nfs4 server:/home rw
31 30 0:41 / /home/me/fast rw - btrfs /dev/sdb rw
32 22 0:42 / /mnt/with\\040space rw - 9p drvfs rw
33 22 0:43 / /broken
"""


@pytest.mark.parametrize(
    ("place", "kind"),
    [
        ("/", "ext4"),
        ("/homely", "ext4"),
        ("/home", "nfs4"),
        ("/home/me/repo", "nfs4"),
        ("/home/me/fast/repo", "btrfs"),
        ("/mnt/with space/repo", "9p"),
    ],
)
def test_the_file_system_is_that_of_the_nearest_mount(
    tmp_path: Path, place: str, kind: str
) -> None:
    table = tmp_path / "mountinfo"
    table.write_text(MOUNTS)
    assert preflight.file_system_type(place, str(table)) == kind


def test_without_a_mount_table_the_file_system_is_unknown(tmp_path: Path) -> None:
    assert preflight.file_system_type("/", str(tmp_path / "missing")) == ""


def test_an_unknown_file_system_writes_ahead(tmp_path: Path) -> None:
    assert preflight.choose_journal_mode(str(tmp_path)) == "wal"


# What the kernel calls file systems, and whether processes of two machines share memory there.
KINDS = {
    "nfs": False, "nfs4": False, "cifs": False, "smb3": False, "9p": False, "ceph": False,
    "lustre": False, "virtiofs": False, "vboxsf": False, "prl_fs": False, "fakeowner": False,
    "fuse.sshfs": False, "fuse.grpcfuse": False, "fuse.osxfs": False, "fuse": False,
    "ext4": True, "xfs": True, "btrfs": True, "tmpfs": True, "overlay": True, "fuseblk": True,
}  # fmt: skip


def mounted(folder: Path, kind: str) -> str:
    """A mount table by which everything lies on a file system of this kind."""
    table = folder / f"mounts-{kind}"
    table.write_text(f"22 1 0:41 / / rw - {kind} somewhere rw\n")
    return str(table)


def test_a_rollback_journal_is_used_where_no_memory_is_shared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CC-15."""
    for kind, shares in KINDS.items():
        monkeypatch.setattr(preflight, "MOUNTS", mounted(tmp_path, kind))
        assert preflight.choose_journal_mode(str(tmp_path)) == ("wal" if shares else "delete"), kind


def test_a_store_that_was_moved_to_a_network_leaves_its_log_for_good(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CC-15. What was in the log is kept, and shared memory is never used there."""
    if os.major(tmp_path.stat().st_dev):
        pytest.skip("needs a folder without a device, such as /dev/shm")
    path = tmp_path / ".gitmem" / "memory.db"
    database = make_store(path)
    keep(database, said())
    header = path.read_bytes()[18:20]
    log, text = path.with_name("memory.db-wal"), database.value("SELECT content FROM memories")
    moved = path.parent.parent / "moved" / ".gitmem"
    moved.mkdir(parents=True, mode=0o700)
    for name in ("memory.db", "memory.db-wal"):  # as after a kill: the log has the memory
        (moved / name).write_bytes((path.parent / name).read_bytes())
        (moved / name).chmod(0o600)
    assert header == b"\x02\x02" and log.stat().st_size > 0
    database.close()
    monkeypatch.setattr(preflight, "MOUNTS", mounted(tmp_path, "nfs4"))
    other = open_store(str(moved / "memory.db"))
    assert other.journal_mode == "delete"
    assert other.value("SELECT content FROM memories") == text
    assert own_names(moved / "memory.db") == ["memory.db"]
    assert not list(moved.glob("memory.db-*"))
    # Two processes read and write it in turn, as on the disk.
    with other.write():
        other.connection.execute("UPDATE meta SET value = value WHERE key = 'counter'")
    third = open_store(str(moved / "memory.db"))
    assert third.value("SELECT content FROM memories") == text
    third.close()
    other.close()
    monkeypatch.setattr(preflight, "MOUNTS", mounted(tmp_path, "tmpfs"))
    again = open_store(str(moved / "memory.db"))
    assert again.journal_mode == "delete" and not preflight.has_write_ahead_log_on_network_disk(
        again.path
    )
    again.close()


def test_a_moved_store_that_others_have_open_stays_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if os.major(tmp_path.stat().st_dev):
        pytest.skip("needs a folder without a device, such as /dev/shm")
    path = tmp_path / ".gitmem" / "memory.db"
    first = make_store(path)
    keep(first, said())
    monkeypatch.setattr(preflight, "MOUNTS", mounted(tmp_path, "nfs4"))
    second = open_store(str(path), lock_timeout_ms=50)
    assert second.journal_mode == "wal" and preflight.has_write_ahead_log_on_network_disk(str(path))
    assert second.value("SELECT count(*) FROM memories") == 1
    first.close()
    second.close()
    last = open_store(str(path))
    assert last.journal_mode == "delete"
    last.close()
