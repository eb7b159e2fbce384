"""The token budget is a promise, whatever the sections hold."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitmem.assembly.token_budget import FIRST_LINES, divide_token_budget, pack_sections
from gitmem.model.section import AnswerSection
from gitmem.text.tokens import estimate_tokens

LINES = st.lists(st.text(max_size=120).map(lambda text: " ".join(text.split())), max_size=12)


@st.composite
def sections(draw: st.DrawFn) -> list[AnswerSection]:
    made = []
    for number in range(draw(st.integers(0, 8))):
        made.append(
            AnswerSection(
                name=f"s{number}",
                heading=draw(st.sampled_from(["", "Pinned", "Since 2026-11-21 08:03: 12 commits"])),
                lines=tuple(draw(LINES)),
                rank=draw(st.integers(0, 100)),
                more=draw(st.sampled_from(["", "… {n} more: gitmem list"])),
                required=draw(st.integers(0, 5)) == 0,
                lasting=draw(st.booleans()),
            )
        )
    return made


@given(made=sections(), budget=st.integers(1, 5000), markdown=st.booleans())
def test_the_text_never_costs_more_than_the_budget(
    made: list[AnswerSection], budget: int, markdown: bool
) -> None:
    packed = pack_sections(made, budget, markdown=markdown)
    assert packed.tokens == estimate_tokens(packed.text) <= budget


@given(made=sections(), budget=st.integers(1, 5000))
def test_every_line_is_counted_as_shown_or_left_out(made: list[AnswerSection], budget: int) -> None:
    packed = pack_sections(made, budget)
    assert [cost.name for cost in packed.costs] == [item.name for item in made]
    for section, cost in zip(made, packed.costs, strict=True):
        assert cost.shown + cost.left_out == len(section.lines)
        assert cost.shown >= 0 and cost.left_out >= 0


@given(made=sections(), budget=st.integers(1, 5000), markdown=st.booleans())
def test_packing_is_repeatable(made: list[AnswerSection], budget: int, markdown: bool) -> None:
    first = pack_sections(made, budget, markdown=markdown)
    assert pack_sections(made, budget, markdown=markdown) == first


@given(made=sections(), budget=st.integers(1, 1500))
def test_news_takes_no_room_from_the_first_lines_of_what_lasts(
    made: list[AnswerSection], budget: int
) -> None:
    alone = [item for item in made if item.lasting or item.required]
    saved = {cost.name: min(cost.shown, FIRST_LINES) for cost in pack_sections(alone, budget).costs}
    for cost in pack_sections(made, budget).costs:
        assert min(cost.shown, FIRST_LINES) >= saved.get(cost.name, 0), cost.name


def test_what_lasts_takes_turns_before_any_news() -> None:
    news = AnswerSection("news", "News", lines("news", 9), 90)
    pinned = AnswerSection("pinned", "Pinned", lines("pinned", 9), 80, "… {n} more", lasting=True)
    agreed = AnswerSection("agreed", "Agreed", lines("agreed", 9), 10, "… {n} more", lasting=True)
    tight = pack_sections([news, pinned, agreed], 60).text
    assert "pinned line 0" in tight and "agreed line 0" in tight and "news" not in tight
    roomy = pack_sections([news, pinned, agreed], 190).text
    assert roomy.count("news line") == 9
    assert roomy.count("agreed line") >= FIRST_LINES


def lines(prefix: str, count: int) -> tuple[str, ...]:
    return tuple(f"{prefix} line {number} with some words" for number in range(count))


def test_the_higher_rank_gets_room_first_and_the_order_stays() -> None:
    low, high = (
        AnswerSection("low", "Low", lines("low", 20), 1),
        AnswerSection("high", "High", lines("h", 3), 9),
    )
    text = pack_sections([low, high], 80).text
    assert text.count("h line") == 3
    assert text.count("low line") < 20
    whole = pack_sections([low, high], 5000).text
    assert whole.index("low line 0") < whole.index("h line 0")


def test_lines_go_in_from_the_top_and_the_rest_is_counted() -> None:
    packed = pack_sections(
        [AnswerSection("a", "A", lines("a", 30), 1, "… {n} more: gitmem list")], 100
    )
    shown = packed.costs[0].shown
    assert 0 < shown < 30
    assert [f"a line {n} " in packed.text for n in range(30)] == [n < shown for n in range(30)]
    assert packed.text.endswith(f"… {30 - shown} more: gitmem list")


def test_a_required_section_is_whole_and_cut_only_where_it_alone_is_too_much() -> None:
    needed = AnswerSection("head", "", lines("head", 2), 0, required=True)
    other = AnswerSection("other", "", lines("other", 50), 99)
    assert pack_sections([other, needed], 60).text.count("head line") == 2
    cut = pack_sections([AnswerSection("head", "", ("word " * 500,), 0, required=True)], 50)
    assert cut.tokens <= 50 and cut.text.endswith("...")


def test_headings_follow_the_format() -> None:
    section = AnswerSection("a", "Pinned", ("one",), 1)
    assert pack_sections([section], 100).text == "\nPinned:\none"
    assert pack_sections([section], 100, markdown=True).text == "\n## Pinned\none"


def test_nothing_gives_nothing() -> None:
    assert pack_sections([], 100).text == ""
    assert pack_sections([AnswerSection("a", "A", (), 1)], 100).text == ""


def test_what_one_does_not_need_goes_to_the_first_that_does() -> None:
    for needs, shares, budget, expected in (
        ([100, 100], [1, 1], 100, [50, 50]),
        ([100, 10], [1, 1], 100, [90, 10]),
        ([100, 100, 0], [1, 1, 2], 100, [75, 25, 0]),
        ([5, 5], [1, 1], 100, [5, 5]),
        ([], [], 100, []),
    ):
        assert divide_token_budget(needs, shares, budget) == expected


@given(
    st.lists(st.tuples(st.integers(0, 9000), st.integers(1, 5000)), max_size=7),
    st.integers(0, 9000),
)
def test_nobody_gets_more_than_is_needed_and_all_together_not_more_than_there_is(
    parts: list[tuple[int, int]], budget: int
) -> None:
    needs, shares = [need for need, _ in parts], [share for _, share in parts]
    given_out = divide_token_budget(needs, shares, budget)
    assert all(0 <= got <= need for got, need in zip(given_out, needs, strict=True))
    assert sum(given_out) == min(budget, sum(needs))
