"""What follows from many commits is proposed once, a week apart, and nothing else is."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from gitmem.app import App
from gitmem.maintenance import derive
from gitmem.model.suggestion import Suggestion
from gitmem.store.code import commits
from gitmem.store.code.commits import IndexedCommit
from gitmem.store.memory import jobs, memories, suggestions
from tests.support.apps import DAY, Desk
from tests.support.repos import RepoBuilder

LINT, SPEC = "lib/lint.rb", "docs/rules.md"
VERSION, LOG = "src/version.py", "CHANGELOG.md"


@pytest.fixture
def app(desk: Desk) -> Iterator[App]:
    """An App of a person in a repository with a store."""
    made = desk.app()
    yield made
    made.close()


def history(app: App, *changes: tuple[int, tuple[str, ...]]) -> None:
    """Index so many commits that change these paths."""
    first, rows = commits.count_commits(app.store), list[IndexedCommit]()
    for count, paths in changes:
        for _ in range(count):
            at = first + len(rows)
            rows.append(IndexedCommit(f"{at:040x}", "Ann", at, "a subject", "", paths, b"x" * 16))
    with app.store.write():
        commits.add_commits(app.store, rows)


def waiting(app: App) -> list[Suggestion]:
    return suggestions.pending_suggestions(app.store, 20)


def test_files_that_change_together_are_proposed_once(
    desk: Desk, app: App, repo: RepoBuilder
) -> None:
    """CT-26: derived facts, dry run, trail."""
    repo.write(dict.fromkeys((LINT, SPEC, VERSION, LOG, "src/cart.py", "tests/test_cart.py"), "x"))
    history(
        app,
        (18, (LINT, SPEC)),
        (2, (LINT,)),  # nine of ten
        (30, (SPEC,)),
        (9, (VERSION, LOG)),
        (40, (LOG,)),
        (40, ("src/cart.py", "tests/test_cart.py")),  # no news
        (7, ("src/a.py", "lib/b.py")),  # too few
        (40, ("src/gone.py", "lib/away.py")),  # not there any more
        (derive.WINDOW, ()),  # merges
    )
    assert desk.run("upkeep").derived == 2
    found = {item.title: item for item in desk.run("inbox").items}
    assert set(found) == {f"{LINT} changes with {SPEC}", f"{VERSION} changes with {LOG}"}
    answer = found[f"{LINT} changes with {SPEC}"]
    result = memories.get_memory(app.store, answer.memory)
    assert result is not None
    assert result.content.startswith(f"18 of the 20 commits that changed {LINT} changed {SPEC} too")
    assert (result.kind, result.state, result.paths, answer.confidence) == (
        "convention", "proposed", (), derive.CONFIDENCE,
    )  # fmt: skip
    assert desk.run("list").memories == ()
    (job,) = [item for item in jobs.newest_jobs(app.store, 9) if item.kind == "derive"]
    assert (job.state, job.dry_run, json.loads(job.result)) == ("succeeded", True, {"suggested": 2})
    assert "derive  succeeded  2 suggested" in desk.text("inbox", action="log")
    desk.run("inbox", action="reject", id=(answer.id,))
    history(app, (5, (LINT, SPEC)))
    for days in (1, 7):
        desk.clock.advance(days * DAY)
        assert desk.run("upkeep").derived == 0
    assert len(waiting(app)) == 1


def test_no_more_than_three_at_a_time_and_none_where_capture_is_off(
    desk: Desk, app: App, repo: RepoBuilder
) -> None:
    pairs = [(f"a/{name}.py", f"b/{name[::-1]}.py") for name in ("one", "two", "four", "five")]
    repo.write({path: "x" for pair in pairs for path in pair})
    history(app, *((11, pair) for pair in pairs))
    assert desk.run("upkeep").derived == 0  # too few commits to follow from
    history(app, *((11, pair) for pair in pairs))
    desk.clock.advance(7 * DAY)
    desk.env["GITMEM_CAPTURE_EVERY"] = "0"
    assert desk.run("upkeep").derived == 0
    del desk.env["GITMEM_CAPTURE_EVERY"]
    assert desk.run("upkeep").derived == 3
    desk.clock.advance(6 * DAY)
    assert desk.run("upkeep").derived == 0
    desk.clock.advance(DAY)
    assert desk.run("upkeep").derived == 1
