"""Which hits take the first places: of each kind the best, by how much of a question they hold."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitmem.search.first_places import EACH, LESS, MORE, PLACES, Hit, order
from tests.support.tables import table

WANTS = st.dictionaries(st.sampled_from([*LESS, "history"]), st.floats(0, 1), max_size=3)
HITS = st.lists(
    st.tuples(st.sampled_from([*LESS, "legal", "vendor"]), st.floats(0, 2), st.floats(0, 3)),
    max_size=30,
)


def kinds(*hits: tuple[str, float, float], place: bool = False, **wants: float) -> list[str]:
    """The kinds of the first places, of hits by kind, score among it and what they hold."""
    known = [Hit(kind, among) for kind, among, _ in hits]
    return [hits[at][0] for at in order(known, lambda at: hits[at][2], wants, place=place)]


CODE = ("code", 0.9, 1.0), ("code", 0.8, 0.9), ("code", 0.7, 0.8), ("code", 0.6, 0.7)


def test_a_document_that_holds_as_much_is_among_the_first_three() -> None:
    assert kinds(*CODE, ("docs", 0.3, 1.0))[1] == "docs"
    assert kinds(*CODE, ("docs", 0.3, 0.1))[:3] == ["code"] * 3


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
    assert set(kinds(*CODE, *past, history=1.0)[:2]) == {"changelog", "commit"}


def test_what_repeats_the_code_takes_one_place_unless_it_is_asked_for() -> None:
    tests = ("test", 0.3, 2.5), ("test", 0.3, 2.5), ("test", 0.3, 2.5)
    assert kinds(*CODE, *tests).count("test") == 1
    assert kinds(*CODE, *tests, test=1.0)[:3] == ["test"] * 3


def test_a_fourth_kind_follows_only_where_it_holds_as_much_as_the_first() -> None:
    docs = ("docs", 0.3, 1.2), ("docs", 0.3, 1.2)
    assert kinds(*CODE, *docs, ("config", 0.3, 1.2))[:3] == ["code", "docs", "docs"]
    assert "config" not in kinds(*CODE, *docs, ("config", 0.3, 1.2))
    assert "config" in kinds(*CODE, *docs, ("config", 0.3, 1.41))


def test_a_question_for_a_place_means_the_code() -> None:
    docs = ("docs", 0.3, 1.0)
    assert kinds(*CODE, docs).index("docs") < kinds(*CODE, docs, place=True).index("docs")


def test_of_one_kind_the_order_stays_and_no_more_than_a_few_are_looked_at() -> None:
    many = [("code", 1 - at / 10, at / 10) for at in range(8)]
    known = [Hit(kind, among) for kind, among, _ in many]
    asked: list[int] = []

    def holds(at: int) -> float:
        asked.append(at)
        return many[at][2]

    assert order(known, holds, {}, place=False) == list(range(EACH))
    assert asked == list(range(EACH))


@given(HITS, WANTS, st.booleans())
def test_places_are_taken_once_and_by_known_kinds(
    hits: list[tuple[str, float, float]], wants: dict[str, float], place: bool
) -> None:
    known = [Hit(kind, among) for kind, among, _ in hits]
    first = order(known, lambda at: hits[at][2], wants, place=place)
    assert len(first) == len(set(first)) <= PLACES + MORE
    assert all(hits[at][0] in LESS for at in first)
    if any(kind in LESS for kind, _, _ in hits):
        assert first
