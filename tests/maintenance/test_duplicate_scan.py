"""What says the same among the memories that are there, looked for beside a command."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gitmem.app import App
from gitmem.capture import steward
from gitmem.maintenance import duplicate_scan
from gitmem.maintenance.schedule import is_duplicate_scan_due
from gitmem.model.frozen import replace
from gitmem.store.db import projects
from gitmem.store.memory import jobs, memories, memory_writes, suggestions
from tests.support.apps import DAY, HOUR, Desk
from tests.support.stores import said

FACT = "The integration tests need a Redis on port 6380"
SAME = "Integration tests need Redis on port 6380."
OTHER_PORT = "The integration tests need a Redis on port 6379"


@pytest.fixture
def app(desk: Desk) -> Iterator[App]:
    """An App of a person in a repository with a store."""
    made = desk.app()
    yield made
    made.close()


def fill(desk: Desk) -> None:
    for text in (FACT, SAME, OTHER_PORT, "The release notes are written by hand"):
        desk.run("remember", text=text, duplicates="allow")


def test_what_says_the_same_is_suggested_once_a_day_and_nothing_is_changed(
    desk: Desk, app: App
) -> None:
    fill(desk)
    before = [*memories.all_memories(app.store)]
    assert not is_duplicate_scan_due(app, app.store)
    desk.clock.advance(DAY)
    assert is_duplicate_scan_due(app, app.store)
    assert desk.run("upkeep").suggested == 1
    (result,) = suggestions.pending_suggestions(app.store, 5)
    assert result.kind == "duplicate"
    assert {memories.get_memory(app.store, id).content for id in (result.memory, result.other)} == {
        FACT,
        SAME,
    }
    assert [*memories.all_memories(app.store)] == before
    # Nothing was written since, so there is nothing to look for.
    desk.clock.advance(DAY)
    assert not is_duplicate_scan_due(app, app.store)


def test_what_a_name_tells_apart_is_not_asked_about_in_other_words_either(desk: Desk) -> None:
    for text in (
        FACT,
        FACT.replace("Redis", "Redis 7 cluster"),
        "The release notes are written by hand",
    ):
        desk.run("remember", text=text, duplicates="allow")
    desk.clock.advance(DAY)
    assert desk.run("upkeep").suggested == 0


def test_a_rejected_pair_stays_away(desk: Desk, app: App) -> None:
    fill(desk)
    desk.clock.advance(DAY)
    desk.run("upkeep")
    (result,) = suggestions.pending_suggestions(app.store, 5)
    with app.store.write():
        suggestions.resolve_suggestion(app.store, result.id, "rejected", at_ms=app.now, agent="")
    desk.clock.advance(DAY)
    desk.run("remember", text="Something new")
    assert duplicate_scan.suggest_duplicates(app, app.store) == 0
    assert suggestions.pending_suggestions(app.store, 5) == []


def test_it_is_a_job_that_one_process_holds_and_that_is_kept_two_weeks(
    desk: Desk, app: App
) -> None:
    fill(desk)
    desk.clock.advance(DAY)
    with app.store.write():
        jobs.enqueue_job(app.store, steward.new_background_job(app, "auto_merge", "held"))
        held = jobs.lease_job(app.store, app.now, HOUR)
    assert held is not None
    assert duplicate_scan.suggest_duplicates(app, app.store) == 1
    done = [job for job in jobs.newest_jobs(app.store, 5) if job.state == "succeeded"]
    assert [(job.kind, job.dry_run, job.result) for job in done] == [
        ("auto_merge", True, '{"suggested": 1}')
    ]
    desk.clock.advance(15 * DAY)
    desk.run("remember", text="Something new")
    duplicate_scan.suggest_duplicates(app, app.store)
    assert done[0].id not in {job.id for job in jobs.newest_jobs(app.store, 9)}


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
    counter = projects.get_meta(app.store, "counter")
    with app.store.write():
        job = steward.new_background_job(app, "auto_merge", f"{counter}:0")
        jobs.enqueue_job(app.store, replace(job, attempts=steward.ATTEMPTS))
    assert duplicate_scan.suggest_duplicates(app, app.store) == 0  # interrupted before, each time
    (ended,) = jobs.newest_jobs(app.store, 5)
    assert (ended.state, ended.result) == ("dead_letter", steward.GONE)
    assert not is_duplicate_scan_due(app, app.store)
    desk.clock.advance(DAY)
    later = desk.app()
    try:
        assert is_duplicate_scan_due(later, later.store)
        assert duplicate_scan.suggest_duplicates(later, later.store) == 1
    finally:
        later.close()


def test_what_says_the_same_in_other_words_is_asked_about(desk: Desk, app: App) -> None:
    output = (
        "Fix the content-length of chunked bodies in Response#write",
        "A wrong content-length was emitted when Response#write was used for chunked bodies",
    )
    others = (
        "Response#finish closes the body",
        "Content negotiation of version 2 reads the length of the header",
    )
    for text in (*output, *others, "Prices are kept in cents", "The worker is started by cron"):
        desk.run("remember", text=text, duplicates="allow")
    with app.store.write():  # words are common or rare beside others
        for number in range(200):
            filler = f"Fix part {number} in the plan when some of it was used"
            memory_writes.insert_memory(app.store, said(filler, seed=number, kind="command"))
    code = desk.run("remember", text=f"{output[0]} once", kind="code", duplicates="allow").id
    desk.clock.advance(DAY)
    desk.run("upkeep")
    found = suggestions.pending_suggestions(app.store, 9)
    wider = [item for item in found if item.reason == duplicate_scan.REASON]
    pairs = [
        {memories.get_memory(app.store, id).content for id in (item.memory, item.other)}
        for item in wider
    ]
    assert set(output) in pairs
    assert all(output[1] in pair for pair in pairs)
    assert code not in {id for item in found for id in (item.memory, item.other)}
    assert all(item.kind == "duplicate" and 0 < item.similarity <= 1 for item in wider)


def test_decisions_of_a_batch_that_go_against_one_in_force_are_found_later(
    desk: Desk, app: App
) -> None:
    desk.run("decide", title="Use jiff, not chrono")
    line = '{"content": "Use chrono for intervals", "kind": "decision"}\n'
    desk.run("remember", text=line + line.replace("intervals", "birthdays"), piped=True)
    assert "may contradict" not in desk.text("list")
    desk.clock.advance(DAY)
    assert desk.run("upkeep").suggested == 2
    assert {suggestion.kind for suggestion in suggestions.pending_suggestions(app.store, 5)} == {
        "contradiction"
    }
    assert desk.text("list").count("may contradict") == 3


def test_a_refused_contradiction_is_marked_no_more_and_not_found_again(
    desk: Desk, app: App
) -> None:
    desk.run("decide", title="Use jiff, not chrono")
    desk.run("decide", title="Use chrono again")
    (result,) = suggestions.pending_suggestions(app.store, 5)
    with app.store.write():
        suggestions.resolve_suggestion(app.store, result.id, "rejected", at_ms=app.now, agent="")
    assert "may contradict" not in desk.text("list")
    desk.clock.advance(DAY)
    desk.run("upkeep")
    assert suggestions.pending_suggestions(app.store, 5) == []
