"""When a reader asks for a refresh of the index, and when nobody is asked."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from gitmem.indexing import index_state, refresh
from gitmem.maintenance import detached, index_request, schedule
from gitmem.mcp.rpc import executor
from gitmem.operations.find import search
from gitmem.operations.find.search_view import SearchedIndexState
from gitmem.spool import lease
from gitmem.store.code import indexed_files
from gitmem.store.code.indexed_files import WorktreeIndexState
from tests.support.apps import MINUTE, Desk
from tests.support.moved import SetUp
from tests.support.repos import RepoBuilder


def test_a_quiet_server_looks_after_what_no_hook_reported(
    desk: Desk, repo: RepoBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ML-39: a while after its last call, not only with the next one."""
    for name, value in desk.env.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(executor, "QUIET", (0.05, 0.2))
    begun: list[str] = []
    monkeypatch.setattr(detached, "start_background_command", lambda _app, verb: begun.append(verb))

    async def serve() -> None:
        server = executor.CallExecutor(str(desk.place))
        await server.run_call("codex", lambda app: app.store.read_only)
        repo.commit("Next", {"n.py": "n = 1\n"})
        while not begun:
            await asyncio.sleep(0.01)
        server.close()

    asyncio.run(asyncio.wait_for(serve(), 60))
    assert begun[0] == "drain"
    begun.clear()
    looked: list[str] = []
    monkeypatch.setattr(executor, "_start_what_is_due", lambda app: looked.append(app.start))

    async def read_only() -> None:
        server = executor.CallExecutor(str(desk.place), read_only=True)
        await server.run_call("codex", lambda app: app.start)
        await asyncio.sleep(0.3)
        server.close()

    asyncio.run(read_only())
    assert (begun, looked) == ([], [])


@pytest.fixture
def desk(repo: RepoBuilder, ready: SetUp) -> Desk:
    """Indexed, without hooks; then reset, of which no hook would tell."""
    made = Desk(repo.path, repo.home, GITMEM_BACKUP_INTERVAL_HOURS="0", GITMEM_COPY_MODE="off")
    ready(made, no_hooks=True)
    return made


def started(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, *, reads_index: bool = True, asked: str = ""
) -> list[str]:
    """The verbs that the system was asked to start after a command; nothing is started.

    The command is a search where something is ``asked``; what it told comes first then.
    """
    verbs: list[str] = []
    spawn = os.posix_spawn

    def noting(program: str, words: list[str], *rest: Any, **more: Any) -> int:
        if program != sys.executable:
            return spawn(program, words, *rest, **more)  # git
        verbs.append(words[4])
        return 0

    monkeypatch.setattr(os, "posix_spawn", noting)
    app = desk.app()
    app.reads_index = reads_index
    try:
        if asked:
            verbs.append(
                report(search.search_all_sources(app, search.SearchRequest(query=asked)).index)
            )
        schedule.start_background_work_if_due(app)
    finally:
        app.close()
    return verbs


def report(index: SearchedIndexState) -> str:
    """What a search says of the index, in short."""
    return f"{index.state}, reread {index.reread}{', refreshing' if index.refreshing else ''}"


def reset(repo: RepoBuilder) -> None:
    repo.git("reset", "-q", "--hard", "HEAD~1")


def test_an_index_that_is_behind_starts_the_drain_and_a_current_one_nothing(
    desk: Desk, repo: RepoBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert started(desk, monkeypatch) == []
    reset(repo)
    desk.clock.advance(MINUTE)
    assert started(desk, monkeypatch) == ["drain"]
    assert desk.run("drain").trees == 1
    assert started(desk, monkeypatch) == []


def test_an_index_file_that_git_wrote_anew_is_compared_once(
    desk: Desk, repo: RepoBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after the `git status` of an editor; edits that were not indexed are still found."""
    compared: list[str] = []
    look = refresh.plan_index_update
    monkeypatch.setattr(
        refresh, "plan_index_update", lambda *a, **k: compared.append("") or look(*a, **k)
    )
    for query in ("", "cart"):
        os.utime(desk.place / ".git/index")
        started(desk, monkeypatch, asked=query)
        assert compared
        compared.clear()
        started(desk, monkeypatch, asked=query)
        assert not compared, query
    os.utime(desk.place / ".git/index")
    (desk.place / "src/cart/cart.py").write_text("def okapi():\n    return 1\n")
    desk.clock.advance(MINUTE)
    assert started(desk, monkeypatch) == ["drain"]
    assert desk.run("drain").trees == 1
    assert started(desk, monkeypatch, asked="okapi")[0].startswith("current")


def test_at_most_one_works_on_it(
    desk: Desk, repo: RepoBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    reset(repo)
    desk.clock.advance(MINUTE)
    folder = desk.store.parent / "spool"
    folder.mkdir()
    held = lease.try_take_spool_lease(str(folder), 1)
    assert held is not None
    assert started(desk, monkeypatch) == []
    held.release()
    assert started(desk, monkeypatch) == ["drain"]


def test_a_refresh_that_began_just_now_is_left_in_peace(
    desk: Desk, repo: RepoBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that fails again and again is not begun at every command."""
    reset(repo)
    app = desk.app()
    indexed_files.set_worktree_index_state(
        app.store, app.worktree, WorktreeIndexState("", "", "building", app.now)
    )
    app.close()
    assert started(desk, monkeypatch) == []
    desk.clock.advance(MINUTE + 1)
    assert started(desk, monkeypatch) == ["drain"]
    desk.clock.advance(-5 * MINUTE)  # a clock that went back stops nothing
    assert started(desk, monkeypatch) == ["drain"]


def test_nothing_is_started_where_it_was_turned_off(
    desk: Desk, repo: RepoBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    reset(repo)
    desk.clock.advance(MINUTE)
    for name, value in (("GITMEM_NO_BACKGROUND", "1"), ("GITMEM_HOOKS_ENABLED", "0")):
        other = desk.at(desk.place)
        other.env = desk.env | {name: value}
        assert started(other, monkeypatch) == [], name
        app = other.app()
        app.reads_index = True
        assert not index_request.is_index_refresh_coming(app, "stale"), name
        assert not index_request.is_index_refresh_due(app), name
        app.close()
    other.env = desk.env | {"GITMEM_NO_BACKGROUND": "0"}
    assert started(other, monkeypatch) == ["drain"]


def test_who_does_not_read_the_index_starts_no_refresh(
    desk: Desk, repo: RepoBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    reset(repo)
    desk.clock.advance(MINUTE)
    assert started(desk, monkeypatch, reads_index=False) == []


def test_a_read_only_store_asks_for_nothing(
    desk: Desk, repo: RepoBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    reset(repo)
    desk.clock.advance(MINUTE)
    app = desk.app()
    app.store.read_only = True
    assert not index_request.is_index_refresh_due(app)
    app.close()


def test_where_nothing_was_set_up_nothing_is_created(repo: RepoBuilder) -> None:
    app = Desk(repo.path, repo.home).app()
    assert not index_request.is_index_refresh_due(app)
    app.close()
    assert not (Path(repo.path) / ".gitmem").exists()


def test_an_edit_that_a_search_sees_is_indexed_once_it_was_stated_so(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CF-28: git was not told of the edit, so only the search knows that the index is behind."""
    place = desk.place / "src/cart/cart.py"
    place.write_text("def okapi():\n    return 1\n")
    desk.run("index")
    assert started(desk, monkeypatch, asked="okapi") == ["current, reread 0"]
    place.write_text("# above\ndef okapi():\n    return 1\n")
    assert started(desk, monkeypatch, asked="okapi") == ["stale, reread 1, refreshing", "drain"]
    assert desk.run("drain").trees == 1
    assert started(desk, monkeypatch, asked="okapi") == ["current, reread 0"]
    (desk.place / "new.py").write_text("def zebra():\n    return 2\n")
    assert started(desk, monkeypatch, asked="zebra") == ["stale, reread 0, refreshing", "drain"]
    assert desk.run("drain").trees == 1
    assert desk.run("drain").trees == 0
    assert [hit.path for hit in desk.run("search", query="zebra").hits][:1] == ["new.py"]


def test_a_search_claims_no_refresh_that_nobody_starts(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    (desk.place / "new.py").write_text("def zebra():\n    return 2\n")
    for name, value in (("GITMEM_NO_BACKGROUND", "1"), ("GITMEM_HOOKS_ENABLED", "0")):
        other = desk.at(desk.place)
        other.env = desk.env | {name: value}
        assert started(other, monkeypatch, asked="zebra") == ["stale, reread 0"], name
    read = started(desk, monkeypatch, asked="zebra", reads_index=False)
    assert read == ["stale, reread 0"]


def test_a_refresh_under_way_is_claimed_and_not_begun_again(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that was whole before is out of date, not "not indexed yet"."""
    app = desk.app()
    known = indexed_files.worktree_index_state(app.store, app.worktree)
    assert known is not None
    state = WorktreeIndexState(known.head, "", "building", app.now)
    indexed_files.set_worktree_index_state(app.store, app.worktree, state)
    app.close()
    assert started(desk, monkeypatch, asked="cart") == ["stale, reread 0, refreshing"]
    (result,) = [finding for finding in desk.run("doctor").findings if finding.check == "search"]
    assert result.message == "the index is out of date"


def test_a_refresh_that_finds_nothing_never_calls_the_index_unfinished(desk: Desk) -> None:
    app = desk.app()
    states: list[str] = []
    app.progress = lambda *_told: states.append(index_state.index_state(app))
    refresh.refresh_index(app)
    (desk.place / "new.py").write_text("def zebra():\n    return 2\n")
    assert set(states) <= {"current"}
    refresh.refresh_index(app)
    assert "stale" in states
    app.close()


def test_what_a_search_found_is_noted_also_where_other_notes_wait(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    sessions = desk.store.parent / "sessions"
    sessions.mkdir()
    (sessions / "events").write_text("half a note")
    (desk.place / "new.py").write_text("def zebra():\n    return 2\n")
    assert started(desk, monkeypatch, asked="zebra") == ["stale, reread 0, refreshing", "drain"]
    assert desk.run("drain").trees == 1
