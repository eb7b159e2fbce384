"""What is done about a damaged store by verbs that were not made for it: doctor, backup, purge."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from gitmem.app import App
from gitmem.errors import NotFound
from gitmem.operations.archive.purge import PurgeMemoriesRequest, purge_memories
from gitmem.operations.internal.upkeep import run_upkeep
from gitmem.operations.maintenance.backup import (
    BackupRequest,
    RestoreBackupRequest,
    make_backup,
    restore_backup,
    view_backups,
)
from gitmem.operations.maintenance.doctor import DoctorRequest, check_installation_health
from gitmem.operations.registry import EmptyRequest
from gitmem.store.memory import memories
from tests.support.stores import add, make_app


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    made = make_app(tmp_path)
    yield made
    made.close()


def test_doctor_names_recover_for_a_damaged_memory_and_still_mends_the_index(
    app: App,
) -> None:
    id = add(app, "Redis listens on 6380")
    add(app, "Tests need Redis")
    app.store.run("UPDATE memories SET content = 'x' WHERE id = ?", (id,))
    app.store.run("DELETE FROM memory_tags")
    app.store.run("INSERT INTO memory_tags (tag, seq) VALUES ('stray', 99)")
    found = {
        finding.check: finding
        for finding in check_installation_health(app, DoctorRequest(fix=True)).findings
    }
    assert found["memories"].state == "problem"
    assert id in found["memories"].message
    assert "gitmem recover" in found["memories"].hint
    assert found["index"].state == "fixed"


def test_doctor_reports_and_deletes_what_killed_processes_left(app: App) -> None:
    left = Path(app.store_path).parent / ".new-gone.db"
    left.write_text("a copy")
    os.utime(left, (app.now / 1000 - 7200, app.now / 1000 - 7200))
    states = [
        finding.state
        for finding in check_installation_health(app, DoctorRequest()).findings
        if finding.check == "leftovers"
    ]
    assert states == ["note"]
    assert left.exists()
    found = check_installation_health(app, DoctorRequest(fix=True)).findings
    assert [item.state for item in found if item.check == "leftovers"] == ["fixed"]
    assert not left.exists()


def test_restore_backup_takes_the_newest_that_is_whole(app: App) -> None:
    add(app, "Redis listens on 6380")
    good = make_backup(app, BackupRequest()).written
    app.store.run("UPDATE memories SET content = 'x'")
    app.clock.advance(60_000)
    result = make_backup(app, BackupRequest())
    assert result.written.endswith("-damaged.db")
    assert "gitmem recover" in view_backups(result)
    listed = {
        backup.path: backup.state for backup in make_backup(app, BackupRequest(list=True)).backups
    }
    assert listed == {good: "verified", result.written: "damaged"}
    done = restore_backup(app, RestoreBackupRequest())
    assert done.source == good
    assert done.aside.endswith("-damaged.db")
    assert Path(done.aside).exists()
    assert [memory.content for memory in memories.all_memories(app.store)] == [
        "Redis listens on 6380"
    ]


def test_without_a_whole_backup_restore_says_what_to_do(app: App) -> None:
    add(app, "Redis listens on 6380")
    app.store.run("UPDATE memories SET content = 'x'")
    make_backup(app, BackupRequest())
    with pytest.raises(NotFound, match="None of the backups is undamaged") as caught:
        restore_backup(app, RestoreBackupRequest())
    assert "gitmem recover" in caught.value.hint


def test_no_copy_that_a_killed_process_left_survives_a_purge_or_an_upkeep(app: App) -> None:
    left = Path(app.store_path).parent / "backups" / ".memory-1.db.99999999999999999999.tmp"
    left.parent.mkdir(mode=0o700, exist_ok=True)
    id = add(app, "Redis listens on 6380")
    left.write_text("Redis listens on 6380")
    purge_memories(app, PurgeMemoriesRequest((id,)))
    assert not left.exists()
    left.write_text("Redis listens on 6380")
    app.clock.advance(2 * 86_400_000)
    add(app, "Something else")
    run_upkeep(app, EmptyRequest())
    assert not left.exists()
