"""The health of a store: freshness by its verdicts, and what fades in which week."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitmem.assembly import store_health
from gitmem.assembly.store_health import StoreHealth
from gitmem.freshness import anchor_verdict
from tests.support.anchored import SERVER, SPAN, Anchored
from tests.support.apps import DAY, Desk
from tests.support.repos import RepoBuilder


def health(desk: Desk, *, forecast: bool = False) -> StoreHealth:
    app = desk.app()
    try:
        return store_health.measure_store_health(app, forecast_decay=forecast)
    finally:
        app.close()


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    repo = RepoBuilder(tmp_path / "repo")
    repo.commit("First", {"src/app.py": "x = 1\n"})
    desk = Desk(repo.path, repo.home)
    desk.run("init")
    return desk


def test_what_nobody_uses_fades_in_the_week_in_which_decay_archives_it(desk: Desk) -> None:
    desk.run("remember", text="Nobody asks for this")
    desk.run("remember", text="This is pinned and stays", pin=True)
    desk.run("remember", text="This ends by itself", ttl="10d", fixed=True)
    result = health(desk)
    assert result.fading is not None and result.fading[1] == 1
    (ends,) = [item for item in result.soonest if item.why == "its time to live ends"]
    assert (ends.title, ends.week) == ("This ends by itself", 2)
    desk.clock.advance(14 * DAY)
    (item,) = [item for item in health(desk).soonest if item.why == "nobody uses it"]
    assert item.title == "Nobody asks for this"
    desk.clock.advance((item.week - 1) * 7 * DAY)
    assert desk.run("decay", dry_run=True).archived == ()
    desk.clock.advance(7 * DAY)
    assert [faded.id for faded in desk.run("decay", dry_run=True).archived] == [item.id]


def test_a_large_store_is_forecast_on_request(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.run("remember", text="The cache is per worker")
    monkeypatch.setattr(store_health, "QUICK", 0)
    assert health(desk).fading is None
    assert health(desk, forecast=True).fading == (0, 0, 0, 0)


def test_sizes_backups_and_index_are_those_of_the_store(desk: Desk) -> None:
    before = health(desk)
    assert (before.total, before.backups, before.backup_at) == (0, 0, "")
    assert before.file_bytes > 0 and before.index.state == "current"
    desk.run("remember", text="The cache is per worker")
    desk.run("backup")
    after = health(desk)
    assert (after.total, after.states["active"], after.backups) == (1, 1, 1)
    assert after.backup_at


def test_freshness_is_the_worst_verdict_of_each_memory(tmp_path: Path) -> None:
    ground = Anchored(tmp_path)
    ground.cite(SPAN, "src/other.py")
    ground.cite("src/other.py")
    with ground.app() as app:
        assert store_health.measure_store_health(app).freshness == {"unknown": 2}
    ground.commit({"src/server.py": SERVER.replace("listener.listen(backlog)", "pass")})
    with ground.app() as app:
        anchor_verdict.refresh_cited_code_freshness(app, app.store)
        assert store_health.measure_store_health(app).freshness == {"fresh": 1, "changed": 1}
