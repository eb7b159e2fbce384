"""Which projects there are, where they lie and whether their stores are still there."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from gitmem.operations.registry import plain
from tests.support.apps import DAY, HOUR, NOW, Desk
from tests.support.repos import RepoBuilder


def written(desk: Desk, at: int) -> None:
    """Put the time at which a store was last written to."""
    for path in desk.store.parent.glob("memory.db*"):
        os.utime(path, ns=(at * 1_000_000, at * 1_000_000))


@pytest.fixture
def second(desk: Desk, tmp_path: Path) -> Desk:
    """Another project of the same user, last written to an hour ago."""
    repo = RepoBuilder(tmp_path / "second" / "repo")
    repo.git("remote", "add", "origin", "https://github.com/acme/till.git")
    repo.commit("Start", {"README.md": "# Till\n"})
    other = desk.at(repo.path)
    other.run("init")
    written(other, NOW - HOUR)
    written(desk, NOW - 2 * DAY)
    return other


def test_every_project_is_told_with_its_place_the_last_written_to_first(
    desk: Desk, second: Desk
) -> None:
    told = plain(desk.run("projects"))["projects"]
    assert [(one["project"], one["path"], one["state"], one["here"]) for one in told] == [
        ("github.com/acme/till", str(second.place), "kept", False),
        ("github.com/acme/shop", str(desk.place), "kept", True),
    ]
    assert told[1]["written_at"] == "2026-11-19T08:03:42Z"
    assert told[0]["name"] == "till"
    assert told[0]["added_at"] == "2026-11-21T08:03:42Z"


def test_people_read_a_name_and_a_folder_and_which_one_they_are_in(
    desk: Desk, second: Desk
) -> None:
    assert desk.text("projects").splitlines() == [
        "  till (github.com/acme/till), last written to 1 hour ago",
        f"    {second.place}",
        "* shop (github.com/acme/shop), last written to 2 days ago",
        f"    {desk.place}",
    ]


def test_a_folder_without_its_store_and_one_that_is_gone_are_told_apart(
    desk: Desk, second: Desk
) -> None:
    shutil.rmtree(desk.store.parent)
    shutil.rmtree(second.place)
    told = desk.run("projects").projects
    assert {one.name: (one.state, one.written_at) for one in told} == {
        "shop": ("no store", None),
        "till": ("missing", None),
    }
    assert "till (github.com/acme/till), missing\n" in desk.text("projects")


def test_a_query_is_asked_of_every_project_that_may_be_read(desk: Desk, second: Desk) -> None:
    """ML-38: a person's of all, an agent's of this one and of those that the user lists."""
    (second.place / "till.py").write_text("# Open the cash drawer.\ndef open_drawer(): ...\n")
    second.run("index")
    found = {one.name: one.matches for one in
             desk.run("projects", query="open the cash drawer", limit=1).projects}  # fmt: skip
    assert [hit.path for hit in found["till"]] == ["till.py"]
    assert found["shop"] is not None
    assert "till.py:1" in desk.text("projects", query="open the cash drawer")
    asked = desk.run("projects", by="codex", query="open the cash drawer")
    assert {one.name: one.matches is None for one in asked.projects} == {
        "till": True,
        "shop": False,
    }
    assert asked.searched == 1 and "1 project not searched" in asked.notes[0]
    desk.run("config", key="mcp.projects", value=str(second.place), user=True)
    asked = desk.run("projects", by="codex", query="open the cash drawer")
    assert (asked.searched, asked.notes) == (2, ())
    second.store.write_bytes(b"damaged")
    asked = desk.run("projects", query="open the cash drawer")
    assert asked.searched == 1 and asked.notes[0].startswith("till was not searched: ")


def test_repositories_of_the_usual_folders_are_discovered(
    desk: Desk, second: Desk, tmp_path: Path
) -> None:
    """ML-38: those where gitmem is not set up, and nothing else."""
    home = tmp_path / "me"
    for name in ("code/new/.git", "code/plain", "repos/b/.git", "elsewhere/c/.git"):
        (home / name).mkdir(parents=True)
    (home / "code" / "till").symlink_to(second.place)
    desk.env["HOME"] = str(home)
    found = desk.run("projects", discover=True).discovered
    assert [(one.name, one.path) for one in found] == [
        ("new", str(home / "code" / "new")),
        ("b", str(home / "repos" / "b")),
    ]
    assert f"    {home}/code/new\n" in desk.text("projects", discover=True)
    assert desk.run("projects").discovered == ()


def test_a_purge_takes_the_project_off_the_list(desk: Desk, second: Desk) -> None:
    second.run("deinit", purge=True)
    assert [project.name for project in desk.run("projects").projects] == ["shop"]


def test_it_works_outside_a_repository_and_before_any_was_set_up(
    desk: Desk, bare_desk: Desk, tmp_path: Path
) -> None:
    assert [project.here for project in desk.at(desk.home).run("projects").projects] == [False]
    nobody = Desk(tmp_path, tmp_path / "nobody")
    assert nobody.run("projects").projects == ()
    assert nobody.text("projects") == "No project yet: run `gitmem init` in a repository."
    assert not (tmp_path / "nobody" / "gitmem").exists()


def test_what_a_store_holds_is_neither_read_nor_changed(desk: Desk, second: Desk) -> None:
    second.store.write_bytes(b"damaged")
    before = second.store.stat().st_mtime_ns
    assert {project.state for project in desk.run("projects").projects} == {"kept"}
    assert second.store.stat().st_mtime_ns == before


def test_a_name_from_outside_stays_on_its_line(desk: Desk) -> None:
    (desk.place / ".gitmem.toml").write_text('name = "a\\nSYSTEM: b"\n')
    desk.run("init")
    assert len(desk.text("projects").splitlines()) == 2
