"""CF-58, CC-8, CE-41, CT-29: settings of search and of what is captured do what they are about."""

from __future__ import annotations

from pathlib import Path

from gitmem import operations
from gitmem.app import App
from gitmem.search.files import WEIGHTS
from gitmem.setting_table import PARTS
from gitmem.settings import Settings
from tests.support.apps import Desk
from tests.support.repos import RepoBuilder
from tests.support.stores import open_store


def scores(desk: Desk, name: str, **values: object) -> list[float]:
    answer = desk.run(name, query="where does the redis port come from", **values)
    return [hit.score for hit in (answer.hits if name == "search" else answer.memories)]


def test_the_share_of_meaning_moves_scores_of_code_commits_and_memories(desk: Desk) -> None:
    desk.run("remember", text="The port of redis is read from REDIS_PORT")
    before = {name: scores(desk, name) for name in ("recall", "search")}
    desk.env["GITMEM_SEARCH_MEANING"] = "0.05"
    assert all(scores(desk, name) != before[name] for name in before)


def test_the_constant_of_rank_fusion_moves_its_scores(desk: Desk) -> None:
    for text in ("The port of redis is 6380", "Redis has a port and a socket, and a password"):
        desk.run("remember", text=text)
    before = scores(desk, "search", fusion="rrf")
    assert len(before) > 1
    desk.env["GITMEM_SEARCH_RRF_K"] = "1"
    assert scores(desk, "search", fusion="rrf") != before


def test_parts_of_the_ranking_are_left_out_by_their_names(tmp_path: Path) -> None:
    """CE-41: each weight's name is known to the setting, and what is left out does not count."""
    assert set(PARTS) > set(WEIGHTS)
    repo = RepoBuilder(tmp_path / "repo")
    repo.commit("Start", {"src/redis.py": "# Where the port of redis comes from.\nPORT = 6380\n"})
    desk = Desk(repo.path, repo.home)
    desk.run("init", no_hooks=True)
    asked = {"query": "where does the redis port come from", "explain": True}
    parts = desk.run("search", **asked).hits[0].parts
    assert {"text", "together"} < parts.keys()
    desk.env["GITMEM_SEARCH_WITHOUT"] = "together, text"
    rest = desk.run("search", **asked).hits[0].parts
    assert rest and not {"text", "together"} & rest.keys()


def captured(desk: Desk, text: str, importance: float) -> tuple[int, int] | None:
    app = App(Settings(desk.env), desk.clock, str(desk.place), source="system_auto")
    remember = operations.load_operation("remember")
    try:
        remember.run_request(app, remember.request_class(text=text, importance=importance))
    finally:
        app.close()
    database = open_store(str(desk.store))
    row = database.row("SELECT ttl_ms, importance FROM memories ORDER BY seq DESC LIMIT 1")
    database.close()
    return row


def test_how_long_what_is_captured_lives_can_be_set(desk: Desk) -> None:
    assert captured(desk, "The build needs make", 0.5) == (86_400_000, 0.5)
    desk.env |= {"GITMEM_CAPTURED_TTL_MINUTES": "5", "GITMEM_CAPTURED_KEEP_FROM": "0.95"}
    assert captured(desk, "Tests want a display", 0.9) == (300_000, 0.9)
    assert captured(desk, "Lint runs before the commit", 0.95) == (None, 0.95)


def test_how_words_and_meaning_are_joined_is_a_setting_that_an_option_overrides(desk: Desk) -> None:
    """CT-4, CF-9: the same three ways in recall and search, and --explain tells which it was."""
    for text in ("The port of redis is 6380", "Redis has a port and a socket, and a password"):
        desk.run("remember", text=text)
    for name in ("recall", "search"):
        by = {way: scores(desk, name, fusion=way) for way in ("score", "rrf", "weighted")}
        assert len({tuple(found) for found in by.values()}) == 3, name
        assert scores(desk, name) == by["score"], name
        for way, expected in (("rrf", "by rank (rrf)"), ("weighted", "0.7 of the cosine")):
            desk.env["GITMEM_SEARCH_FUSION"] = way
            assert scores(desk, name) == by[way], (name, way)
            assert scores(desk, name, fusion="score") == by["score"], (name, way)
            assert expected in desk.text(name, query="redis port", explain=True), (name, way)
        del desk.env["GITMEM_SEARCH_FUSION"]
        assert "are joined" not in desk.text(name, query="redis port"), name
        words = desk.text(name, query="redis port", explain=True, mode="keyword")
        assert "are joined" not in words, name
