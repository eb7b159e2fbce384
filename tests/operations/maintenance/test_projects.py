"""Which projects there are, where they lie and whether their stores are still there."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from gitmem.errors import Conflict, NotARepository, NotFound, NotInitialized, UntrustedStore
from gitmem.operations.registry import as_json_values
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
    told = as_json_values(desk.run("projects"))["projects"]
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


def test_the_list_is_kept_by_add_and_remove_and_no_store_is_touched(
    desk: Desk, second: Desk
) -> None:
    before = second.store.read_bytes()
    removed = desk.run("projects remove", name="till")
    assert (removed.project, removed.listed) == ("github.com/acme/till", False)
    assert [project.name for project in desk.run("projects list").projects] == ["shop"]
    assert second.store.read_bytes() == before
    with pytest.raises(NotFound, match="'till'"):
        desk.run("projects remove", name="till")
    assert str(second.place) in desk.text("projects add", folder=str(second.place))
    assert {project.name for project in desk.run("projects").projects} == {"shop", "till"}
    below = second.place / "src"
    below.mkdir()
    assert second.at(below).run("projects add").path == str(second.place)


def test_what_has_no_store_of_the_users_is_not_added(desk: Desk, tmp_path: Path) -> None:
    plain_repo = RepoBuilder(tmp_path / "plain" / "repo")
    plain_repo.commit("Start", {"a": ""})
    with pytest.raises(NotInitialized, match="no store"):
        desk.run("projects add", folder=str(plain_repo.path))
    assert not (plain_repo.path / ".gitmem").exists()
    (plain_repo.path / ".gitmem").mkdir()
    shutil.copy(desk.store, plain_repo.path / ".gitmem" / "memory.db")
    stranger = Desk(plain_repo.path, tmp_path / "stranger")
    with pytest.raises(UntrustedStore):
        stranger.run("projects add")
    with pytest.raises(NotARepository):
        desk.run("projects add", folder=str(tmp_path / "nowhere"))


def test_a_moved_project_is_corrected_by_add(desk: Desk, second: Desk) -> None:
    moved = second.place.rename(second.place.with_name("moved"))
    shown = desk.run("projects show", name="till")
    assert shown.project.state == "missing" and "is gone" in shown.note
    desk.run("projects add", folder=str(moved))
    assert desk.run("projects show", name="till").project.path == str(moved)
    assert len(desk.run("projects list").projects) == 2


def test_a_project_is_shown_with_its_former_keys_and_what_it_holds(
    desk: Desk, second: Desk
) -> None:
    second.run("remember", text="Receipts are printed in Courier")
    RepoBuilder(second.place, init=False).git(
        "remote", "set-url", "origin", "https://github.com/acme/cash.git"
    )
    second.run("init")
    shown = desk.run("projects show", name="github.com/acme/till")
    assert shown.project.project == "github.com/acme/cash" and shown.source == "remote"
    assert shown.aliases == ("github.com/acme/till",) and (shown.memories, shown.note) == (1, "")
    text = desk.text("projects show", name="cash")
    assert "formerly github.com/acme/till" in text and "1 memory" in text
    assert desk.run("projects show").project.here
    second.store.write_bytes(b"damaged")
    shown = desk.run("projects show", name="cash")
    assert shown.memories is None and shown.note
    with pytest.raises(Conflict, match="may not use"):
        desk.run("projects show", by="codex", name="cash")
    assert desk.run("projects show", by="codex").memories == 0


@pytest.mark.parametrize("dry_run", [True, False])
def test_keys_are_renewed_everywhere_and_a_dry_run_changes_nothing(
    desk: Desk, second: Desk, dry_run: bool
) -> None:
    """CT-33: what is moved in which project, also where nobody has run gitmem since."""
    second.run("remember", text="Receipts are printed in Courier")
    RepoBuilder(second.place, init=False).git(
        "remote", "set-url", "origin", "https://github.com/acme/cash.git"
    )
    before = {path: path.read_bytes() for path in second.store.parent.glob("memory.db*")}
    done = desk.run("projects normalise", dry_run=dry_run)
    assert [(row.project, row.former, row.moved) for row in done.projects if row.former] == [
        ("github.com/acme/cash", "github.com/acme/till", {"github.com/acme/till": 1})
    ]
    keys = {project.project for project in desk.run("projects list").projects}
    after = {path: path.read_bytes() for path in second.store.parent.glob("memory.db*")}
    assert ("github.com/acme/till" in keys) is dry_run and (before == after) is dry_run
    text = desk.text("projects normalise", dry_run=True)
    assert ("was github.com/acme/till" in text) is dry_run
    assert not desk.run("projects normalise").failed


def test_a_project_that_cannot_be_renewed_counts_as_failed_and_the_others_are(
    desk: Desk, second: Desk
) -> None:
    second.store.write_bytes(b"damaged")
    done = desk.run("projects normalise")
    assert done.failed == 1
    assert {bool(row.problem): row.path for row in done.projects} == {
        True: str(second.place),
        False: str(desk.place),
    }
    assert desk.run("projects normalise", name="shop").failed == 0


@pytest.mark.parametrize(
    ("mode", "with_flag", "plain"), [("auto", 1, 0), ("always", 1, 1), ("never", 0, 0)]
)
def test_discovery_follows_its_setting(
    desk: Desk, tmp_path: Path, mode: str, with_flag: int, plain: int
) -> None:
    """ML-38: and where no project is known yet it is done by itself, unless it is never wanted."""
    home = tmp_path / "me"
    (home / "code" / "new" / ".git").mkdir(parents=True)
    desk.env["HOME"] = str(home)
    desk.run("config", key="projects.discover", value=mode)
    assert len(desk.run("projects list").discovered) == plain
    assert len(desk.run("projects list", discover=True).discovered) == with_flag
    if mode == "never":
        assert "never" in desk.run("projects list", discover=True).notes[-1]
        with pytest.raises(Conflict, match="never"):
            desk.run("projects discover")
    else:
        assert [found.name for found in desk.run("projects discover").discovered] == ["new"]
    desk.run("projects remove", name="shop")
    assert len(desk.run("projects list").discovered) == (mode != "never")
