"""A memory is in exactly one state, and what is put away stays away whatever else is said."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.model import kinds
from gitmem.model.frozen import replace
from gitmem.model.memory import Memory
from gitmem.store.memory.filters import STATE_SQL
from tests.support.stores import said

BASE = said()
variants = st.builds(
    lambda archived, by, status: replace(
        BASE, archived_at=archived, superseded_by=by, status=status
    ),
    st.sampled_from([None, 0, 5]),
    st.sampled_from(["", "0" * 26]),
    st.sampled_from(["", *kinds.STATUSES]),
)


@given(variants)
def test_archived_wins_over_superseded_wins_over_proposed(memory: Memory) -> None:
    if memory.archived_at is not None:
        assert memory.state == "archived"
    elif memory.superseded_by or memory.status in ("superseded", "deprecated"):
        assert memory.state == "superseded"
    else:
        assert memory.state == ("proposed" if memory.status == "proposed" else "active")


@given(variants)
def test_every_state_is_one_that_the_store_can_filter_by(memory: Memory) -> None:
    assert memory.state in STATE_SQL


def test_archived_at_the_epoch_is_archived() -> None:
    assert replace(BASE, archived_at=0).state == "archived"


@pytest.mark.parametrize(
    ("title", "content", "shown"),
    [
        ("A title", "text", "A title"),
        ("", "first\nsecond", "first"),
        ("", "\n\n  first  \nsecond", "first  "),
        ("", "", ""),
    ],
)
def test_the_headline_is_the_title_or_the_first_line(title: str, content: str, shown: str) -> None:
    assert replace(BASE, title=title, content=content).headline == shown


@pytest.mark.parametrize(
    ("title", "content", "shown"),
    [
        ("Use SQLite", "One file", "Use SQLite: One file"),
        ("Use SQLite.", "Use SQLite, not a server", "Use SQLite, not a server"),
        ("Use SQLite.", "One file", "Use SQLite: One file"),
        ("Use SQLite", "", "Use SQLite"),
        ("", "first\nsecond", "first"),
    ],
)
def test_a_message_says_the_title_once(title: str, content: str, shown: str) -> None:
    assert replace(BASE, title=title, content=content).title_and_content == shown
