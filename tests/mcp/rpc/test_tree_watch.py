"""Saves that a server follows: noted for the drain, cheaply, and given up where it must be."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from gitmem.app import App
from gitmem.mcp.rpc import executor, tree_watch
from gitmem.mcp.rpc.tree_watch import WorktreeWatches
from gitmem.operations.start import orient
from gitmem.operations.start.orient import OrientRequest
from gitmem.spool import git_events
from gitmem.spool.git_events import EditEvent, WorktreeNamedEvent
from tests.support.apps import Desk, copy_of
from tests.support.moved import SetUp
from tests.support.repos import RepoBuilder
from tests.support.waiting import wait_until


@pytest.fixture(scope="module")
def model_repo(model_repo: RepoBuilder, tmp_path_factory: pytest.TempPathFactory) -> RepoBuilder:
    """With more in it; the tests copy it."""
    repo = copy_of(model_repo, tmp_path_factory.mktemp("model"))
    repo.commit("Ignore", {".gitignore": "out/\n*.log\n"})
    return repo


@pytest.fixture
def desk(ready: SetUp, repo: RepoBuilder, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """Indexed; no drain is started, so what is noted stays."""
    desk = ready(Desk(repo.path, repo.home, GITMEM_MODEL="hashed"), no_hooks=True)
    spawn = os.posix_spawn

    def noting(program: str, *rest: Any, **more: Any) -> int:
        return 0 if program == sys.executable else spawn(program, *rest, **more)

    monkeypatch.setattr(os, "posix_spawn", noting)
    return desk


@pytest.fixture
def watches() -> Iterator[WorktreeWatches]:
    made = WorktreeWatches(pause=0.0)
    yield made
    made.request_stop()
    made.join()


def begin(watches: WorktreeWatches, desk: Desk) -> None:
    with closing(desk.app()) as app:
        watches.watch_worktree(app)


# Those of other tests in this process, whose servers may still be ending.
OTHERS: set[threading.Thread] = set()


@pytest.fixture(autouse=True)
def others() -> None:
    OTHERS.update(running())


def running() -> list[threading.Thread]:
    alive = (item for item in threading.enumerate() if item.name == "gitmem-watch")
    return [item for item in alive if item not in OTHERS]


def noted(desk: Desk) -> set[str]:
    """The files that were noted as edited; ``*`` for a whole worktree, as at the beginning."""
    folder = desk.store.parent / "spool"
    lines = b"".join(path.read_bytes() for path in folder.glob("events*"))
    events = git_events.parse_git_events(lines, "k", desk.token)[0]
    whole = {"*" for event in events if isinstance(event, WorktreeNamedEvent)}
    return whole | {event.path for event in events if isinstance(event, EditEvent)}


def save_until(desk: Desk, name: str, expected: str) -> None:
    """Save a file again and again, since nothing tells when the watch stands."""
    place = desk.place / name

    def is_noted() -> bool:
        if expected != name and place.parent.exists():
            shutil.rmtree(place.parent)
        place.parent.mkdir(exist_ok=True)
        place.write_text(f"def okapi():\n    return {os.urandom(4).hex()!r}\n")
        return expected in noted(desk)

    wait_until(is_noted, 30)


def test_what_is_saved_is_noted_and_what_git_ignores_is_not(
    desk: Desk, watches: WorktreeWatches
) -> None:
    begin(watches, desk)
    begin(watches, desk)
    save_until(desk, "src/cart/cart.py", "src/cart/cart.py")
    assert len(running()) == 1
    for name in ("src/cart/a.log", "out/b.py", ".gitmem/c.py"):
        (desk.place / name).parent.mkdir(exist_ok=True)
        (desk.place / name).write_text("x = 1\n")
    (desk.place / "src/cart/cart.py").unlink()
    save_until(desk, "new.py", "new.py")
    assert noted(desk) == {"*", "src/cart/cart.py", "new.py"}
    assert desk.run("drain").trees == 1
    result = desk.run("search", query="okapi", mode="keyword", sources=("code",))
    assert [hit.path for hit in result.hits] == ["new.py"]
    assert result.index.state == "current"


def test_a_folder_that_is_made_is_watched_too(desk: Desk, watches: WorktreeWatches) -> None:
    begin(watches, desk)
    save_until(desk, "fresh/one.py", "fresh")
    desk.run("drain")
    save_until(desk, "fresh/two.py", "fresh/two.py")


def test_at_the_end_neither_a_thread_nor_a_handle_is_left(desk: Desk) -> None:
    def handles() -> int:
        return len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0

    before = handles()
    watches = WorktreeWatches(pause=0.0)
    begin(watches, desk)
    save_until(desk, "new.py", "new.py")
    watches.request_stop()
    watches.join()
    assert running() == []
    # Fewer where one that an earlier test forgot was collected meanwhile.
    wait_until(lambda: handles() <= before, 10)
    begin(watches, desk)
    assert running() == []
    desk.run("hooks uninstall")


def test_of_two_servers_one_watches_and_the_other_takes_over(
    desk: Desk, watches: WorktreeWatches
) -> None:
    first = WorktreeWatches(pause=0.0)
    begin(first, desk)
    save_until(desk, "new.py", "new.py")
    begin(watches, desk)
    wait_until(lambda: len(running()) == 1, 30)
    first.request_stop()
    first.join()
    assert running() == []
    begin(watches, desk)
    wait_until(lambda: len(running()) == 1, 30)
    save_until(desk, "late.py", "late.py")


def test_nothing_is_watched_where_that_is_off_or_dear(
    desk: Desk, watches: WorktreeWatches, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (
        ("GITMEM_WATCH_ENABLED", "0"),
        ("GITMEM_HOOKS_ENABLED", "0"),
        ("GITMEM_NO_BACKGROUND", "1"),
    ):
        other = desk.at(desk.place)
        other.env = desk.env | {name: value}
        begin(watches, other)
        assert running() == [], name
    monkeypatch.setattr(tree_watch, "MOST_FOLDERS", 1)
    begin(watches, desk)
    wait_until(lambda: running() == [], 30)
    monkeypatch.undo()
    begin(watches, desk)
    assert running() == []  # it is not tried at every search


def test_a_worktree_that_goes_away_ends_its_watch(
    desk: Desk, watches: WorktreeWatches, tmp_path: Path
) -> None:
    begin(watches, desk)
    save_until(desk, "new.py", "new.py")
    desk.place.rename(tmp_path / "moved")
    (tmp_path / "moved" / "new.py").write_text("x = 1\n")
    wait_until(lambda: running() == [], 30)


def test_a_server_that_may_only_read_watches_nothing(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The watch leaves a lock file, and notes what is saved."""
    for name, value in desk.env.items():
        monkeypatch.setenv(name, value)
    store = desk.store.parent

    def searched(app: App) -> None:
        assert app.store
        app.refresh_wanted = False

    async def watched(reading: bool, call: Callable[[App], Any] = searched) -> int:
        server = executor.CallExecutor(str(desk.place), read_only=reading)
        await server.run_call("codex", call)
        found = len(running())
        server.close()
        await server.close_stores_if_idle()
        return found

    before = sorted(store.rglob("*"))
    assert asyncio.run(watched(True)) == 0
    assert sorted(store.rglob("*")) == before
    assert asyncio.run(watched(False)) == 1
    # CF-32: from an orientation on, which asks for what was saved before it.
    assert asyncio.run(watched(False, lambda app: orient.orient_session(app, OrientRequest()))) == 1
