"""What says the same among the memories that are there, looked for beside a command."""

from __future__ import annotations

from gitmem.app import App
from gitmem.capture import duplicate_scan, steward
from gitmem.maintenance.schedule import scan_due
from gitmem.model.frozen import replace
from gitmem.store.db import projects
from gitmem.store.memory import jobs, memories, suggestions
from tests.support.apps import DAY, HOUR, Desk

FACT = "The integration tests need a Redis on port 6380"
SAME = "Integration tests need Redis on port 6380."
OTHER_PORT = "The integration tests need a Redis on port 6379"


def fill(desk: Desk) -> None:
    for text in (FACT, SAME, OTHER_PORT, "The release notes are written by hand"):
        desk.run("remember", text=text, duplicates="allow")


def test_what_says_the_same_is_suggested_once_a_day_and_nothing_is_changed(
    desk: Desk, app: App
) -> None:
    fill(desk)
    before = [*memories.every(app.store)]
    assert not scan_due(app, app.store)
    desk.clock.advance(DAY)
    assert scan_due(app, app.store)
    assert desk.run("upkeep").suggested == 1
    (one,) = suggestions.pending(app.store, 5)
    assert one.kind == "duplicate"
    assert {memories.get(app.store, id).content for id in (one.memory, one.other)} == {FACT, SAME}
    assert [*memories.every(app.store)] == before
    # Nothing was written since, so there is nothing to look for.
    desk.clock.advance(DAY)
    assert not scan_due(app, app.store)


def test_a_rejected_pair_stays_away(desk: Desk, app: App) -> None:
    fill(desk)
    desk.clock.advance(DAY)
    desk.run("upkeep")
    (one,) = suggestions.pending(app.store, 5)
    with app.store.write():
        suggestions.resolve(app.store, one.id, "rejected", at=app.now, agent="")
    desk.clock.advance(DAY)
    desk.run("remember", text="Something new")
    assert duplicate_scan.run(app, app.store) == 0
    assert suggestions.pending(app.store, 5) == []


def test_it_is_a_job_that_one_process_holds_and_that_is_kept_two_weeks(
    desk: Desk, app: App
) -> None:
    fill(desk)
    desk.clock.advance(DAY)
    with app.store.write():
        jobs.enqueue(app.store, steward.queued(app, "auto_merge", "held"))
        held = jobs.lease(app.store, app.now, HOUR)
    assert held is not None
    assert duplicate_scan.run(app, app.store) == 1
    done = [job for job in jobs.newest(app.store, 5) if job.state == "succeeded"]
    assert [(job.kind, job.dry_run, job.result) for job in done] == [
        ("auto_merge", True, '{"suggested": 1}')
    ]
    desk.clock.advance(15 * DAY)
    desk.run("remember", text="Something new")
    duplicate_scan.run(app, app.store)
    assert done[0].id not in {job.id for job in jobs.newest(app.store, 9)}


def test_it_is_off_where_the_setting_says_so(desk: Desk) -> None:
    fill(desk)
    desk.clock.advance(DAY)
    desk.env["GITMEM_DUPLICATES_SCAN_HOURS"] = "0"
    assert desk.run("upkeep").suggested == 0


def test_what_was_put_aside_is_due_a_day_later_and_not_at_each_command(
    desk: Desk, app: App
) -> None:
    """It stayed due, so that each command started upkeep that had nothing to do."""
    fill(desk)
    desk.clock.advance(DAY)
    counter = projects.meta(app.store, "counter")
    with app.store.write():
        job = steward.queued(app, "auto_merge", f"{counter}:0")
        jobs.enqueue(app.store, replace(job, attempts=steward.ATTEMPTS))
    assert duplicate_scan.run(app, app.store) == 0  # interrupted before, each time
    (ended,) = jobs.newest(app.store, 5)
    assert (ended.state, ended.result) == ("dead_letter", steward.GONE)
    assert not scan_due(app, app.store)
    desk.clock.advance(DAY)
    later = desk.app()
    try:
        assert scan_due(later, later.store)
        assert duplicate_scan.run(later, later.store) == 1
    finally:
        later.close()
