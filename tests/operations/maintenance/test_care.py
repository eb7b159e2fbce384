"""Looking after a store: status, stats, doctor, backups, upkeep."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from gitmem.errors import Conflict, GitmemError, InvalidInput, NotFound, NotInitialized
from gitmem.maintenance import backups
from gitmem.maintenance.schedule import is_backup_due, is_maintenance_due
from gitmem.operations.registry import as_json_values
from gitmem.store.db import projects
from tests.support.apps import DAY, HOUR, Desk
from tests.support.repos import RepoBuilder


def states(desk: Desk, **values: object) -> dict[str, str]:
    return {finding.check: finding.state for finding in desk.run("doctor", **values).findings}


def test_status_counts_what_is_here(desk: Desk, repo: RepoBuilder) -> None:
    desk.run("remember", text="Redis is on 6380")
    desk.run("decide", title="Use SQLite")
    desk.run("decide", title="Drop 3.10", status="proposed")
    desk.run("remember", text="tabs", scope="global")
    session = desk.run("session start").session.id
    text = as_json_values(desk.run("status"))
    assert (text["memories"], text["decisions"], text["open_decisions"]) == (3, 2, 1)
    assert (text["global_memories"], text["session"]) == (1, session)
    assert (text["branch"], text["commit"], text["state"]) == ("main", repo.head(), None)
    assert (text["store"], text["read_only"]) == (str(desk.store), False)


def test_status_without_a_store_says_how_to_make_one(bare_desk: Desk) -> None:
    assert bare_desk.run("status").store == ""
    assert "gitmem init" in bare_desk.text("status")


def test_stats_count_by_kind_state_agent_and_tag(desk: Desk) -> None:
    desk.run("remember", text="one", kind="fix", tag=("a", "b"), by="codex")
    gone = desk.run("remember", text="two", tag=("a",)).id
    desk.run("forget", id=(gone,))
    text = as_json_values(desk.run("stats"))
    assert text["total"] == 2
    assert text["by_state"] == {"active": 1, "archived": 1}
    assert text["by_kind"] == {"fix": 1, "note": 1}
    assert text["by_agent"] == {"": 1, "codex": 1}
    assert text["by_tag"] == {"a": 2, "b": 1}
    assert text["file_bytes"] == desk.store.stat().st_size
    assert "person 1" in desk.text("stats")


def test_stats_need_a_store(bare_desk: Desk) -> None:
    with pytest.raises(NotInitialized):
        bare_desk.run("stats")


def test_a_healthy_store_has_no_problem(desk: Desk) -> None:
    desk.run("remember", text="Redis is on 6380")
    answer = desk.run("doctor")
    assert answer.failed == 0
    assert {"repository", "settings", "store", "permissions", "structure", "memories", "index"} <= {
        finding.check for finding in answer.findings
    }


def test_doctor_works_without_a_store_and_outside_a_repository(bare_desk: Desk) -> None:
    assert states(bare_desk)["store"] == "note"
    nowhere = bare_desk.at(bare_desk.home)
    assert states(nowhere)["repository"] == "note"


def test_doctor_finds_and_mends_loose_permissions(desk: Desk) -> None:
    desk.store.chmod(0o644)
    assert states(desk)["permissions"] == "problem"
    assert states(desk, fix=True)["permissions"] == "fixed"
    assert desk.store.stat().st_mode & 0o777 == 0o600
    assert states(desk)["permissions"] == "ok"


def test_doctor_finds_and_mends_an_index_that_lacks_a_memory(desk: Desk) -> None:
    desk.run("remember", text="Redis is on 6380")
    app = desk.app()
    with app.store.write() as store:
        store.run("DELETE FROM memory_text")
    app.close()
    assert states(desk)["index"] == "problem"
    assert states(desk, fix=True)["index"] == "fixed"
    assert desk.run("recall", query="redis").memories
    assert desk.run("doctor").failed == 0


def test_doctor_finds_a_memory_that_does_not_match_its_hash(desk: Desk) -> None:
    saved = desk.run("remember", text="Redis is on 6380").id
    app = desk.app()
    with app.store.write() as store:
        store.run("UPDATE memories SET content = 'Redis is on 9999'")
    app.close()
    answer = desk.run("doctor", fix=True)
    assert answer.failed == 1
    assert any(saved in finding.message for finding in answer.findings)


def test_doctor_reports_a_damaged_store_as_one_problem_and_keeps_it(desk: Desk) -> None:
    damaged = b"garbage" * 1000
    desk.store.write_bytes(damaged)
    answer = desk.run("doctor", fix=True)
    assert answer.failed >= 1
    assert desk.store.read_bytes() == damaged


def test_a_backup_is_a_store_one_can_go_back_to(desk: Desk) -> None:
    """CF-54."""
    saved = desk.run("remember", text="Redis is on 6380").id
    written = desk.run("backup").written
    assert Path(written).stat().st_mode & 0o777 == 0o600
    desk.run("purge", id=(desk.run("remember", text="later").id,))
    desk.run("forget", id=(saved,))
    answer = desk.run("restore-backup")
    assert answer.source == written
    assert desk.run("list").memories[0].content == "Redis is on 6380"
    assert Path(answer.aside).is_file()


def test_a_backup_goes_where_it_is_reported_and_never_over_a_file(desk: Desk) -> None:
    (desk.place / "copies").mkdir()
    answer = desk.run("backup", target="copies/one.db")
    assert answer.written == str(desk.place / "copies" / "one.db")
    with pytest.raises(Conflict):
        desk.run("backup", target="copies/one.db")
    dated = Path(desk.run("backup", target="copies").written)
    assert dated.parent == desk.place / "copies" and dated.name.startswith("memory-")
    assert [backup.path for backup in desk.run("backup", list=True).backups] == []


def test_a_backup_makes_no_folder_for_a_name_with_a_slip_in_it(desk: Desk, tmp_path: Path) -> None:
    absent = tmp_path / "nonexistent"
    for target in (str(absent / "x.db"), f"{absent}/"):
        with pytest.raises(InvalidInput) as refused:
            desk.run("backup", target=target)
        assert str(absent) in refused.value.message
    assert not absent.exists()


@pytest.mark.parametrize("target", ["README.md/x.db", "/proc/nowhere/x.db"])
def test_a_backup_to_an_impossible_place_is_refused_with_a_sentence(
    desk: Desk, target: str
) -> None:
    with pytest.raises(GitmemError) as refused:
        desk.run("backup", target=target)
    assert refused.value.hint


def test_restoring_mends_a_damaged_store_and_keeps_the_damage_aside(desk: Desk) -> None:
    desk.run("remember", text="Redis is on 6380")
    desk.run("backup")
    desk.store.write_bytes(b"garbage" * 1000)
    answer = desk.run("restore-backup")
    assert desk.run("list").total == 1
    assert Path(answer.aside).read_bytes() == b"garbage" * 1000


def test_restoring_from_nothing_or_nonsense_changes_nothing(desk: Desk) -> None:
    desk.run("remember", text="Redis is on 6380")
    with pytest.raises(NotFound):
        desk.run("restore-backup")
    with pytest.raises(NotFound):
        desk.run("restore-backup", source="nowhere.db")
    nonsense = desk.place / "nonsense.db"
    nonsense.write_bytes(b"nonsense")
    with pytest.raises(GitmemError):
        desk.run("restore-backup", source=str(nonsense))
    assert desk.run("list").total == 1


def scheduled(desk: Desk) -> bool:
    app = desk.app()
    try:
        return is_maintenance_due(app)
    finally:
        app.close()


def test_a_backup_is_due_once_a_day_whatever_the_clock_does(desk: Desk) -> None:
    assert not scheduled(desk)
    desk.clock.advance(23 * HOUR)
    assert not scheduled(desk)
    desk.clock.advance(HOUR)
    assert scheduled(desk)
    assert Path(desk.run("upkeep").backup).is_file()
    assert not scheduled(desk)
    desk.clock.advance(-3 * DAY)
    assert scheduled(desk)


def test_a_backup_that_failed_is_due_still(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.clock.advance(DAY)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    app = desk.app()
    assert is_backup_due(app)
    with monkeypatch.context() as patch, pytest.raises(GitmemError):
        patch.setattr(os, "rename", full)
        backups.back_up_store_if_due(app)
    assert is_backup_due(app)
    assert Path(backups.back_up_store_if_due(app)).is_file()
    assert not is_backup_due(app)
    app.close()


def test_an_interval_of_zero_means_never(desk: Desk) -> None:
    desk.env["GITMEM_BACKUP_INTERVAL_HOURS"] = "0"
    desk.env["GITMEM_COPY_MODE"] = "off"
    desk.clock.advance(400 * DAY)
    assert not scheduled(desk)
    assert desk.run("upkeep").backup == ""


def test_the_oldest_automatic_backups_make_room(desk: Desk) -> None:
    mine = desk.run("backup", target=".gitmem/backups/mine.db").written
    for _ in range(5):
        desk.clock.advance(DAY)
        desk.run("upkeep")
    saved = [os.path.basename(backup.path) for backup in desk.run("backup", list=True).backups]
    assert len(saved) == 4
    assert os.path.basename(mine) in saved


def test_a_backup_time_is_noted_in_the_store(desk: Desk) -> None:
    desk.clock.advance(DAY)
    desk.run("upkeep")
    app = desk.app()
    assert projects.get_meta(app.store, "backup_at") == str(desk.clock.now())
    app.close()


def test_what_has_come_to_its_end_is_archived_and_can_come_back(desk: Desk) -> None:
    desk.env["GITMEM_COPY_MODE"] = "off"
    saved = desk.run("remember", text="Server is down", ttl="1h").id
    desk.run("remember", text="Redis is on 6380")
    assert not scheduled(desk)
    desk.clock.advance(2 * HOUR)
    assert scheduled(desk)
    assert desk.run("upkeep").expired == 1
    assert not scheduled(desk)
    assert desk.run("show", id=saved).memory.state == "archived"
    desk.run("restore", id=(saved,))
    assert desk.run("show", id=saved).memory.expires_at is None
