"""Jobs beside commands: done once, held by one, tried again, put aside, and kept to be read."""

from __future__ import annotations

from gitmem.app import App
from gitmem.capture import steward
from gitmem.errors import NotFound
from gitmem.model.frozen import replace
from gitmem.store.db.connection import Database
from gitmem.store.memory import jobs
from tests.support.apps import MINUTE, Desk


def fails(_app: App, _store: Database) -> str:
    raise NotFound("The model is gone.")


def states(app: App) -> list[tuple[str, str, int]]:
    return [(item.state, item.result, item.attempts) for item in jobs.newest_jobs(app.store, 5)]


def attempt(desk: Desk, work: steward.Work) -> tuple[str, list[tuple[str, str, int]]]:
    app = desk.app()
    try:
        return steward.run_job_once_per_key(app, app.store, "recheck", "one", work), states(app)
    finally:
        app.close()


def test_what_fails_is_tried_three_times_and_then_put_aside(desk: Desk) -> None:
    text = "The model is gone."
    for number in (1, 2, 3):
        state = "dead_letter" if number == 3 else "queued"
        assert attempt(desk, fails) == (state, [(state, text, number)])
        # Not before its time, and never again once it is put aside.
        assert attempt(desk, fails) == ("", [(state, text, number)])
        desk.clock.advance(6 * MINUTE)
    assert attempt(desk, lambda *_: "{}") == ("", [("dead_letter", text, 3)])


def test_what_was_done_for_a_key_is_not_done_again(desk: Desk) -> None:
    assert attempt(desk, lambda *_: "{}") == ("succeeded", [("succeeded", "{}", 1)])
    assert attempt(desk, fails) == ("", [("succeeded", "{}", 1)])


def test_who_dies_each_time_is_put_aside_as_well(desk: Desk, app: App) -> None:
    with app.store.write():
        jobs.enqueue_job(
            app.store, replace(steward.new_background_job(app, "recheck", "one"), attempts=3)
        )
    assert attempt(desk, lambda *_: "{}") == (
        "dead_letter",
        [("dead_letter", "Whoever ran it went away each time.", 4)],
    )


def test_a_job_of_another_kind_stays_where_it_is(desk: Desk, app: App) -> None:
    with app.store.write():
        jobs.enqueue_job(app.store, steward.new_background_job(app, "auto_merge", "first"))
    done, output = attempt(desk, lambda *_: "{}")
    assert done == "succeeded"
    assert sorted(output) == [("queued", "", 0), ("succeeded", "{}", 1)]
