"""The user's own memories, which no repository holds, are backed up with any project's."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from gitmem.errors import ForeignFile, GitmemError, InvalidInput, NotFound
from tests.support.apps import DAY, MINUTE, Desk


def rules(desk: Desk) -> list[str]:
    return sorted(memory.content for memory in desk.run("list", scope="global").memories)


def saved(desk: Desk) -> list[Path]:
    folder = Path(desk.app().settings.user_store).parent / "backups"
    return sorted(folder.glob("auto-*.db"))


def test_a_backup_takes_the_global_memories_along_where_they_changed(desk: Desk) -> None:
    assert desk.run("backup").shared == () and not saved(desk)
    desk.run("remember", text="Of this project")
    desk.run("remember", text="Tabs, not spaces", scope="global")
    text = desk.text("backup")
    (first,) = saved(desk)
    assert f"your global memories: {first}" in text
    desk.clock.advance(MINUTE)
    desk.run("backup")
    assert saved(desk) == [first]
    desk.run("remember", text="Spaces, not tabs", scope="global", duplicates="allow")
    desk.run("backup")
    assert len(saved(desk)) == 2
    listed = desk.run("backup", list=True).shared
    assert [(item.path, item.state) for item in listed] == [
        (str(p), "verified") for p in saved(desk)
    ]
    assert "Of your global memories" in desk.text("backup", list=True)


def test_upkeep_does_it_too_and_keeps_few(desk: Desk) -> None:
    desk.env["GITMEM_BACKUP_KEEP"] = "2"
    for number in range(3):
        desk.run("remember", text=f"Rule {number}", scope="global", duplicates="allow")
        desk.clock.advance(2 * DAY)
        desk.run("upkeep")
    assert len(saved(desk)) == 2


def test_it_is_gone_back_to_alone(desk: Desk, tmp_path: Path) -> None:
    desk.run("remember", text="Of this project")
    desk.run("remember", text="Tabs", scope="global")
    project = Path(desk.run("backup").written)
    (shared,) = saved(desk)
    desk.clock.advance(MINUTE)
    desk.run("remember", text="Spaces", scope="global", duplicates="allow")
    with pytest.raises(InvalidInput, match="global memories"):
        desk.run("restore-backup", source=str(shared))
    with pytest.raises(ForeignFile, match="another store of yours"):
        desk.run("restore-backup", scope="global", source=str(project))
    with pytest.raises(InvalidInput):
        desk.run("restore-backup", scope="global", copy=True)
    assert rules(desk) == ["Spaces", "Tabs"]
    done = desk.run("restore-backup", scope="global")
    assert (done.memories, rules(desk)) == (1, ["Tabs"])
    assert Path(done.aside).parent == shared.parent
    assert [memory.content for memory in desk.run("list", scope="project").memories] == [
        "Of this project"
    ]
    desk.run("restore-backup", scope="global", source=done.aside)
    assert rules(desk) == ["Spaces", "Tabs"]


def test_a_file_that_is_no_store_any_more_is_gone_back_from(desk: Desk) -> None:
    desk.run("remember", text="Tabs", scope="global")
    with pytest.raises(NotFound):
        desk.run("restore-backup", scope="global")
    desk.run("backup")
    path = Path(desk.app().settings.user_store)
    path.write_bytes(b"ruins" * 1000)
    with pytest.raises(GitmemError):
        rules(desk)
    desk.run("restore-backup", scope="global")
    assert rules(desk) == ["Tabs"]


def test_what_was_purged_is_in_no_backup(desk: Desk) -> None:
    id = desk.run("remember", text="A word that goes", scope="global").id
    desk.run("backup")
    desk.run("purge", id=(id,))
    assert [b"word that goes" in path.read_bytes() for path in saved(desk)] == [False]


def test_a_backup_of_another_user_is_refused(desk: Desk, tmp_path: Path) -> None:
    desk.run("remember", text="Tabs", scope="global")
    desk.run("backup")
    (shared,) = saved(desk)
    other = Desk(desk.place, tmp_path / "other")
    planted = Path(other.app().settings.user_store).parent / "backups" / shared.name
    planted.parent.mkdir(parents=True)
    shutil.copy(shared, planted)
    with pytest.raises(NotFound):
        other.run("restore-backup", scope="global")
    with pytest.raises(ForeignFile, match="no store of yours"):
        other.run("restore-backup", scope="global", source=str(planted))


def test_an_export_says_what_is_not_in_it(desk: Desk, tmp_path: Path) -> None:
    desk.run("remember", text="Of this project")
    assert "--scope all" not in desk.text("export", target=str(tmp_path / "a.jsonl"))
    desk.run("remember", text="Tabs", scope="global")
    text = desk.text("export", target=str(tmp_path / "b.jsonl"))
    assert "1 global memory not included: --scope all" in text
    assert "--scope all" not in desk.text("export", scope="all", target=str(tmp_path / "c.jsonl"))
    assert "--scope all" not in desk.text("export")
