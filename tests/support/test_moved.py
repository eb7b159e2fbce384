"""A copy of what was set up elsewhere is what setting up here would have made."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import apsw
import pytest

from gitmem.git import identity as git_identity
from gitmem.store.db import projects
from tests.support.apps import NOW, Desk, copy_of
from tests.support.moved import SetUp
from tests.support.repos import RepoBuilder

CHANCE = (
    "('device', ",
    "('store', ",
    "('seal', ",
    "('identities', ",
    "('commit_tips', ",
    "('releases', ",
    "('differing ",
)  # inodes, times


def rows(store: Path) -> dict[str, list[Any]]:
    """Each table's rows, less what is drawn by chance or by the clock."""
    database = apsw.Connection(str(store))
    tables = [name for (name,) in database.execute("SELECT name FROM sqlite_schema ORDER BY 1")]
    found = {
        name: sorted(map(repr, database.execute(f'SELECT * FROM "{name}"')))
        for name in tables
        if "_" not in name or not name.endswith(("_data", "_idx", "_docsize", "_config"))
        if database.execute(
            "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?", (name,)
        ).fetchone()
    }
    found["meta"] = [row for row in found["meta"] if not row.startswith(CHANCE)]
    # Behind the stamp of git's index stands when the run began.
    found["trees"] = [re.sub(r"@[0-9a-f]+'", "'", row) for row in found["trees"]]
    found["vector_parts"] = [row.partition(", b")[0] for row in found["vector_parts"]]
    database.close()
    return found


def files(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Each path with its mode, and what each file holds except git's index, stores and their keys.

    Ids of stores are drawn by chance.
    """
    drawn = {path.name for path in (folder / "home/gitmem/stores").iterdir()} - {"places"}
    names = re.compile("|".join(drawn) or "$^")
    unread = ("index", "memory.db", "key")
    return {
        names.sub("ID", str(path.relative_to(folder))): (
            path.stat().st_mode,
            b""
            if path.is_dir() or path.name in unread
            else re.sub(rb"\b[0-9a-f]{32}\b", b"ID", path.read_bytes()),
        )
        for path in folder.rglob("*")
    }


@pytest.mark.parametrize("how", [{}, {"no_hooks": True, "no_index": True}])
def test_it_is_what_setting_up_here_would_have_made(
    ready: SetUp, tmp_path: Path, how: dict[str, Any]
) -> None:
    """By copying a model, and then by writing what that gave into a folder of as long a name."""
    ids = set()
    for folder in (tmp_path / "one", tmp_path / "two"):
        repo = copy_of(ready.repo, folder)
        desk = ready(Desk(repo.path, repo.home), **how)
        stores = (desk.store, desk.home / "gitmem/global/memory.db")
        copied = files(folder), *map(rows, stores)
        for store in stores:
            database = apsw.Connection(str(store))
            assert database.pragma("integrity_check") == "ok"
            ids.add(database.execute("SELECT value FROM meta WHERE key = 'store'").get)
            database.close()
        app = desk.app()
        assert [project.root for project in projects.registered_projects(app.store)] == [
            str(desk.place)
        ]
        app.close()
        shutil.rmtree(folder)
        folder.mkdir()
        copy_of(ready.repo, folder)
        desk.run("init", **how)
        made = files(folder), *map(rows, stores)
        for item, other in zip(copied, made, strict=True):
            assert item == other
    assert len(ids) == 4


def test_no_command_has_to_ask_git_for_the_project_s_key_again(
    ready: SetUp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in (tmp_path / "one", tmp_path / "two"):
        copied = copy_of(ready.repo, folder)
        desk = ready(Desk(copied.path, copied.home, now=NOW + 5))
        with monkeypatch.context() as patch:
            patch.setattr(
                git_identity, "resolve_project_identity", lambda *_, **__: pytest.fail("asked")
            )
            app = desk.app()
            assert app.project_identity.key == "github.com/acme/shop"
            assert [project.last_at for project in projects.registered_projects(app.store)] == [
                NOW + 5
            ]
            app.close()


def test_a_repository_of_another_kind_is_refused(repo: RepoBuilder, ready: SetUp) -> None:
    repo.commit("One more")
    with pytest.raises(AssertionError, match="not a copy"):
        ready(Desk(repo.path, repo.home))
