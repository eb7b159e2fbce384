"""The trail: what was merged, taken apart again, looked for, and what failed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gitmem.capture import steward
from gitmem.errors import InvalidInput
from gitmem.maintenance import policy_tune
from gitmem.model.frozen import replace
from gitmem.store.memory import jobs
from tests.support.apps import DAY, SECOND, Desk

FACT = "The integration tests need a Redis on port 6380"
MORE = "The integration tests need a Redis on port 6380. Start it with make redis."


def log(desk: Desk, **values: Any) -> list[tuple[str, str, str]]:
    output = desk.run("inbox", action="log", **values).log
    return [(item.kind, item.state, item.result) for item in output]


def merged(desk: Desk) -> tuple[str, str]:
    """Two memories, the second taken into the first on request."""
    item = desk.run("remember", text=FACT).id
    desk.clock.advance(SECOND)
    two = desk.run("remember", text=MORE).id
    (result,) = desk.run("inbox").items
    desk.run("inbox", action="accept", id=(result.id,))
    return item, two


def test_merges_are_reported_with_what_was_before_and_after_and_that_they_were_undone(
    desk: Desk,
) -> None:
    """CT-13."""
    assert log(desk) == []
    item, two = merged(desk)
    (answer,) = desk.run("inbox", action="log").log
    assert (answer.target, answer.source, answer.strategy) == (item, two, "smart_merge")
    assert (answer.before_version, answer.after_version, answer.agent) == (1, 2, "")
    assert answer.similarity is not None and 0.7 < answer.similarity <= 1
    text = desk.text("inbox", action="log")
    assert f"{item[:12]} took in {two[:12]} (smart_merge, " in text
    assert "version 1 to 2, by person)" in text and answer.id in text
    desk.clock.advance(DAY)
    desk.run("inbox", action="undo", id=(answer.id,))
    ((kind, state, result),) = log(desk)
    assert (kind, state) == ("merge", "undone")
    assert result.endswith("; both are memories again")


def test_jobs_are_reported_in_words_and_those_that_found_nothing_are_left_out(desk: Desk) -> None:
    """CT-26."""
    app = desk.app()
    advice = {"accepted": 4, "rejected": 16, "from": 0.92, "to": 0.93}
    results = (
        ("auto_merge", "succeeded", json.dumps({"suggested": 0}), None),
        ("auto_merge", "succeeded", json.dumps({"suggested": 2}), "2 suggested"),
        ("recheck", "dead_letter", "Git is gone.", "Git is gone."),
        (
            policy_tune.KIND,
            "succeeded",
            json.dumps(advice),
            "4 accepted, 16 rejected: to follow that, gitmem config duplicates.merge_from 0.93",
        ),
        (
            policy_tune.KIND,
            "succeeded",
            json.dumps(advice | {"to": 0.92}),
            "4 accepted, 16 rejected: duplicates.merge_from may stay at 0.92",
        ),
        ("recheck", "queued", "[1]", "[1]"),
    )
    with app.store.write():
        for number, (kind, state, result, _) in enumerate(results):
            made = replace(
                steward.new_background_job(app, kind, str(number)), state=state, result=result
            )
            jobs.enqueue_job(app.store, replace(made, created_at=app.now + number))
    app.close()
    messages = [(kind, state, words) for kind, state, _, words in results if words is not None]
    assert log(desk) == messages[::-1]
    assert log(desk, limit=2, offset=1) == messages[::-1][1:3]
    assert "recheck  dead_letter  Git is gone." in desk.text("inbox", action="log")


def test_it_takes_no_ids_no_words_and_no_other_lists(desk: Desk) -> None:
    for values in ({"id": ("01ABC",)}, {"text": "x"}, {"resolved": True}):
        with pytest.raises(InvalidInput):
            desk.run("inbox", action="log", **values)
    assert desk.text("inbox", action="log") == "Nothing was merged or found so far."
