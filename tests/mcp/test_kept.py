"""The store that a server keeps open between two calls."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from gitmem.app import App
from gitmem.errors import NotOurs
from gitmem.mcp.kept import Kept
from gitmem.store import text_index
from gitmem.store.connection import Database
from tests.support.apps import Desk, small_repo
from tests.support.repos import RepoBuilder


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    repo = small_repo(tmp_path / "repo")
    desk = Desk(repo.path, tmp_path / "home")
    desk.run("init", no_hooks=True, no_index=True)
    return desk


@pytest.fixture
def kept() -> Iterator[Kept]:
    kept = Kept()
    yield kept
    kept.close()


def call(kept: Kept, desk: Desk) -> Database:
    """One call that uses the store, as the desk of a server makes it."""
    app = desk.app()
    kept.lend(app)
    store = app.store
    store.value("SELECT count(*) FROM memories")
    kept.take_back(app)
    return store


def test_the_next_call_gets_the_same_store(kept: Kept, desk: Desk) -> None:
    assert call(kept, desk) is call(kept, desk)


def test_a_store_that_was_replaced_is_opened_anew(kept: Kept, desk: Desk, tmp_path: Path) -> None:
    first = call(kept, desk)
    shutil.copy(desk.store, tmp_path / "copy.db")
    os.replace(tmp_path / "copy.db", desk.store)
    assert call(kept, desk) is not first


def test_a_store_whose_schema_was_changed_is_checked_again(kept: Kept, desk: Desk) -> None:
    call(kept, desk)
    stranger = apsw.Connection(str(desk.store))
    stranger.execute("CREATE TABLE planted (x)")
    stranger.close()
    with pytest.raises(NotOurs, match="tables that gitmem did not make"):
        call(kept, desk)


def test_a_store_that_git_begins_to_track_is_refused(kept: Kept, desk: Desk) -> None:
    call(kept, desk)
    RepoBuilder(desk.place, init=False).git("add", "--force", ".gitmem/memory.db")
    with pytest.raises(NotOurs, match="git tracks files"):
        call(kept, desk)


def test_a_store_that_is_gone_is_let_go(kept: Kept, desk: Desk) -> None:
    first = call(kept, desk)
    shutil.rmtree(desk.store.parent)
    app = desk.app()
    kept.lend(app)
    assert app.hand_over() is None
    with pytest.raises(apsw.ConnectionClosedError):
        first.connection.execute("SELECT 1")


def test_what_one_call_counted_another_writer_makes_void(kept: Kept, desk: Desk) -> None:
    def frequency(app: App) -> int:
        kept.lend(app)
        found = text_index.frequency(app.store, '"redis"', 10)
        kept.take_back(app)
        return found

    call(kept, desk)
    assert frequency(desk.app()) == frequency(desk.app()) == 0
    desk.run("remember", text="The cache is redis")
    assert frequency(desk.app()) == 1


def test_what_a_call_writes_itself_it_finds(kept: Kept, desk: Desk) -> None:
    call(kept, desk)
    app = desk.app()
    kept.lend(app)
    assert text_index.frequency(app.store, '"redis"', 10) == 0
    with app.store.write():
        app.store.run(
            "INSERT INTO memory_text (rowid, title, body, tags, parts, near) "
            "VALUES (77, '', 'redis', '', '', '')"
        )
    assert text_index.frequency(app.store, '"redis"', 10) == 1
    app.close()
