"""Sharing by itself: when it is due, what it does, and that a session's start does not wait."""

from __future__ import annotations

import os
from collections.abc import Callable

from gitmem.maintenance import schedule
from tests.support.apps import MINUTE
from tests.sync.conftest import Clone

Make = Callable[..., Clone]


def due(clone: Clone, *, opening: bool = False) -> bool:
    app = clone.app()
    try:
        return schedule.is_sync_due(app, at_session_start=opening)
    finally:
        app.close()


def test_nothing_is_shared_by_itself_unless_a_person_agreed(clone: Make) -> None:
    ada = clone("ada", enabled=False)
    ada.remember("The port of Redis is 6380")
    assert not due(ada, opening=True)
    ada.sync("auto")
    assert ada.sync("status").last == ""
    ada.run("config", key="sync.auto", value="1")
    assert due(ada, opening=True)
    ada.sync("auto")
    assert "not agreed" in ada.sync("status").last, "the setting alone sends nothing"


def test_it_pulls_and_pushes_at_most_once_a_minute(clone: Make) -> None:
    ada, grace = clone("ada"), clone("grace")
    grace.remember("The version of Postgres is 15")
    grace.sync()
    ada.run("config", key="sync.auto", value="1")
    ada.remember("The port of Redis is 6380")
    ada.sync("auto")
    assert "1 added, 0 updated, 0 purged, 1 sent" in ada.sync("status").last
    assert grace.sync().added == 1
    assert not due(ada, opening=True)
    ada.clock.advance(2 * MINUTE)
    assert due(ada, opening=True)
    assert not due(ada)
    ada.clock.advance(9 * MINUTE)
    assert due(ada)


def test_a_push_of_the_branch_makes_it_due(clone: Make) -> None:
    ada = clone("ada")
    ada.run("config", key="sync.auto", value="1")
    ada.sync("auto")
    ada.clock.advance(2 * MINUTE)
    note = ada.place / ".git" / "logs" / "refs" / "remotes" / "origin" / "main"
    note.parent.mkdir(parents=True, exist_ok=True)
    note.touch()
    os.utime(note, (0, 0))
    assert not due(ada)
    ada.git("commit", "-q", "--allow-empty", "-m", "More")
    ada.git("push", "-q", "origin", "HEAD")
    os.utime(note, (ada.clock.now() / 1000, ada.clock.now() / 1000))
    assert due(ada)


def test_a_remote_that_is_away_is_one_line(clone: Make) -> None:
    ada = clone("ada")
    ada.run("config", key="sync.auto", value="1")
    ada.git("remote", "set-url", "origin", "/nowhere/at/all")
    ada.sync("auto")
    (line,) = ada.sync("status").last.splitlines()
    assert len(line) < 150
