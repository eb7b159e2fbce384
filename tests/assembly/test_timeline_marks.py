"""The rows of the timeline, from a real repository and store."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitmem.assembly import timeline_marks
from gitmem.assembly.timeline_marks import ChartFilter, TimelineChart
from gitmem.charts import marks
from gitmem.errors import InvalidInput
from tests.support.apps import DAY, HOUR, Desk
from tests.support.repos import RepoBuilder


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    folder = tmp_path_factory.mktemp("timeline")
    repo = RepoBuilder(folder / "repo")
    desk = Desk(repo.path, repo.home)
    start = desk.clock.now()
    for number in range(3):
        when = f"{start // 1000 - 86_400 * number} +0000"
        author = "Grace <g@example.com>" if number else "Ada <a@example.com>"
        repo.commit(f"Change {number}", {f"src/{number}.py": "x"}, author=author, when=when)
    desk.run("init")
    desk.run("session start", by="codex", goal="Make it idempotent")
    desk.run("decide", by="codex", title="Redis keeps the jobs", path=("src/0.py",))
    desk.run("remember", text="The cache is per worker", path=("src/1.py",))
    desk.clock.advance(HOUR)
    desk.run("session end", by="codex", summary="Done")
    desk.clock.advance(DAY)
    return desk


def happened(desk: Desk, **period: str) -> TimelineChart:
    app = desk.app()
    try:
        return timeline_marks.build_timeline_chart(
            app,
            ChartFilter(**period),
            lambda kind, id: f"/{kind}/{id[:4]}",
            lambda since, until: f"/t/{since}/{until}",
        )
    finally:
        app.close()


def totals(result: TimelineChart) -> dict[str, int]:
    return {row.name: row.total for row in result.rows}


def test_each_kind_has_its_row_and_the_list_is_newest_first(desk: Desk) -> None:
    result = happened(desk)
    assert totals(result) == {"commits": 3, "sessions": 1, "decisions": 1, "memories": 1}
    assert all(row.unmarked_event_count == 0 for row in result.rows)
    (session,) = result.rows[1].marks
    assert session.end is not None and session.end - session.at == HOUR
    assert session.text == "codex: Done" and session.href.startswith("/session/")
    assert [entry.at for entry in result.newest] == sorted(
        (entry.at for entry in result.newest), reverse=True
    )
    assert {entry.type for entry in result.newest} == {"commit", "session", "decision", "memory"}


def test_a_filter_leaves_out_the_rows_it_cannot_narrow(desk: Desk) -> None:
    by_agent = happened(desk, agent="codex")
    assert totals(by_agent) == {"sessions": 1, "decisions": 1, "memories": 0}
    assert by_agent.left_out == ("commits",)
    by_path = happened(desk, path="src/1.py")
    assert totals(by_path) == {"commits": 1, "decisions": 0, "memories": 1}
    assert by_path.left_out == ("sessions",)
    assert totals(happened(desk, author="grace"))["commits"] == 2


def test_a_period_begins_and_ends_where_it_should(desk: Desk) -> None:
    assert totals(happened(desk, since="24h")) == {
        "commits": 0,
        "sessions": 1,
        "decisions": 0,
        "memories": 0,
    }
    everything = happened(desk, since="all")
    assert totals(everything)["commits"] == 3
    assert everything.since == min(mark.at for mark in everything.rows[0].marks)
    with pytest.raises(InvalidInput):
        happened(desk, since="1d", until="2d")


def test_where_too_much_happened_stretches_of_time_stand_for_it(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(marks, "MAX_MARKS", 2)
    (commits, *_) = happened(desk, since="all").rows
    assert commits.total == 3 and commits.unmarked_event_count == 0 and len(commits.marks) <= 2
    assert sum(mark.count for mark in commits.marks) == 3
    assert all(mark.href == f"/t/{mark.at}/{mark.end}" for mark in commits.marks)


def test_an_empty_store_has_empty_rows(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "repo")
    desk = Desk(repo.path, repo.home)
    desk.run("init")
    result = happened(desk, since="all")
    assert set(totals(result).values()) == {0} and result.newest == ()
