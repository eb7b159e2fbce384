"""Going back to a backup by the command: the right one is found, nothing is thrown away."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gitmem.app import App
from gitmem.errors import GitmemError, NotFound, StoreDamaged
from gitmem.operations.find.list import ListMemoriesRequest, list_memories
from gitmem.operations.maintenance.backup import (
    BackupRequest,
    RestoreBackupRequest,
    make_backup,
    restore_backup,
    view_restored,
)
from gitmem.operations.maintenance.doctor import DoctorRequest, check_installation_health
from gitmem.store.file import backup
from tests.support import children
from tests.support.stores import START, add, make_app


def shown(app: App) -> list[str]:
    return sorted(item.content for item in list_memories(app, ListMemoriesRequest()).memories)


@pytest.fixture
def saved(app: App) -> str:
    """The backup of a store with ``One``; ``Two`` was added later."""
    add(app, "One")
    written = make_backup(app, BackupRequest()).written
    os.utime(written, (1, 1))
    app.clock.advance(60_000)  # type: ignore[attr-defined]
    add(app, "Two")
    return written


def ruin(app: App) -> bytes:
    app.close_stores()
    ruins = b"ruins" * 1000
    Path(app.store_path).write_bytes(ruins)
    return ruins


def test_there_and_back(app: App, saved: str) -> None:
    done = restore_backup(app, RestoreBackupRequest())
    assert (done.source, done.memories, shown(app)) == (saved, 1, ["One"])
    assert done.aside in view_restored(done)
    restore_backup(app, RestoreBackupRequest(done.aside))
    assert shown(app) == ["One", "Two"]


def test_the_newest_backup_is_taken_and_never_what_was_put_aside(app: App, saved: str) -> None:
    newer = make_backup(app, BackupRequest()).written
    add(app, "Three")
    for _ in range(2):
        assert restore_backup(app, RestoreBackupRequest()).source == newer
    assert shown(app) == ["One", "Two"]


def test_a_damaged_store_is_put_aside_as_it_is(app: App, saved: str) -> None:
    ruins = ruin(app)
    with pytest.raises(StoreDamaged, match="not a SQLite database"):
        shown(app)
    first = restore_backup(app, RestoreBackupRequest())
    assert Path(first.aside).read_bytes() == ruins
    assert restore_backup(app, RestoreBackupRequest()).source == saved
    assert shown(app) == ["One"]
    states = {
        finding.check: finding.state
        for finding in check_installation_health(app, DoctorRequest()).findings
    }
    assert states["structure"] == states["memories"] == states["index"] == "ok"


def test_a_store_that_is_gone_comes_back_and_nothing_was_put_aside(app: App, saved: str) -> None:
    app.close_stores()
    os.unlink(app.store_path)
    done = restore_backup(app, RestoreBackupRequest())
    assert (done.aside, shown(app)) == ("", ["One"])
    assert "former" not in view_restored(done)


def test_without_a_backup_it_says_so(app: App) -> None:
    with pytest.raises(NotFound):
        restore_backup(app, RestoreBackupRequest())


@pytest.mark.parametrize("content", [b"", b"text", b"SQLite format 3\x00" + bytes(200)])
def test_a_file_that_is_no_backup_changes_nothing(app: App, saved: str, content: bytes) -> None:
    Path(saved).write_bytes(content)
    with pytest.raises(GitmemError):
        restore_backup(app, RestoreBackupRequest())
    assert shown(app) == ["One", "Two"]
    assert os.listdir(backup.backup_folder(app.store_path)) == [os.path.basename(saved)]


@children.needs_fork
def test_others_go_on_writing_to_the_restored_store(app: App, saved: str, tmp_path: Path) -> None:
    """A process that had the store open before writes into the new content, not into a ghost."""
    ready, output = os.pipe()
    go, start = os.pipe()

    def work() -> None:
        other = make_app(tmp_path, seed=9)
        assert shown(other) == ["One", "Two"]
        os.write(output, b".")
        os.read(go, 1)
        add(other, "Three")

    app.close_stores()
    pid = children.start(work)
    assert os.read(ready, 1)
    restore_backup(app, RestoreBackupRequest())
    os.write(start, b".")
    assert children.finish(pid) == children.DONE
    assert shown(app) == ["One", "Three"]
    for end in (ready, output, go, start):
        os.close(end)


def test_a_backup_is_named_after_its_moment(app: App) -> None:
    add(app, "One")
    assert app.now == START
    names = [os.path.basename(make_backup(app, BackupRequest()).written) for _ in range(2)]
    assert names == ["memory-20231114T221320Z.db", "memory-20231114T221320Z-1.db"]
    assert [
        os.path.basename(copy.path) for copy in make_backup(app, BackupRequest(list=True)).backups
    ] == names
