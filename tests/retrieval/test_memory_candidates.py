"""Memories that answer: the rows that recalling, searching and checking a plan all rank."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gitmem.app import App
from gitmem.model.anchor import Freshness
from gitmem.retrieval import plan_conflicts, request_filters
from gitmem.retrieval.memory_candidates import (
    MemoryCosines,
    MemoryMatches,
    make_ranking_candidates,
    match_memories,
)
from gitmem.search import query
from gitmem.store.db.connection import Database
from gitmem.store.memory.filters import MemoryFilter
from tests.support.apps import Desk
from tests.support.repos import RepoBuilder


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    repo = RepoBuilder(tmp_path_factory.mktemp("candidates") / "repo")
    repo.commit("First", {"src/cache.py": "port = 6380\n"})
    made = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    made.run("init", no_index=True, no_hooks=True)
    made.run("remember", text="Redis listens on port 6380", path=("src/cache.py",))
    made.run("decide", title="Redis is the cache", why="It was there")
    made.run("remember", text="Deploy on Tuesdays only")
    return made


@pytest.fixture
def app(desk: Desk) -> Iterator[App]:
    opened = desk.app()
    yield opened
    opened.close()


def matches(app: App, text: str, **more: object) -> MemoryMatches:
    return match_memories(app.store, query.parse_terms(text), MemoryFilter(now=app.now), 10, **more)  # type: ignore[arg-type]


def message(found: MemoryMatches) -> set[str]:
    return {memory.headline for memory in found.memories}


def test_words_bring_rows_with_their_scores_and_labels(app: App) -> None:
    found = matches(app, "redis port")
    assert message(found) == {"Redis listens on port 6380", "Redis is the cache"}
    (port,) = (memory for memory in found.memories if "6380" in memory.content)
    assert set(found.labels[port.seq]) == {"redis", "port"}
    assert found.scores[port.seq] == max(found.scores.values())


def test_the_vector_leg_adds_rows_and_keeps_to_the_filter(app: App) -> None:
    every = {memory.seq: memory for memory in matches(app, "redis deploy").memories}
    requested: list[list[int]] = []

    def similar(database: Database, numbers: list[int]) -> MemoryCosines:
        assert database is app.store
        requested.append(numbers)
        return MemoryCosines(dict.fromkeys(every, 0.5), {})

    found = matches(app, "deploy", find_similar=similar)
    assert message(found) == {memory.headline for memory in every.values()}
    assert requested == [list(found.scores)]
    decided = match_memories(
        app.store, (), MemoryFilter(now=app.now, kinds=("decision",)), 10, similar
    )
    assert message(decided) == {"Redis is the cache"}
    assert not decided.scores


def test_freshness_is_found_out_only_where_it_is_asked_for(app: App) -> None:
    found = matches(app, "redis port")
    known: dict[str, Freshness] = {}
    weighed = make_ranking_candidates(app, app.store, found, known)
    (citing,) = (memory.id for memory in found.memories if memory.paths)
    assert known[citing].freshness == "fresh"
    assert [item.memory for item in weighed] == found.memories
    assert {item.memory.id: item.lexical for item in weighed} == {
        memory.id: found.scores[memory.seq] for memory in found.memories
    }
    unseen = make_ranking_candidates(app, app.store, found, None)
    assert [item.notes for item in unseen] == [()] * len(found.memories)


def test_where_nothing_answers_nothing_is_weighed(app: App) -> None:
    found = matches(app, "kubernetes")
    assert (found.memories, make_ranking_candidates(app, app.store, found, {})) == ([], [])


def test_a_plan_is_judged_by_the_same_rows(app: App) -> None:
    (found,) = plan_conflicts.review_plan(app, "redis cache for sessions").mentions
    clash, (memory, database) = found.clash, found.pair
    assert clash is None
    assert (memory.headline, database) == ("Redis is the cache", app.store)
    expected = request_filters.memory_filter_for_store(app, app.store, MemoryFilter(now=app.now))
    matched = match_memories(app.store, query.parse_terms("redis cache for sessions"), expected, 10)
    assert memory.id in {memory.id for memory in matched.memories}
