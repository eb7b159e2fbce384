"""Another bound for merging is advised from what was decided, and set by nobody but a person."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from gitmem.app import App
from gitmem.maintenance import policy_tune
from gitmem.model.suggestion import PENDING, Suggestion
from gitmem.store.memory import jobs, suggestions
from tests.support.apps import DAY, Desk


@pytest.fixture
def app(desk: Desk) -> Iterator[App]:
    """An App of a person in a repository with a store."""
    made = desk.app()
    yield made
    made.close()


def decided(app: App, kind: str, state: str, count: int) -> None:
    with app.store.write():
        for _ in range(count):
            id = app.new_id()
            suggestions.add_suggestion(
                app.store, Suggestion(id, id, kind, "a", "b", 0.9, "", PENDING, "", app.now)
            )
            suggestions.resolve_suggestion(app.store, id, state, at_ms=app.now, agent="")


def test_what_was_decided_counts_once_and_changes_no_setting(desk: Desk, app: App) -> None:
    """CT-26: dry run."""
    decided(app, "merge", "rejected", 15)
    decided(app, "duplicate", "accepted", 4)
    decided(app, "contradiction", "accepted", 30)
    assert policy_tune.advise_merge_threshold(app, app.store) is None
    decided(app, "duplicate", "rejected", 1)
    assert desk.run("upkeep").stale == 0
    (job,) = [item for item in jobs.newest_jobs(app.store, 9) if item.kind == "policy_tune"]
    assert job.dry_run and job.state == "succeeded"
    assert json.loads(job.result) == {"accepted": 4, "rejected": 16, "from": 0.92, "to": 0.93}
    assert app.settings.float_number("duplicates.merge_from") == 0.92
    desk.clock.advance(DAY)
    later = desk.app()
    assert policy_tune.advise_merge_threshold(later, later.store) is None
    later.close()


def test_few_accepted_raise_it_nearly_all_lower_it_and_it_stays_within_bounds() -> None:
    """CT-26."""
    for current, accepted, rejected, advised in (
        (0.92, 6, 14, 0.93),
        (0.92, 7, 13, 0.92),  # 35 % are not few
        (0.92, 16, 4, 0.92),  # 80 % are not nearly all
        (0.92, 17, 3, 0.915),
        (0.965, 0, 20, 0.97),
        (0.97, 0, 20, 0.97),
        (0.902, 20, 0, 0.90),
        (0.92, 0, 19, 0.92),  # too few to tell
        (1.01, 10, 10, 1.01),  # never merged, as somebody set it
    ):
        assert policy_tune.adjust_merge_threshold(current, accepted, rejected) == advised, (
            current,
            accepted,
            rejected,
        )
