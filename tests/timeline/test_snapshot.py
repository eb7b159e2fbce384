"""The state of a piece of work in a few lines (ML-28)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitmem.text.tokens import estimate_tokens
from gitmem.timeline import snapshot
from gitmem.timeline.snapshot import SessionWorkState

texts = st.text(max_size=300)
lists = st.lists(texts, max_size=30)
pairs = st.lists(st.tuples(texts, texts), max_size=20)


def test_where_nothing_is_known_but_the_place_nothing_is_reported() -> None:
    assert snapshot.work_state_as_text(SessionWorkState(branch="main", commit="a" * 40)) == ""
    assert snapshot.summarise_session_work(SessionWorkState(branch="main")) == ""


def test_the_telling_lines_come_first() -> None:
    work = SessionWorkState(
        goal="Mend it", branch="main", files=["a.py", "b.py"], dirty=["b.py", "c.py"]
    )
    assert snapshot.work_state_as_lines(work) == [
        "branch: main",
        "goal: Mend it",
        "worked on (* not committed): a.py b.py*",
        "also not committed: c.py",
    ]


def test_a_summary_says_how_many_commits_and_names_the_newest() -> None:
    work = SessionWorkState(commits=[("a", "Three"), ("b", "Two"), ("c", "One"), ("d", "Zero")])
    assert snapshot.summarise_session_work(work) == "Made 4 commits: Three; Two; One"


@given(texts, lists, lists, pairs, pairs, lists)
def test_the_text_stays_within_its_budget_and_says_the_same_each_time(
    goal: str,
    files: list[str],
    dirty: list[str],
    commits: list[tuple[str, str]],
    decisions: list[tuple[str, str]],
    notes: list[str],
) -> None:
    work = SessionWorkState(goal, "b", "c", files, dirty, commits, decisions, notes, notes, notes)
    text = snapshot.work_state_as_text(work)
    assert estimate_tokens(text) <= snapshot.MAX_TOKENS
    assert text == snapshot.work_state_as_text(work)
    assert "\n" not in snapshot.summarise_session_work(work)
