"""What matters now, by the published table (CF-20, CF-23)."""

from __future__ import annotations

from typing import Any

import pytest

from gitmem.errors import InvalidInput
from gitmem.model.memory import Memory
from gitmem.setting_table import BY_KEY, validate_setting_value
from gitmem.timeline.current_scores import (
    BOOSTS,
    NAMES,
    WorkSituation,
    extract_long_words,
    parse_score_boosts,
    score_memory_in_situation,
    stable_part_of_error,
    suggest_next_steps,
)
from tests.support.stores import said

FILE = "src/cache/pool.py"


def memory(text: str = "Something else", **fields: Any) -> Memory:
    return said(text, **fields)


def test_each_row_of_the_table_counts_what_it_says() -> None:
    for situation, item, boost in (
        (WorkSituation(), memory(), 0.0),
        (WorkSituation(session="S"), memory(session="S"), 0.25),
        (WorkSituation(), memory(session=""), 0.0),
        (WorkSituation(file=FILE), memory(paths=(f"{FILE}:3-9",)), 0.55),
        (WorkSituation(file=FILE), memory(paths=("src/cache",)), 0.55),
        (WorkSituation(file=FILE), memory(paths=("src/cach",)), 0.0),
        (WorkSituation(file=FILE), memory("see pool.py"), 0.35),
        (WorkSituation(command="pytest -q"), memory("Run pytest with -n 2"), 0.30),
        (WorkSituation(error="KeyError: 'x' at 3"), memory("KeyError: at start"), 0.35),
        (WorkSituation(terms=("redis", "pool", "none")), memory("the redis pool"), 0.08),
        (WorkSituation(file=FILE), memory(kind="decision", paths=(FILE,)), 0.55 + 0.12),
        (WorkSituation(command="npm test"), memory(kind="fix"), 0.20),
        (WorkSituation(command="npm start"), memory(kind="fix"), 0.0),
        (WorkSituation(error="Boom"), memory(kind="fix"), 0.20),
    ):
        assert score_memory_in_situation(item, 0.5, situation).score == pytest.approx(
            0.5 + boost
        ), (
            situation,
            item,
        )


def test_weight_multiplies_all_of_it() -> None:
    for weight, factor in ((1, 1 / 3), (3, 1.0), (5, 5 / 3)):
        found = score_memory_in_situation(
            memory(weight=weight, session="S"), 0.5, WorkSituation(session="S")
        )
        assert found.score == pytest.approx(0.75 * factor, abs=1e-4)
        told = (f"weight x{factor:.2f}",) if weight != 3 else ()
        assert found.why == ("base 0.50", "same session +0.25", *told)


def test_what_a_score_is_made_of_adds_up() -> None:
    """CF-20: base, each boost and the weight."""
    now = WorkSituation(file=FILE, terms=("redis", "pool", "none"))
    found = score_memory_in_situation(memory("the redis pool", paths=(FILE,), weight=5), 0.8, now)
    assert found.why == (
        "base 0.80", "cites the active file +0.55", "2 terms +0.08", "weight x1.67"
    )  # fmt: skip
    assert found.score == pytest.approx((0.8 + 0.55 + 0.08) * 5 / 3, abs=1e-4)


def test_an_error_is_known_by_what_stays_the_same() -> None:
    item = stable_part_of_error("ValueError: bad port 6380 in /home/a/x.py:3 for 'redis'")
    other = stable_part_of_error("ValueError: bad port 99 in /b/y.py:7 for 'sql'")
    assert item == other == "valueerror: bad port in for"
    assert stable_part_of_error("") == ""


def test_terms_are_telling_words_and_not_many() -> None:
    assert extract_long_words(["The redis POOL of 6380", "redis again"]) == (
        "redis",
        "pool",
        "again",
    )
    assert len(extract_long_words([f"{'word'}{chr(97 + n)}x" for n in range(20)])) == 12


def test_suggestions_name_what_they_rest_on_and_the_surest_is_first() -> None:
    messages = [
        memory("Use one pool", kind="decision", id="D1"), memory("Two", kind="decision", id="D2"),
        memory("Three", kind="decision", id="D3"),
        memory("Repeat on failure", kind="pattern", id="P"),
        memory("It leaked", kind="fix", id="F"),
    ]  # fmt: skip
    relevant = [score_memory_in_situation(item, 0.5, WorkSituation()) for item in messages]
    found = suggest_next_steps(
        relevant,
        current_symbol="Pool",
        current_file=FILE,
        current_error="Boom",
        uses_by_memory_id={"P": 6},
        pattern_names_by_id={},
    )
    assert [(item.type, item.confidence, item.memories) for item in found] == [
        ("pattern", 0.9, ("P",)),
        ("symbol", 0.82, ()),
        ("decision", 0.8, ("D1",)),
        ("decision", 0.8, ("D2",)),
        ("error", 0.75, ("F",)),
    ]
    rare = suggest_next_steps(
        relevant,
        current_symbol="",
        current_file="",
        current_error="",
        uses_by_memory_id={"P": 5},
        pattern_names_by_id={},
    )
    assert [(item.type, item.confidence) for item in rare] == [
        ("decision", 0.8), ("decision", 0.8), ("pattern", 0.7), ("explore", 0.6)
    ]  # fmt: skip
    assert (
        suggest_next_steps(
            [],
            current_symbol="",
            current_file="",
            current_error="",
            uses_by_memory_id={},
            pattern_names_by_id={},
        )
        == []
    )


def test_what_a_suggestion_rests_on_is_not_named_as_related_too() -> None:
    """CF-23: a convention is followed as a pattern, a known error is recent."""
    relevant = [
        score_memory_in_situation(memory(text, kind=kind, id=id), 0.5, WorkSituation())
        for text, kind, id in (("Lower case", "convention", "C"), ("Boom", "error", "E"))
    ]
    found = suggest_next_steps(
        relevant,
        current_symbol="",
        current_file="",
        current_error="Boom",
        uses_by_memory_id={},
        pattern_names_by_id={},
    )
    assert [item.type for item in found] == ["error", "pattern"]
    calm = suggest_next_steps(
        relevant,
        current_symbol="",
        current_file="",
        current_error="",
        uses_by_memory_id={},
        pattern_names_by_id={},
    )
    assert [(item.type, item.memories) for item in calm] == [
        ("pattern", ("C",)),
        ("explore", ("E",)),
    ]


def test_a_pattern_is_suggested_also_where_no_relevant_memory_is_one() -> None:
    """CF-23: two at most, those of relevant memories first."""
    near = [
        score_memory_in_situation(memory("Repeat", kind="pattern", id="P"), 0.5, WorkSituation())
    ]
    for relevant, ids in (([], ["Q", "R"]), (near, ["P", "Q"])):
        chosen = suggest_next_steps(
            relevant,
            current_symbol="",
            current_file="",
            current_error="",
            uses_by_memory_id={},
            pattern_names_by_id={"Q": "q", "R": "r"},
        )
        assert [item.memories[0] for item in chosen if item.type == "pattern"] == ids


def test_a_score_may_be_set_and_the_others_stay() -> None:
    """CF-20: by the setting ``context.scores``, which refuses what is no score."""
    scores = parse_score_boosts("file=0.1, term = 0,recent=1")
    assert {name: scores[name] for name in BOOSTS} == BOOSTS | {
        "cites the active file": 0.1,
        "term": 0.0,
    }
    assert (scores["recent"], parse_score_boosts("")["recent"]) == (1.0, 0.8)
    assert set(NAMES.values()) == {"recent", *BOOSTS}
    cited = memory(paths=(FILE,))
    assert score_memory_in_situation(
        cited, 0.5, WorkSituation(file=FILE), scores
    ).score == pytest.approx(0.6)
    setting = BY_KEY["context.scores"]
    assert validate_setting_value(setting, "file=0.1", "x") == "file=0.1"
    for wrong in ("file", "file=much", "files=0.1", "file=-1", "file=11", "file=nan"):
        with pytest.raises(InvalidInput, match=r"context\.scores cannot be"):
            validate_setting_value(setting, wrong, "x")
