"""What the session hooks ask of the store: memories at a place, the session of a host."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitmem.model.session import Session
from gitmem.store.db.connection import Database
from gitmem.store.memory.filters import MemoryFilter
from gitmem.store.session import hook_queries, sessions
from tests.support.anchored import Anchored
from tests.support.stores import keep, make_store, said

CLIENT = "a-session-of-a-host"
OLD, NEW = "1AAAAAAA", "2BBBBBBB"


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return make_store(tmp_path / "memory.db")


def session(id: str, started: int, ended: int | None = None, **fields: str) -> Session:
    of = {"agent": "codex", "client_id": CLIENT} | fields
    return Session(
        id=id,
        worktree="/r",
        branch="main",
        head_start="",
        head_end="",
        goal="",
        summary="",
        active_file="",
        started_at=started,
        last_at=ended or started,
        ended_at=ended,
        **of,
    )


def ids(found: list[tuple[str, str]]) -> set[str]:
    return {item[0] for item in found}


def test_what_cites_a_file_is_found_by_the_end_of_its_path(tmp_path: Path) -> None:
    ground = Anchored(tmp_path, indexed=False)
    server = ground.cite("src/server.py:10-13")
    other = ground.cite("src/other.py")
    with ground.app() as app:
        assert ids(hook_queries.anchors_by_file_name(app.store, ["server.py"])) == {server.id}
        assert ids(hook_queries.anchors_by_file_name(app.store, ["x/server.py", "other.py"])) == {
            server.id,
            other.id,
        }
        assert hook_queries.anchors_by_file_name(app.store, ["erver.py", "src", "'", "%"]) == []
        assert hook_queries.anchors_by_file_name(app.store, []) == []
        assert hook_queries.memories_at_path(app.store, app.worktree, "src/server.py") == [
            server.id
        ]


def test_a_path_that_is_no_utf_8_is_found_as_it_was_given(tmp_path: Path) -> None:
    ground = Anchored(tmp_path, indexed=False)
    odd = "src/caf\udce9.py"
    (ground.repo.path / "src").joinpath("caf\udce9.py").write_text("x = 1\n")
    memory = ground.cite(odd)
    with ground.app() as app:
        assert hook_queries.anchors_by_file_name(app.store, [odd]) == [(memory.id, odd)]
        assert hook_queries.memories_at_path(app.store, app.worktree, odd) == [memory.id]


def test_rules_for_a_folder_hold_for_all_below_it(database: Database) -> None:
    rule = keep(database, said("rule", seed=1, kind="convention", paths=("src/cart",)))
    slash = keep(database, said("slash", seed=2, kind="convention", paths=("src/",)))
    keep(database, said("note", seed=3, kind="note", paths=("src/cart",)))
    keep(database, said("beside", seed=4, kind="convention", paths=("src/car",)))
    found = hook_queries.memories_at_parent_folders(database, "src/cart/deep/a.py", ("convention",))
    assert set(found) == {rule.id, slash.id}
    assert hook_queries.memories_at_parent_folders(database, "a.py", ("convention",)) == []


def test_memories_come_the_weightier_first_and_filtered(database: Database) -> None:
    light = keep(database, said("light", seed=1, weight=1))
    heavy = keep(database, said("heavy", seed=2, weight=5))
    gone = keep(database, said("gone", seed=3, archived_at=1))
    found = hook_queries.filter_memories(
        database, [light.id, heavy.id, gone.id, "nobody"], MemoryFilter()
    )
    assert [item.id for item in found] == [heavy.id, light.id]


def test_rules_that_hold_a_word_which_few_hold_are_found(database: Database) -> None:
    light = keep(database, said("Never use pickles here", kind="convention", weight=1))
    heavy = keep(database, said("No sqlite3", kind="decision", seed=2, weight=5))
    keep(database, said("A pickle of sqlite3", seed=3))
    assert hook_queries.max_memory_count_of_rare_word(database) == 3

    def speaking(*words: str, most: int = 9) -> list[int]:
        return hook_queries.memories_mentioning(database, words, hook_queries.RULES, most)

    assert speaking("pickle", "absent", "sqlite3") == [heavy.seq, light.seq]
    assert speaking("pickle", "sqlite3", most=1) == [heavy.seq]
    assert speaking("absent") == speaking() == []
    for seed in (4, 5):
        keep(database, said(f"Pickle number {seed}", seed=seed))
    assert speaking("pickle") == []  # four hold it by now


def test_a_session_is_known_by_the_id_of_its_host(database: Database) -> None:
    old, new = session(OLD, 10, 20), session(NEW, 30)
    for item in (new, old):
        sessions.save_session(database, item)
    of = {"agent": "codex", "worktree": "/r"}
    newest = hook_queries.find_host_session(database, CLIENT, **of)
    assert newest is not None and newest.id == NEW
    # Hosts read each other's hook files: the agent's name may be another one.
    other = hook_queries.find_host_session(database, CLIENT, agent="cursor", worktree="/r")
    assert other is not None and other.id == NEW
    assert hook_queries.find_host_session(database, "unknown-session", **of) is None


@pytest.mark.parametrize(
    ("at", "id"), [(5, NEW), (10, OLD), (20, OLD), (25, NEW), (30, NEW), (99, NEW)]
)
def test_a_moment_belongs_to_the_session_that_ran_then(
    database: Database, at: int, id: str
) -> None:
    sessions.save_session(database, session(NEW, 30))
    sessions.save_session(database, session(OLD, 10, 20))
    found = hook_queries.find_host_session_at(database, CLIENT, at, agent="codex", worktree="/r")
    assert found is not None and found.id == id


def test_a_short_id_counts_only_for_its_own_agent(database: Database) -> None:
    sessions.save_session(database, session("3CCCCCCC", 10, client_id="7"))
    assert hook_queries.find_host_session(database, "7", agent="cursor", worktree="/r") is None
    assert hook_queries.find_host_session(database, "7", agent="codex", worktree="/r") is not None


def test_silent_are_those_of_hosts_that_run_and_say_nothing(database: Database) -> None:
    for item in (
        session("4DDDDDDD", 10),
        session("5EEEEEEE", 10, 20),
        session("6FFFFFFF", 90),
        session("7GGGGGGG", 10, client_id=""),
    ):
        sessions.save_session(database, item)
    assert [session.id for session in hook_queries.inactive_running_sessions(database, 50)] == [
        "4DDDDDDD"
    ]


def test_a_session_is_untouched_until_something_comes_of_it(database: Database) -> None:
    item = session("3CCCCCCC", 10)
    sessions.save_session(database, item)
    assert hook_queries.is_empty_session(database, item)
    keep(database, said("in it", session="3CCCCCCC"))
    assert not hook_queries.is_empty_session(database, item)
    hook_queries.delete_empty_session(database, "3CCCCCCC")
    assert sessions.recent_sessions(database, 5) == []
