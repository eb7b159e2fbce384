"""The router of CF-5 and CF-6, and what gitmem makes of its advice."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.memory.layer_router import (
    BUSINESS,
    GENERIC,
    KINDS,
    LAYERS,
    MemoryLayerAdvice,
    advise_memory_layer,
    count_generic_and_business_words,
    decide_memory_layer,
)
from gitmem.model import kinds
from tests.support.tables import table

HELPER = "def format_date(value):\n    return value.isoformat()\n"
INVOICE = "def total(invoice, customer):\n    return invoice.order.price\n"
names = st.sampled_from([*kinds.KINDS, *kinds.ALIASES, "code", "", "nothing like it"])
routes = st.builds(
    advise_memory_layer,
    names,
    st.lists(st.sampled_from(["temp", "global", "project", "api"]), max_size=3),
    layer=st.sampled_from(["", *LAYERS]),
    has_ttl=st.booleans(),
    content=st.sampled_from(["", HELPER, INVOICE]) | st.text(max_size=60),
    session=st.sampled_from(["", "S1"]),
)


def message(kind: str, *tags: str, **more: object) -> tuple[str, float]:
    found = advise_memory_layer(kind, tags, **more)  # type: ignore[arg-type]
    return found.layer, found.confidence


@table(
    ("kind", "layer", "sure"),
    [
        ("scratchpad", "working", 0.95),
        ("code_pattern", "global", 0.90),
        ("pattern", "global", 0.90),
        ("convention", "global", 0.90),
        ("rule", "global", 0.90),
        ("decision", "project", 0.85),
        ("adr", "project", 0.85),
        ("bug_fix", "project", 0.85),
        ("bugfix", "project", 0.85),
        ("skill", "project", 0.90),
        ("relationship", "global", 0.85),
        ("message", "working", 0.80),
        ("thought", "working", 0.80),
        ("observation", "working", 0.80),
        ("documentation", "project", 0.75),
        ("docs", "project", 0.75),
        ("error", "project", 0.75),
        ("summary", "project", 0.80),
        ("note", "project", 0.60),
        ("task", "project", 0.60),
        ("", "project", 0.60),
    ],
)
def test_each_kind_has_its_layer(kind: str, layer: str, sure: float) -> None:
    """CF-5, CF-6: names of other systems too."""
    assert message(kind) == (layer, sure)


def test_names_are_read_as_everywhere() -> None:
    assert message("Code-Pattern") == message("bug fix".replace("bug fix", "code pattern"))
    assert message(" Bug Fix ") == ("project", 0.85)


def test_what_is_stated_comes_before_tags_before_ttl_before_kind() -> None:
    """CF-5: the order of the rules."""
    every = {"has_ttl": True, "layer": "global"}
    assert message("scratchpad", "temp", **every) == ("global", 1.0)
    assert message("convention", "temp", "global", "project", has_ttl=True) == ("working", 0.95)
    assert message("scratchpad", "project", "global", has_ttl=True) == ("global", 0.95)
    assert message("scratchpad", "project", has_ttl=True) == ("project", 0.95)
    assert message("convention", "api", has_ttl=True) == ("working", 0.90)


@table(
    ("content", "session", "expected"),
    [
        (HELPER, "", ("global", 0.85)),
        (HELPER, "S1", ("global", 0.85)),
        (INVOICE, "", ("project", 0.70)),
        (INVOICE, "S1", ("working", 0.75)),
        ("class Thing { }", "", ("global", 0.85)),
        ("x = 1", "", ("project", 0.70)),
        ("x = 1", "S1", ("working", 0.75)),
        ("", "", ("project", 0.70)),
    ],
)
def test_code_is_looked_at(content: str, session: str, expected: tuple[str, float]) -> None:
    """CF-6: a generic pattern, code of a session, or the project's."""
    assert message("code", content=content, session=session) == expected
    assert message("snippet", content=content, session=session) == expected


@table(
    ("content", "generic", "business"),
    [
        ("parse_invoice", 1, 1),
        ("parseInvoices(customerId)", 1, 2),
        ("border reordering informatting", 0, 0),
        ("retry(handler, wrapper)", 3, 0),
        ("", 0, 0),
    ],
)
def test_names_in_code_count_by_their_parts(content: str, generic: int, business: int) -> None:
    """CF-6: the heuristic table."""
    assert count_generic_and_business_words(content) == (generic, business)


def test_no_word_is_generic_and_of_a_business() -> None:
    assert not GENERIC & BUSINESS
    assert all(word == word.lower() and word.isalpha() for word in GENERIC | BUSINESS)


def test_every_name_in_the_table_is_a_kind() -> None:
    assert {kinds.canonical_memory_kind(name) for name in KINDS} <= set(kinds.KINDS)


@given(st.text(), st.lists(st.text(), max_size=4), st.text(), st.booleans(), st.text(), st.text())
def test_any_text_has_a_layer_and_always_the_same(
    kind: str, tags: list[str], layer: str, has_ttl: bool, content: str, session: str
) -> None:
    first, second = (
        advise_memory_layer(
            kind, tags, layer=layer, has_ttl=has_ttl, content=content, session=session
        )
        for _ in range(2)
    )
    assert first == second
    assert first.layer in LAYERS and 0 < first.confidence <= 1 and first.reason


@given(
    routes,
    st.sampled_from(["", *LAYERS]),
    st.sampled_from(kinds.SOURCES),
    st.none() | st.integers(1, 10**10),
    st.floats(0, 1),
)
def test_only_what_was_stated_to_be_global_is(
    advice: MemoryLayerAdvice, explicit: str, source: str, ttl_ms: int | None, importance: float
) -> None:
    layer, why = decide_memory_layer(
        advice,
        requested_layer=explicit,
        is_captured=source == "system_auto",
        is_written_by_agent=source == "ai_inferred",
        ttl_ms=ttl_ms,
        importance=importance,
    )
    assert layer in LAYERS and why
    if layer == "global":
        assert explicit == "global" or advice.rule in ("layer", "tag")


@pytest.mark.parametrize("layer", LAYERS)
def test_what_was_stated_is_done(layer: str) -> None:
    advice = advise_memory_layer("scratchpad", ("global",))
    assert decide_memory_layer(advice, requested_layer=layer) == (layer, "you said so")


def test_a_convention_of_this_repository_stays_in_it() -> None:
    layer, why = decide_memory_layer(advise_memory_layer("convention"))
    assert layer == "project"
    assert why == "nothing is kept for every project unless you say so with --layer global"
    assert decide_memory_layer(advise_memory_layer("convention", ("global",)))[0] == "global"


@table(
    ("kind", "tags", "ttl_ms", "source", "layer"),
    [
        ("scratchpad", (), None, "user_explicit", "working"),
        ("note", ("temp",), None, "user_explicit", "working"),
        ("note", (), 86_400_000, "user_explicit", "working"),
        ("note", (), 86_400_001, "user_explicit", "project"),
        ("observation", (), None, "user_explicit", "project"),
        ("observation", (), None, "ai_inferred", "project"),
        ("observation", (), None, "system_auto", "working"),
        ("note", (), None, "system_auto", "project"),
        ("decision", (), None, "system_auto", "project"),
    ],
)
def test_only_what_is_meant_to_pass_goes_to_the_working_layer(
    kind: str, tags: tuple[str, ...], ttl_ms: int | None, source: str, layer: str
) -> None:
    """An observation of a person that vanished after an hour would be a loss."""
    advice = advise_memory_layer(kind, tags, has_ttl=ttl_ms is not None)
    found, why = decide_memory_layer(
        advice,
        is_captured=source == "system_auto",
        is_written_by_agent=source == "ai_inferred",
        ttl_ms=ttl_ms,
    )
    assert found == layer
    if advice.layer != found:
        assert "--layer working" in why


def test_what_is_captured_and_important_stays() -> None:
    """CT-7: permanent from 0.8."""
    advice = advise_memory_layer("observation")
    assert decide_memory_layer(advice, is_captured=True, importance=0.79)[0] == "working"
    assert decide_memory_layer(advice, is_captured=True, importance=0.8)[0] == "project"


def test_an_agents_note_that_is_important_stays() -> None:
    """CT-7: a person's passes all the same, and one whose end was said has that end."""
    advice = advise_memory_layer("scratchpad")
    assert decide_memory_layer(advice, is_written_by_agent=True, importance=0.79)[0] == "working"
    assert decide_memory_layer(advice, is_written_by_agent=True, importance=0.8)[0] == "project"
    assert decide_memory_layer(advice, importance=0.8)[0] == "working"
    assert (
        decide_memory_layer(advice, is_written_by_agent=True, importance=0.8, ttl_ms=5)[0]
        == "working"
    )
