"""A project keeps its memories when its key changes, and what resolving it found is kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitmem.store.db import projects
from gitmem.store.db.connection import Database


def remember(database: Database, key: str, now: int, root: str = "/r") -> list[str]:
    with database.write():
        return projects.register_project(
            database, key=key, name=key, key_source="remote", root=root, now_ms=now
        )


def test_known_projects_the_last_used_first(database: Database) -> None:
    remember(database, "a", 1, "/a")
    remember(database, "b", 2, "/b")
    remember(database, "a", 3, "/a")
    assert [
        (project.key, project.first_at, project.last_at)
        for project in projects.registered_projects(database)
    ] == [
        ("a", 1, 3),
        ("b", 2, 2),
    ]


def test_another_key_for_the_same_root_makes_the_earlier_an_alias(database: Database) -> None:
    """CT-33."""
    assert remember(database, "a", 1) == []
    assert remember(database, "b", 2) == ["a"]
    assert remember(database, "c", 3) == ["b"]
    assert projects.former_project_keys(database, "c") == ["a", "b"]
    (only,) = projects.registered_projects(database)
    assert (only.key, only.first_at) == ("c", 1)


def test_going_back_to_an_earlier_key(database: Database) -> None:
    remember(database, "a", 1)
    remember(database, "b", 2)
    remember(database, "a", 3)
    assert projects.former_project_keys(database, "a") == ["b"]
    assert projects.former_project_keys(database, "b") == []


def standing(folder: Path, *names: str) -> list[str]:
    """Folders in which a store stands."""
    for name in names:
        store = folder / name / ".gitmem" / "memory.db"
        store.parent.mkdir(parents=True)
        store.touch()
    return [str(folder / name) for name in names]


def test_clones_of_one_key_are_known_each(database: Database, tmp_path: Path) -> None:
    first, second = standing(tmp_path, "first", "second")
    remember(database, "a", 1, first)
    remember(database, "a", 2, second)
    remember(database, "a", 3, second)
    found = [
        (project.root, project.first_at, project.last_at)
        for project in projects.registered_projects(database)
    ]
    assert found == [(second, 2, 3), (first, 1, 1)]
    # One that takes another key leaves the key to the other, with no alias for it.
    assert remember(database, "b", 4, second) == []
    assert {(project.key, project.root) for project in projects.registered_projects(database)} == {
        ("a", first),
        ("b", second),
    }
    assert projects.former_project_keys(database, "b") == []


def test_a_clone_that_moved_is_known_at_its_new_place_only(
    database: Database, tmp_path: Path
) -> None:
    (moved,) = standing(tmp_path, "moved")
    remember(database, "a", 1, str(tmp_path / "gone"))
    remember(database, "a", 2, moved)
    assert [
        (project.root, project.first_at) for project in projects.registered_projects(database)
    ] == [(moved, 1)]


def test_a_key_goes_to_the_clone_that_is_left(database: Database, tmp_path: Path) -> None:
    first, second, third = standing(tmp_path, "first", "second", "third")
    for number, root in enumerate((first, second, third)):
        remember(database, "a", number, root)
    with database.write():
        assert projects.forget_project(database, third)
        assert not projects.forget_project(database, third)
        assert projects.forget_project(database, first)
    assert [project.root for project in projects.registered_projects(database)] == [second]


@pytest.mark.parametrize("damaged", ["{", "7", '[["a"]]', '[["k","n","s","/r",1,"x"]]', "\0"])
def test_a_damaged_note_of_clones_is_none(database: Database, damaged: str) -> None:
    with database.write():
        projects.set_meta(database, projects.CLONES, damaged)
    remember(database, "a", 1, "/a")
    assert [project.root for project in projects.registered_projects(database)] == ["/a"]


def test_an_identity_is_kept_under_what_it_depends_on(database: Database) -> None:
    for number in range(projects.REMEMBERED + 4):
        with database.write():
            projects.cache_project_identity(database, f"s{number}", f"k{number}", "remote", "n")
    assert projects.cached_project_identity(database, "s19") == ("k19", "remote", "n")
    assert projects.cached_project_identity(database, "s4") == ("k4", "remote", "n")
    assert projects.cached_project_identity(database, "s3") is None


def test_an_identity_resolved_again_replaces_the_old(database: Database) -> None:
    for key in ("old", "new"):
        with database.write():
            projects.cache_project_identity(database, "s", key, "remote", "n")
    assert projects.cached_project_identity(database, "s") == ("new", "remote", "n")


def test_a_damaged_note_of_identities_is_made_anew(database: Database) -> None:
    for damaged in ('[["s", "k", "remote', "[[1]]", '{"s": 1}', "null", '[["s","k",1,"n"]]', "\0"):
        with database.write():
            projects.set_meta(database, "identities", damaged)
        assert projects.cached_project_identity(database, "s") is None, damaged
        with database.write():
            projects.cache_project_identity(database, "s", "k", "remote", "n")
        assert projects.cached_project_identity(database, "s") == ("k", "remote", "n"), damaged


def test_notes_of_the_store_itself(database: Database) -> None:
    assert projects.get_meta(database, "x") is None
    with database.write():
        projects.set_meta(database, "x", "1")
        projects.set_meta(database, "x", "2")
    assert projects.get_meta(database, "x") == "2"
