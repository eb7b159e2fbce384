"""Which hits take the first places: of each kind the best, by how much of a question they hold."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitmem.search.first_places import EACH, LESS, MORE, PLACES, KindScoredHit, order_first_page
from tests.support.tables import table

WANTS = st.dictionaries(st.sampled_from([*LESS, "history"]), st.floats(0, 1), max_size=3)
HITS = st.lists(
    st.tuples(st.sampled_from([*LESS, "legal", "vendor"]), st.floats(0, 2), st.floats(0, 3)),
    max_size=30,
)


def kinds(*hits: tuple[str, float, float], place: bool = False, **wants: float) -> list[str]:
    """The kinds of the first places, of hits by kind, score among it and what they hold."""
    known = [KindScoredHit(kind, among) for kind, among, _ in hits]
    first = order_first_page(
        known, lambda at: hits[at][2], wants, asks_for_place=place, page_size=0
    )
    return [hits[at][0] for at in first]


CODE = ("code", 0.9, 1.0), ("code", 0.8, 0.9), ("code", 0.7, 0.8), ("code", 0.6, 0.7)


def test_a_document_that_holds_as_much_is_among_the_first_three() -> None:
    assert kinds(*CODE, ("docs", 0.3, 1.0)) == ["code", "code", "docs"]
    assert kinds(*CODE, ("docs", 0.3, 0.1))[:3] == ["code"] * 3


def test_configuration_is_third_where_it_is_better_than_the_second_and_the_third() -> None:
    code = ("code", 0.5, 0.4), ("code", 0.45, 0.4), ("code", 0.4, 0.4)
    assert kinds(*code, ("config", 0.48, 0.5)) == ["code", "code", "config"]
    assert kinds(*code, ("config", 0.42, 0.5)) == ["code"] * 3  # worse among its kind
    assert kinds(*code, ("config", 0.48, 0.4)) == ["code"] * 3  # holds no more
    assert kinds(*code, ("test", 0.48, 0.5)) == ["code"] * 3  # repeats the code
    assert kinds(*code, ("config", 0.48, 0.5), ("config", 0.47, 0.5)).count("config") == 1


def test_behind_the_first_hit_words_and_meaning_put_in_order() -> None:
    assert kinds(("docs", 0.3, 1.0), *CODE) == ["code", "docs", "code"]


def test_where_others_take_places_those_of_the_page_give_way_that_hold_least() -> None:
    hits = [*CODE, ("commit", 0.9, 0.8), ("code", 0.4, 0.5), ("docs", 0.3, 1.0)]
    known = [KindScoredHit(kind, among) for kind, among, _ in hits]

    def page(most: int) -> list[int]:
        return order_first_page(
            known, lambda at: hits[at][2], {}, asks_for_place=False, page_size=most
        )

    assert page(6) == [0, 1, 6, 2, 3, 5]
    assert page(4) == [0, 1, 6, 2]
    assert page(3) == [0, 1, 6]
    assert page(9) == [0, 1, 6, 2, 3, 4, 5]


def test_where_documents_are_hinted_at_code_is_less_surely_first() -> None:
    assert kinds(*CODE, ("docs", 0.3, 1.2))[0] == "code"
    assert kinds(*CODE, ("docs", 0.3, 1.2), docs=0.8)[0] == "docs"
    assert kinds(*CODE, ("docs", 0.3, 0.9), docs=1.0)[0] == "code"


def test_a_named_example_is_as_good_as_code() -> None:
    assert kinds(*CODE, ("example", 0.3, 1.2), example=0.8)[0] == "code"
    assert kinds(*CODE, ("example", 0.3, 1.2), example=1.0)[0] == "example"


def test_the_first_is_code_unless_another_kind_holds_much_more_or_is_named() -> None:
    assert kinds(*CODE, ("docs", 0.3, 1.5))[0] == "code"
    assert kinds(*CODE, ("docs", 0.3, 2.0))[0] == "docs"
    assert kinds(*CODE, ("test", 0.3, 1.0))[0] == "code"
    assert kinds(*CODE, ("test", 0.3, 1.0), test=1.0)[0] == "test"


@table("kind", ["docs", "config", "example", "commit", "test", "changelog", "memory"])
def test_the_best_of_each_kind_can_be_among_the_first_five(kind: str) -> None:
    assert kind in kinds(*CODE, (kind, 0.1, 2.0))


def test_changelogs_and_commits_answer_what_asks_for_the_history() -> None:
    past = ("changelog", 0.2, 0.8), ("commit", 0.2, 0.8)
    assert kinds(*CODE, *past)[0] == "code"
    assert set(kinds(*CODE, *past, history=1.0)) == {"changelog", "commit", "code"}


def test_what_repeats_the_code_takes_one_place_unless_it_is_asked_for() -> None:
    tests = ("test", 0.3, 2.5), ("test", 0.3, 2.5), ("test", 0.3, 2.5)
    assert kinds(*CODE, *tests).count("test") == 1
    assert kinds(*CODE, *tests, test=1.0)[:3] == ["test"] * 3


def test_a_hit_that_is_worse_among_its_kind_holds_less() -> None:
    docs = ("docs", 0.3, 1.0)
    assert kinds(*CODE, docs, docs) == ["code", "docs", "docs"]
    assert kinds(*CODE, docs, ("docs", 0.05, 1.0)) == ["code", "code", "docs"]


def test_a_fourth_kind_follows_only_where_it_holds_as_much_as_the_first() -> None:
    docs = ("docs", 0.3, 1.2), ("docs", 0.3, 1.2)
    assert kinds(*CODE, *docs, ("config", 0.3, 1.2))[:3] == ["code", "docs", "docs"]
    assert "config" not in kinds(*CODE, *docs, ("config", 0.3, 1.2))
    assert "config" in kinds(*CODE, *docs, ("config", 0.3, 1.61))


def test_kinds_that_hold_as_much_stand_in_the_order_of_their_best_in_every_process() -> None:
    like = ("config", 1.6), ("markup", 1.6), ("example", 1.6), ("commit", 2.0), ("test", 2.0)
    others = [(kind, 0.6 - at / 100, holds) for at, (kind, holds) in enumerate(like)]
    others.append(("changelog", 0.5, 2.0))
    assert kinds(*CODE, *others) == ["code", "config", "markup", "example", "commit"]


def test_a_question_for_a_place_means_the_code() -> None:
    assert "docs" in kinds(*CODE, ("docs", 0.3, 1.0))
    assert "docs" not in kinds(*CODE, ("docs", 0.3, 1.0), place=True)


def test_of_one_kind_the_order_stays_and_no_more_than_a_few_are_looked_at() -> None:
    many = [("code", 1 - at / 10, at / 10) for at in range(8)]
    known = [KindScoredHit(kind, among) for kind, among, _ in many]
    query: list[int] = []

    def holds(at: int) -> float:
        query.append(at)
        return many[at][2]

    assert order_first_page(known, holds, {}, asks_for_place=False, page_size=0) == list(
        range(EACH)
    )
    assert query == list(range(EACH))


@given(HITS, WANTS, st.booleans())
def test_places_are_taken_once_and_by_known_kinds(
    hits: list[tuple[str, float, float]], wants: dict[str, float], place: bool
) -> None:
    known = [KindScoredHit(kind, among) for kind, among, _ in hits]
    first = order_first_page(
        known, lambda at: hits[at][2], wants, asks_for_place=place, page_size=0
    )
    assert len(first) == len(set(first)) <= PLACES + MORE
    assert all(hits[at][0] in LESS for at in first)
    if any(kind in LESS for kind, _, _ in hits):
        assert first
