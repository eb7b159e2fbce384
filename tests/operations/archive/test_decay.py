"""What nobody uses goes to the archive, and comes back for good (CF-16, CF-17)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gitmem.errors import ReadOnly
from gitmem.maintenance import fade
from gitmem.maintenance.schedule import idle_ms_until_archivable, is_maintenance_due
from gitmem.memory.lifecycle import decay_score
from gitmem.operations.archive.decay import DECAY, ArchiveFadedRequest, ArchiveFadedResult
from gitmem.operations.registry import as_json_values
from gitmem.store.memory import decay_candidates
from tests.support.apps import DAY, HOUR, Desk

WEEK = 7 * DAY


def decay(desk: Desk, **values: Any) -> ArchiveFadedResult:
    app = desk.app()
    try:
        found = DECAY.run(app, ArchiveFadedRequest(**values))
    finally:
        app.close()
    assert isinstance(found, ArchiveFadedResult)
    return found


def state(desk: Desk, id: str) -> str:
    return str(desk.run("show", id=id).memory.state)


def remember(desk: Desk, text: str, **values: Any) -> str:
    return str(desk.run("remember", text=text, **values).id)


def until_nothing_fades(desk: Desk) -> list[str]:
    """Ids of all that fades, run after run: a run takes a part of the store only."""
    faded: list[str] = []
    while found := decay(desk).archived:
        faded += [item.id for item in found]
    return faded


def test_six_weeks_later_the_unused_has_faded_and_the_rest_stands(desk: Desk) -> None:
    unused = remember(desk, "The demo server is called otter")
    used = remember(desk, "Redis listens on 6380")
    pinned = remember(desk, "Deploys are on Tuesday", pin=True)
    rule = remember(desk, "Use tabs", kind="convention")
    heavy = remember(desk, "The key is in the vault", importance=0.8)
    ends = remember(desk, "The fair is in spring", ttl="90d")
    decided = desk.run("decide", title="Use SQLite").id
    for _ in range(2):
        desk.clock.advance(HOUR)
        assert desk.run("recall", query="redis").memories
    desk.clock.advance(6 * WEEK)
    found = decay(desk)
    assert [item.id for item in found.archived] == [unused]
    assert (found.kept, found.exempt, found.held_back) == (1, 5, 0)
    assert state(desk, unused) == "archived"
    for id in (used, pinned, rule, heavy, ends, decided):
        assert state(desk, id) == "active"


def test_a_dry_run_tells_the_same_and_changes_nothing(desk: Desk) -> None:
    remember(desk, "The demo server is called otter")
    desk.clock.advance(6 * WEEK)
    before = desk.run("list").memories
    text = as_json_values(decay(desk, dry_run=True))
    assert desk.run("list").memories == before
    (item,) = as_json_values(decay(desk))["archived"]
    assert text["archived"] == [item] and text["kept"] == 0 and text["dry_run"]
    assert item["title"] == "The demo server is called otter"
    assert (item["age_days"], item["idle_days"], item["accesses"]) == (42.0, 42.0, 0)
    assert item["score"] == pytest.approx(0.3 * 2.718281828**-1.5 + 0.7 * 2.718281828**-3, abs=1e-4)
    assert item["why"] == "42 days old, not touched for 42, never returned"


def test_an_explanation_shows_the_formula_and_its_constants(desk: Desk) -> None:
    remember(desk, "The demo server is called otter")
    desk.clock.advance(6 * WEEK)
    text = DECAY.view(decay(desk, dry_run=True, explain=True))
    assert "0.3*exp(-age/28d) + 0.7*exp(-idle/14d) + min(accesses/10, 0.5) < 0.2" in text
    assert "42 days old" in text and "1 would be archived, 0 kept, 0 exempt" in text


def test_what_was_restored_is_back_for_good(desk: Desk) -> None:
    """Somebody said that the first judgement was wrong: it is not passed again."""
    saved = remember(desk, "The demo server is called otter")
    desk.clock.advance(6 * WEEK)
    decay(desk)
    assert [version.action for version in desk.run("history", id=saved).versions][-1] == "faded"
    desk.run("restore", id=(saved,))
    for _ in range(2):
        assert decay(desk).archived == ()
        desk.clock.advance(26 * WEEK)
    assert state(desk, saved) == "active"


def test_a_clock_that_went_back_fades_nothing(desk: Desk) -> None:
    remember(desk, "The demo server is called otter")
    desk.clock.advance(-400 * DAY)
    assert decay(desk).archived == ()


def test_a_clock_far_ahead_empties_no_store(desk: Desk) -> None:
    for number in range(11):
        remember(desk, f"Fact number {number}")
    desk.clock.advance(4000 * DAY)
    found = decay(desk)
    assert (len(found.archived), found.kept, found.held_back) == (2, 9, 9)
    assert "9 more left for the next run" in DECAY.view(found)
    assert len(until_nothing_fades(desk)) == 9


def test_the_least_used_go_first(desk: Desk) -> None:
    older = remember(desk, "Older")
    desk.clock.advance(WEEK)
    for number in range(5):
        remember(desk, f"Fact number {number}")
    desk.clock.advance(6 * WEEK)
    assert [item.id for item in decay(desk).archived] == [older]


def test_an_edit_is_a_use(desk: Desk) -> None:
    saved = remember(desk, "The demo server is called otter")
    desk.clock.advance(5 * WEEK)
    desk.run("revise", id=saved, weight=4)
    desk.clock.advance(WEEK)
    assert decay(desk).archived == ()


def test_the_constants_can_be_set(desk: Desk) -> None:
    remember(desk, "The demo server is called otter")
    desk.clock.advance(6 * WEEK)
    desk.env["GITMEM_DECAY_DAYS"] = "100"
    assert decay(desk).archived == ()
    desk.env["GITMEM_DECAY_ARCHIVE_BELOW"] = "0.9"
    assert len(decay(desk).archived) == 1


def test_global_memories_fade_too(desk: Desk) -> None:
    """CF-17 was made for them."""
    saved = remember(desk, "I like short answers", scope="global")
    desk.clock.advance(6 * WEEK)
    assert [item.id for item in decay(desk).archived] == [saved]
    desk.run("restore", id=(saved,))
    assert state(desk, saved) == "active"


def test_a_damaged_memory_does_not_stop_the_others(desk: Desk) -> None:
    broken, *_ = [remember(desk, f"Fact number {number}") for number in range(10)]
    app = desk.app()
    with app.store.write() as store:
        store.run("UPDATE memories SET content = 'x' WHERE id = ?", (broken,))
    app.close()
    desk.clock.advance(6 * WEEK)
    found = decay(desk)
    assert (len(found.archived), found.failed, found.kept) == (1, 1, 8)
    assert DECAY.count_failures(found) == 1 and "gitmem doctor" in DECAY.view(found)


def test_in_a_read_only_store_only_a_dry_run_is_possible(desk: Desk) -> None:
    remember(desk, "The demo server is called otter")
    desk.clock.advance(6 * WEEK)
    app = desk.app()
    app.store.read_only = True
    assert len(DECAY.run(app, ArchiveFadedRequest(dry_run=True)).archived) == 1
    with pytest.raises(ReadOnly):
        DECAY.run(app, ArchiveFadedRequest())
    assert not is_maintenance_due(app)
    app.close()


def scheduled(desk: Desk) -> bool:
    app = desk.app()
    try:
        return is_maintenance_due(app)
    finally:
        app.close()


@pytest.fixture
def no_backups(desk: Desk) -> Desk:
    desk.env["GITMEM_BACKUP_INTERVAL_HOURS"] = "0"
    desk.env["GITMEM_COPY_MODE"] = "off"
    return desk


def test_it_is_due_once_a_day_whatever_the_clock_does(no_backups: Desk) -> None:
    desk = no_backups
    remember(desk, "The demo server is called otter")
    desk.clock.advance(3 * WEEK)
    assert scheduled(desk)
    desk.run("decay", by="codex")
    assert scheduled(desk)  # what people said waits for the daily run
    desk.run("upkeep")
    assert not scheduled(desk)
    desk.clock.advance(DAY)
    assert scheduled(desk)
    desk.run("upkeep")
    desk.clock.advance(-HOUR)
    assert scheduled(desk)


def test_it_is_not_due_while_nothing_is_old_enough_to_fade(no_backups: Desk) -> None:
    """A young store starts no process once a day for nothing."""
    no_backups.clock.advance(400 * DAY)
    assert not scheduled(no_backups)
    remember(no_backups, "The demo server is called otter")
    no_backups.clock.advance(17 * DAY)
    assert not scheduled(no_backups)
    no_backups.clock.advance(DAY)
    assert scheduled(no_backups)


@example(400 * DAY, 400 * DAY, 0, 14.0, 0.2)
@given(
    st.integers(0, 4000 * DAY),
    st.integers(0, 4000 * DAY),
    st.integers(0, 9),
    st.floats(1, 400),
    st.floats(0.001, 1.5),
)
def test_nothing_fades_before_it_can_be_due(
    age: int, idle: int, accesses: int, days: float, below: float
) -> None:
    if decay_score(age, idle, accesses, days) < below:
        first = idle_ms_until_archivable(days, below)
        assert first is not None and idle >= first - 1


def test_with_a_limit_of_zero_nothing_ever_fades() -> None:
    assert idle_ms_until_archivable(14, 0) is None
    assert idle_ms_until_archivable(14, 0.2) == pytest.approx(17.54 * DAY, rel=0.001)


def test_upkeep_does_it_and_says_so(no_backups: Desk) -> None:
    saved = remember(no_backups, "The demo server is called otter")
    no_backups.clock.advance(6 * WEEK)
    assert no_backups.text("upkeep") == "archived 1 unused memory"
    assert state(no_backups, saved) == "archived"
    assert no_backups.run("upkeep").faded == 0


def test_turned_off_it_is_never_due_and_still_does_what_is_requested(no_backups: Desk) -> None:
    no_backups.env["GITMEM_DECAY_ENABLED"] = "0"
    remember(no_backups, "The demo server is called otter")
    no_backups.clock.advance(6 * WEEK)
    assert not scheduled(no_backups)
    assert no_backups.run("upkeep").faded == 0
    assert len(decay(no_backups).archived) == 1


def test_a_use_between_the_look_and_the_archive_counts(desk: Desk) -> None:
    """What is archived is judged again inside the transaction."""
    saved = remember(desk, "The demo server is called otter")
    desk.clock.advance(6 * WEEK)
    app = desk.app()
    (item,) = decay_candidates.read_memory_decay_rows(app.store)
    desk.run("recall", query="otter")
    assert fade.archive_low_scored_memories(app, app.store, [item], dry_run=False) == ([], 0)
    app.close()
    assert state(desk, saved) == "active"


def test_what_was_pinned_between_the_look_and_the_archive_stays(desk: Desk) -> None:
    """Whatever its score is: here nearly everything would fade."""
    desk.env["GITMEM_DECAY_ARCHIVE_BELOW"] = "1.4"
    for word, change in (
        ("otter", lambda id: desk.run("pin", id=(id,))),
        ("heron", lambda id: desk.run("revise", id=id, importance=0.9)),
        ("raven", lambda id: desk.run("forget", id=(id,))),
    ):
        saved = remember(desk, f"The demo server is called {word}")
        desk.clock.advance(6 * WEEK)
        app = desk.app()
        (candidate,) = [
            item for item in decay_candidates.read_memory_decay_rows(app.store) if item.id == saved
        ]
        change(saved)
        before = [step.action for step in desk.run("history", id=saved).versions]
        assert fade.archive_low_scored_memories(app, app.store, [candidate], dry_run=False) == (
            [],
            0,
        ), word
        app.close()
        assert [step.action for step in desk.run("history", id=saved).versions] == before, word
