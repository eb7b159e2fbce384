"""No answer is longer than it may be, and what is not there is said (CE-33)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gitmem.mcp.tools import calls, truncation
from gitmem.mcp.tools.defaults import SessionState
from tests.mcp.agents import Agent, shop, text_of
from tests.support.apps import Desk
from tests.support.stores import keep, said
from tests.support.tables import table

LONG = 30_000
# Up to 400 characters: a few are drawn and repeated, since drawing each takes long.
TEXT = st.builds(str.__mul__, st.text(max_size=10), st.integers(0, 40))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXT,
    lambda inner: st.lists(inner, max_size=8) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=12,
)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    desk = shop(tmp_path_factory.mktemp("room"))
    app = desk.app()
    for number in range(12):  # stored as they are: looking for duplicates would take seconds
        words = f"Harbour {number}: " + f"crane{number} lifts and lowers. " * 2_000
        keep(app.store, said(words[:LONG], seed=number, project=app.project_identity.key))
    app.close()
    return desk


def characters(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


@table(("tool", "arguments"), [
    ("recall", {"query": "harbour", "limit": 100}),
    ("recall", {"query": "*", "limit": 100}),
    ("search", {"query": "harbour", "limit": 100}),
    ("list_memories", {"limit": 100}),
    ("verify", {"all": True}),
    ("timeline", {"since": "2020-01-01", "limit": 500}),
    ("batch", {"calls": [{"tool": "recall", "arguments": {"query": "harbour"}}] * 10}),
])  # fmt: skip
@table("form", ["compact", "full"])
def test_an_answer_of_many_long_memories_is_bounded(
    desk: Desk, tool: str, arguments: dict[str, Any], form: str
) -> None:
    agent = Agent(desk, "full")
    agent("session_defaults", format=form)
    answer = agent(tool, **arguments)
    frame = 200
    assert characters(answer.structured_content) <= truncation.MAX_CHARACTERS
    assert len(text_of(answer)) <= truncation.MAX_CHARACTERS + frame


def test_all_memories_are_there_before_one_of_them_is_whole(desk: Desk) -> None:
    data = Agent(desk).data("recall", query="harbour", limit=12)
    assert len(data["memories"]) == 12
    assert all(memory["content"].endswith("… (30,000 characters)") for memory in data["memories"])
    assert "`gitmem show ID`" in data["cut"]


def test_one_long_memory_is_whole(desk: Desk) -> None:
    agent = Agent(desk, "full")
    (found,) = agent.data("recall", query="crane7", limit=1, mode="keyword")["memories"]
    assert len(found["content"]) == LONG
    shown = agent.data("show", id=found["id"])
    assert len(shown["memory"]["content"]) == LONG and "cut" not in shown


def test_a_memory_with_many_long_neighbours_is_whole_itself(desk: Desk) -> None:
    agent = Agent(desk, "full")
    first, *rest = [memory["id"] for memory in agent.data("list_memories", limit=12)["memories"]]
    for item in rest:
        agent("link", source=first, target=item)
    shown = agent.data("show", id=first)
    assert len(shown["memory"]["content"]) == LONG
    assert len(shown["links"]) == len(rest) and shown["cut"]


def test_a_budget_that_was_asked_for_is_not_cut(desk: Desk) -> None:
    """``orient`` has a measure of its own."""
    for budget, most in ((200, truncation.MAX_CHARACTERS), (20_000, 160_000)):
        app = desk.app(agent="claude-code")
        done = calls._run(app, SessionState(), "default", "orient", {"budget": budget})
        app.close()
        assert done.most == most


@given(st.dictionaries(st.text(max_size=9), JSON, max_size=6), st.integers(300, 3_000))
def test_any_data_fits(data: dict[str, Any], most: int) -> None:
    left = truncation.cut_data_to_fit(data, most)
    if characters(data) <= most:
        assert left is data
    else:
        assert characters(left) <= most
        assert left["cut"].startswith("Too long")


@example(["word " * 20], 9)
@given(
    st.lists(st.text(st.characters(codec="ascii", exclude_characters="\n")), max_size=9),
    st.integers(1, 40),
)
def test_a_text_is_cut_between_lines_and_says_how_much_is_gone(
    lines: list[str], times: int
) -> None:
    text = "\n".join(lines * times)
    left = truncation.cut_text(text, 200)
    if len(text) <= 200:
        assert left == text
    else:
        saved, _, note = left.rpartition("\n")
        assert text.startswith(saved) and len(saved) <= 200
        assert text[len(saved)] == "\n" or "\n" not in text[:200]
        assert (
            note
            == f"… {len(text) - len(saved):,} more characters: ask for less, or `gitmem show ID`."
        )


def test_the_lines_shown_are_counted_after_the_last_cut() -> None:
    """ML-8."""
    data = {"content": "x = 1\n" * 9_000, "lines": 9_000, "shown_lines": 9_000}
    for left in (
        truncation.cut_data_to_fit(data),
        truncation.cut_data_to_fit({"file": data})["file"],
    ):
        assert left["shown_lines"] == len(left["content"].splitlines()) < left["lines"] == 9_000


def test_the_longest_list_gives_first() -> None:
    data = {"few": ["x"] * 3, "many": [{"n": number} for number in range(1_000)]}
    left = truncation.cut_data_to_fit(data, 2_000)
    assert left["few"] == data["few"]
    assert left["many"] == data["many"][: len(left["many"])]
    assert f"{1_000 - len(left['many'])} of 1000 many are left out" in left["cut"]


def test_the_note_of_what_is_left_out_counts_too() -> None:
    for data in (
        {"many": [{"n": number} for number in range(1_000)]},
        {"texts": ["word " * 900] * 4},
        {f"{'long' * 15}{number}": ["x"] * 1_000 for number in range(4)},
    ):
        for most in (300, 1_000, 2_000):
            left = truncation.cut_data_to_fit(data, most)
            assert characters(left) <= most, (most, left)
            assert left["cut"].startswith("Too long") and left.keys() <= {*data, "cut"}
