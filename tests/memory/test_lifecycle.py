"""The laws of living and fading: use only lengthens, time only shortens."""

from __future__ import annotations

from math import exp

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.clock import DAY
from gitmem.memory import lifecycle
from gitmem.memory.lifecycle import decay_score, effective_expiry, ttl_and_expiry
from gitmem.model.frozen import replace
from gitmem.model.memory import Memory
from tests.support.stores import START, said
from tests.support.tables import table

HOUR = 3_600_000
spans = st.integers(0, 4000 * DAY)
counts = st.integers(0, 30)
days = st.floats(1, 400)
memories = st.builds(
    lambda source, layer, ttl, end, pinned: said(
        source=source, layer=layer, ttl_ms=ttl, expires_at=end, pinned=pinned
    ),
    st.sampled_from(["user_explicit", "ai_inferred", "system_auto"]),
    st.sampled_from(["", "working"]),
    st.none() | st.integers(1, 10**9),
    st.none() | st.integers(START, START + 10**9),
    st.booleans(),
)


def test_the_score_is_the_formula() -> None:
    """CF-17."""
    expected = 0.3 * exp(-40 / 28) + 0.7 * exp(-30 / 14) + 0.1
    assert decay_score(40 * DAY, 30 * DAY, 1) == pytest.approx(expected)
    assert decay_score(0, 0, 0) == pytest.approx(1.0)
    assert decay_score(0, 0, 5) == decay_score(0, 0, 500) == pytest.approx(1.5)


@given(spans, spans, spans, counts, days)
def test_the_score_falls_with_idle_time_and_with_age(
    age: int, idle: int, more: int, accesses: int, length: float
) -> None:
    score = decay_score(age, idle, accesses, length)
    assert decay_score(age, idle + more, accesses, length) <= score
    assert decay_score(age + more, idle, accesses, length) <= score
    assert 0 <= score <= 1.5


@given(spans, spans, counts, counts, days)
def test_the_score_rises_with_each_use(
    age: int, idle: int, accesses: int, more: int, length: float
) -> None:
    assert decay_score(age, idle, accesses + more, length) >= decay_score(
        age, idle, accesses, length
    )


@given(st.integers(-(10**12), 0), st.integers(-(10**12), 0), counts)
def test_a_clock_that_went_back_fades_nothing(age: int, idle: int, accesses: int) -> None:
    assert decay_score(age, idle, accesses) == decay_score(0, 0, accesses) >= 1


def test_an_edit_and_a_use_both_end_idleness() -> None:
    memory = said(created_at=START, updated_at=START + 5 * DAY)
    now = START + 10 * DAY
    assert lifecycle.age_and_idle_ms(memory, None, now) == (10 * DAY, 5 * DAY)
    assert lifecycle.age_and_idle_ms(memory, START + 9 * DAY, now) == (10 * DAY, DAY)
    assert lifecycle.age_and_idle_ms(memory, None, START - DAY) == (0, 0)


@table(
    ("fields", "why"),
    [
        ({}, ""),
        ({"importance": 0.79}, ""),
        ({"status": "proposed"}, "waits for consent"),
        ({"pinned": True}, "pinned"),
        ({"kind": "decision"}, "decision"),
        ({"kind": "convention"}, "convention"),
        ({"importance": 0.8}, "importance 0.8"),
        ({"archived_at": START}, "archived"),
        ({"superseded_by": "0" * 26}, "superseded"),
        ({"expires_at": START}, "expires anyway"),
    ],
)
def test_what_never_fades(fields: dict[str, object], why: str) -> None:
    """CF-16, CF-17."""
    assert lifecycle.reason_never_archived(replace(said(), **fields)) == why


def ends(layer: str = "", **more: object) -> tuple[object, object]:
    values = {
        "requested_ttl_ms": None,
        "is_captured": False,
        "kind": "note",
        "importance": 0.5,
    } | more
    return ttl_and_expiry(now_ms=START, layer=layer, working_ttl_ms=HOUR, **values)  # type: ignore[arg-type]


def test_what_is_remembered_has_no_end_unless_one_was_given() -> None:
    """CT-7: use moves an end that was given, unless it is to stand."""
    assert ends() == (None, None)
    for layer in ("", "working"):
        for captured in (True, False):
            given_ = {"layer": layer, "is_captured": captured, "requested_ttl_ms": 9 * DAY}
            assert ends(**given_) == (9 * DAY, START + 9 * DAY), given_
            assert ends(**given_, has_fixed_lifetime=True) == (None, START + 9 * DAY), given_


def test_working_memories_live_an_hour() -> None:
    """CF-2."""
    assert ends("working") == (HOUR, START + HOUR)
    assert ends("working", importance=0.9) == (HOUR, START + HOUR)


def test_what_is_captured_lives_a_day_unless_it_matters() -> None:
    """CT-7."""
    for layer in ("", "working"):
        assert ends(layer, is_captured=True, importance=0.79) == (DAY, START + DAY)
        assert ends(layer, is_captured=True, importance=0.8) == (None, None)
        given_ = {"captured_ttl_ms": HOUR, "min_lasting_importance": 0.9, "importance": 0.85}
        assert ends(layer, is_captured=True, **given_) == (HOUR, START + HOUR)


def test_decisions_and_conventions_last_however_they_came() -> None:
    """CT-7: they keep the decay rule, which spares them."""
    for kind in ("decision", "convention"):
        assert ends(is_captured=True, kind=kind) == (None, None)
    assert ends(is_captured=True, kind="fix") == (DAY, START + DAY)


@given(memories, counts, counts)
def test_each_use_moves_the_end_on_and_never_back(memory: Memory, used: int, more: int) -> None:
    """CT-7."""
    before, after = effective_expiry(memory, used), effective_expiry(memory, used + more)
    assert after is None or (before is not None and after >= before)


@given(memories, counts)
def test_an_end_that_is_fixed_is_not_moved(memory: Memory, used: int) -> None:
    fixed = replace(memory, ttl_ms=None, pinned=False)
    assert effective_expiry(fixed, used) == memory.expires_at


def test_half_of_its_length_for_each_use_and_no_end_after_five() -> None:
    """CT-7, CT-8: wherever it is, and whoever said it."""
    for fields in ({"layer": "working"}, {"source": "system_auto"}, {}):
        memory = said(ttl_ms=HOUR, expires_at=START + HOUR, **fields)
        moved = [effective_expiry(memory, used) for used in range(6)]
        assert moved == [*(START + HOUR + used * HOUR // 2 for used in range(5)), None], fields
        assert [lifecycle.has_enough_accesses_to_stay(memory, used) for used in (4, 5, 6)] == [
            False,
            True,
            True,
        ]


@given(memories, counts)
def test_what_earned_its_place_has_no_end(memory: Memory, used: int) -> None:
    if lifecycle.has_enough_accesses_to_stay(memory, used):
        assert effective_expiry(memory, used) is None
        stays = lifecycle.promote_from_working_layer(memory)
        assert (stays.layer, stays.ttl_ms, stays.expires_at) == ("", None, None)
        assert not lifecycle.has_enough_accesses_to_stay(stays, used)


def placed(memory: Memory, layer: str) -> Memory:
    return lifecycle.move_to_layer(memory, layer, project="here", now_ms=START, working_ttl_ms=HOUR)


@given(memories, st.sampled_from(["working", "project", "global"]))
def test_a_memory_goes_where_it_is_sent_and_says_the_same(memory: Memory, layer: str) -> None:
    """CF-40."""
    new = placed(memory, layer)
    assert (new.layer or new.scope) == layer
    assert new.project == ("" if layer == "global" else memory.project)
    assert (new.id, new.content, new.source) == (memory.id, memory.content, memory.source)
    assert placed(new, layer) == new


def test_what_is_in_the_working_layer_keeps_its_end_when_it_is_sent_there_again() -> None:
    for fields in (
        {"ttl_ms": HOUR, "expires_at": START + HOUR},
        {"ttl_ms": None, "expires_at": START + 5},
        {"ttl_ms": None, "expires_at": None},
    ):
        there = replace(said(), layer="working", **fields)
        later = lifecycle.move_to_layer(
            there, "working", project="here", now_ms=START + DAY, working_ttl_ms=HOUR
        )
        assert later == there, fields


def test_uses_of_before_do_not_bring_back_what_was_demoted() -> None:
    demoted = placed(said(), "working")
    assert effective_expiry(demoted, 50) == START + HOUR
    assert not lifecycle.has_enough_accesses_to_stay(demoted, 50)


def test_a_global_memory_taken_back_belongs_to_the_project_here() -> None:
    assert placed(placed(said(), "global"), "project").project == "here"
