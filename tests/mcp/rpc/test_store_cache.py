"""The stores that a server keeps open between two calls, and the App that borrows them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from gitmem.errors import ForeignFile, GitmemError, NotInitialized, ReadOnly
from gitmem.mcp.rpc.borrowed_app import CachedStoreApp
from gitmem.mcp.rpc.store_cache import StoreCache
from gitmem.operations.find.search import SearchRequest, search_all_sources
from gitmem.operations.maintenance import stats
from gitmem.settings import Settings
from gitmem.store.db import full_text, schema
from gitmem.store.db.caches import Caches
from gitmem.store.db.connection import Database
from tests.support.apps import Desk
from tests.support.moved import SetUp
from tests.support.repos import RepoBuilder
from tests.support.stores import open_store


@pytest.fixture
def desk(bare_desk: Desk, ready: SetUp) -> Desk:
    return ready(bare_desk, no_hooks=True, no_index=True)


@pytest.fixture
def saved() -> Iterator[StoreCache]:
    saved = StoreCache()
    yield saved
    saved.close()


def guest(saved: StoreCache, desk: Desk) -> CachedStoreApp:
    """An App as the desk of a server makes it for one call."""
    settings = Settings(desk.env)
    return CachedStoreApp(
        saved, settings, desk.clock, str(desk.place), agent="codex", source="ai_inferred"
    )


def call(saved: StoreCache, desk: Desk, *, well: bool = True) -> Database:
    """One call that uses the repository's store."""
    app = guest(saved, desk)
    try:
        store = app.store
        store.value("SELECT count(*) FROM memories")
    finally:
        app.return_stores(call_succeeded=well)
    return store


def is_open(store: Database) -> bool:
    try:
        store.connection.execute("SELECT 1")
    except apsw.ConnectionClosedError:
        return False
    return True


def test_the_next_call_gets_the_same_store(saved: StoreCache, desk: Desk) -> None:
    assert call(saved, desk) is call(saved, desk)


def test_the_users_own_store_is_kept_too(saved: StoreCache, desk: Desk) -> None:
    def shared() -> Database | None:
        app = guest(saved, desk)
        found = app.global_store()
        assert app.store is not found
        app.return_stores(call_succeeded=True)
        return found

    first = shared()
    assert first is shared()
    assert first is not None
    assert first.scope == "global"
    assert len(saved) == 2


def test_a_call_that_needs_no_store_opens_none(saved: StoreCache, desk: Desk) -> None:
    app = guest(saved, desk)
    assert app.has_store
    app.return_stores(call_succeeded=True)
    assert len(saved) == 0


def test_a_call_that_went_wrong_leaves_no_store_open(saved: StoreCache, desk: Desk) -> None:
    assert not is_open(call(saved, desk, well=False))
    assert len(saved) == 0


def test_a_store_left_in_a_transaction_is_closed(saved: StoreCache, desk: Desk) -> None:
    app = guest(saved, desk)
    store = app.store
    store.connection.execute("BEGIN")
    app.return_stores(call_succeeded=True)
    assert not is_open(store)


def test_a_store_that_the_call_itself_let_go_is_closed(saved: StoreCache, desk: Desk) -> None:
    app = guest(saved, desk)
    first = app.store
    app.close_stores()
    second = app.store
    app.return_stores(call_succeeded=True)
    assert not is_open(first)
    assert is_open(second)


def test_at_most_four_stores_are_open_and_the_longest_unused_goes(
    saved: StoreCache, tmp_path: Path
) -> None:
    desks = []
    for number in range(5):
        repo = RepoBuilder(tmp_path / str(number))
        repo.commit("Start", {"a": ""})
        desks.append(Desk(repo.path, tmp_path / "home"))
        desks[-1].run("init", no_hooks=True, no_index=True)
    stores = [call(saved, desk) for desk in desks[:4]]
    assert call(saved, desks[0]) is stores[0]
    call(saved, desks[4])
    assert [is_open(store) for store in stores] == [True, False, True, True]
    assert len(saved) == 4


def test_a_store_that_was_replaced_is_opened_anew(
    saved: StoreCache, desk: Desk, tmp_path: Path
) -> None:
    first = call(saved, desk)
    shutil.copy(desk.store, tmp_path / "copy.db")
    os.replace(tmp_path / "copy.db", desk.store)
    assert call(saved, desk) is not first


def test_a_store_whose_schema_was_changed_is_checked_again(saved: StoreCache, desk: Desk) -> None:
    call(saved, desk)
    plant(desk.store)
    with pytest.raises(ForeignFile, match="tables that gitmem did not create"):
        call(saved, desk)


def test_a_store_whose_schema_is_changed_during_a_call_is_checked_by_the_next(
    saved: StoreCache, desk: Desk
) -> None:
    app = guest(saved, desk)
    assert app.store
    plant(desk.store)
    app.return_stores(call_succeeded=True)
    with pytest.raises(ForeignFile, match="tables that gitmem did not create"):
        call(saved, desk)


def plant(path: Path) -> None:
    """Make a table that gitmem does not know."""
    stranger = apsw.Connection(str(path))
    stranger.execute("CREATE TABLE planted (x)")
    stranger.close()


def test_a_store_that_git_begins_to_track_is_refused(saved: StoreCache, desk: Desk) -> None:
    call(saved, desk)
    RepoBuilder(desk.place, init=False).git("add", "--force", ".gitmem/memory.db")
    with pytest.raises(ForeignFile, match="git tracks files"):
        call(saved, desk)


def test_a_store_that_is_gone_is_let_go(saved: StoreCache, desk: Desk) -> None:
    first = call(saved, desk)
    shutil.rmtree(desk.store.parent)
    with pytest.raises(NotInitialized):
        call(saved, desk)
    assert not is_open(first)


def test_what_one_call_counted_another_writer_makes_void(saved: StoreCache, desk: Desk) -> None:
    def frequency() -> int:
        app = guest(saved, desk)
        found = full_text.count_matching_rows(app.store, "memory_text", '"redis"', 10)
        app.return_stores(call_succeeded=True)
        return found

    call(saved, desk)
    assert frequency() == frequency() == 0
    desk.run("remember", text="The cache is redis")
    assert frequency() == 1


def test_what_a_call_writes_itself_it_finds(saved: StoreCache, desk: Desk) -> None:
    call(saved, desk)
    app = guest(saved, desk)
    assert full_text.count_matching_rows(app.store, "memory_text", '"redis"', 10) == 0
    with app.store.write():
        app.store.run(
            "INSERT INTO memory_text (rowid, title, body, tags, parts, near) "
            "VALUES (77, '', 'redis', '', '', '')"
        )
    assert full_text.count_matching_rows(app.store, "memory_text", '"redis"', 10) == 1
    app.return_stores(call_succeeded=False)


def test_stopped_call_is_stopped_inside_sqlite(saved: StoreCache, desk: Desk) -> None:
    call(saved, desk)
    app = guest(saved, desk)
    endless = (
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    )
    saved.watch.request_stop()
    with pytest.raises(GitmemError):
        app.store.value(endless)
    app.return_stores(call_succeeded=False)


def test_stopped_call_commits_nothing_any_more(saved: StoreCache, desk: Desk) -> None:
    call(saved, desk)
    app = guest(saved, desk)
    with pytest.raises(apsw.ConstraintError), app.store.write():
        app.store.run("INSERT INTO meta (key, value) VALUES ('stopped', 'no')")
        saved.watch.request_stop()
    app.return_stores(call_succeeded=False)
    store = open_store(str(desk.store))
    assert store.value("SELECT count(*) FROM meta WHERE key = 'stopped'") == 0
    store.close()


@pytest.fixture
def reading() -> Iterator[StoreCache]:
    saved = StoreCache(read_only=True)
    yield saved
    saved.close()


def test_server_that_only_reads_refuses_to_write_in_two_ways(
    reading: StoreCache, desk: Desk
) -> None:
    app = guest(reading, desk)
    assert app.store.read_only
    with pytest.raises(ReadOnly), app.store.write():
        pass
    with pytest.raises(ReadOnly):
        app.store.run("INSERT INTO meta (key, value) VALUES ('x', 'y')")
    shared = app.global_store()
    assert shared
    assert shared.read_only
    app.return_stores(call_succeeded=True)
    assert len(reading) == 2


def test_server_that_only_reads_makes_no_store(
    reading: StoreCache, desk: Desk, tmp_path: Path
) -> None:
    app = guest(reading, Desk(desk.place, tmp_path / "new home"))
    with pytest.raises(ReadOnly):
        app.global_store(create=True)
    assert app.global_store() is None
    app.return_stores(call_succeeded=True)


def test_server_that_only_reads_brings_no_store_up_to_date(reading: StoreCache, desk: Desk) -> None:
    connection = apsw.Connection(str(desk.store))
    connection.pragma("user_version", (schema.VERSION - 1) * 1000)
    connection.close()
    before = desk.store.read_bytes()
    app = guest(reading, desk)
    with pytest.raises(ReadOnly, match="older gitmem"):
        assert app.store
    app.return_stores(call_succeeded=True)
    assert desk.store.read_bytes() == before


def ask(
    saved: StoreCache, desk: Desk, question: str = "where is the harbour"
) -> tuple[list[str], Caches]:
    """The paths and ids that a search by a server finds, and what it keeps."""
    app = guest(saved, desk)
    found = search_all_sources(app, SearchRequest(query=question))
    app.return_stores(call_succeeded=True)
    app = guest(saved, desk)
    caches = app.store.caches
    app.return_stores(call_succeeded=True)
    assert caches is not None
    return [hit.path or hit.id for hit in found.hits], caches


def hits(caches: Caches) -> dict[str, int]:
    return {item.name: item.hits for item in caches.usage()}


def test_a_question_asked_twice_is_answered_once_and_anew_after_any_write(
    saved: StoreCache, desk: Desk
) -> None:
    """CT-6: what is kept of a search is never older than the store."""
    repo = RepoBuilder(desk.place, init=False)
    repo.write({"port.py": "def harbour():\n    return 'ships'\n"})
    desk.run("index")
    first, caches = ask(saved, desk)
    assert first == ["port.py"]
    assert hits(caches)["results"] == 0
    again, caches = ask(saved, desk)
    assert again == first
    assert (hits(caches)["results"], hits(caches)["embeddings"]) == (1, 1)

    # A memory of another process: it is found (and gets its vector, a write), and that its use is
    # counted empties nothing.
    desk.run("remember", text="The harbour is where ships are built")
    grown, caches = ask(saved, desk)
    assert len(grown) == 2
    ask(saved, desk)
    missed = caches.results.misses
    assert ask(saved, desk)[0] == grown
    assert caches.results.misses == missed

    repo.write({"port.py": "x = 1\n", "quay.py": "def harbour():\n    return 'cranes'\n"})
    desk.run("index")
    changed, caches = ask(saved, desk)
    assert "quay.py" in changed
    assert "port.py" not in changed
    # Its own writes are no less a change than another's.
    app = guest(saved, desk)
    with app.store.write():
        app.store.run("DELETE FROM paths WHERE path = 'quay.py'")
    app.return_stores(call_succeeded=True)
    assert "quay.py" not in ask(saved, desk)[0]
    # Closed and opened again it knows nothing but what was counted, and questions' vectors.
    counted = hits(caches)
    saved.close()
    assert len(caches.results) == 0
    ask(saved, desk)
    assert hits(caches)["results"] == counted["results"]
    assert hits(caches)["embeddings"] == counted["embeddings"] + 1


def test_settings_say_how_much_is_kept(saved: StoreCache, desk: Desk) -> None:
    desk.env["GITMEM_CACHE_RESULTS"] = "0"
    desk.env["GITMEM_CACHE_EMBEDDINGS"] = "1"
    _, caches = ask(saved, desk)
    ask(saved, desk)
    assert hits(caches)["results"] == 0
    assert (caches.embeddings.hits, caches.embeddings.most, len(caches.embeddings)) == (1, 1, 1)
    app = guest(saved, desk)
    output = stats.view(stats.collect_store_statistics(app, stats.StatsRequest()))
    app.return_stores(call_succeeded=True)
    assert "cache     embeddings: 1 of 2 (50%), 1 kept of 1, 0 evicted" in output
    assert "cache" not in stats.view(desk.run("stats"))
