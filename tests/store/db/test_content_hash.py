"""The hash under which a vector is kept."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitmem.store.db.content_hash import mark


@given(st.text(), st.text())
def test_the_same_text_and_only_that_has_the_same_mark(one: str, other: str) -> None:
    assert len(mark(one)) == 16
    assert (mark(one) == mark(other)) == (one == other)


def test_it_is_the_same_on_every_machine_and_takes_any_text() -> None:
    assert mark("größe").hex() == "6ca8d2c8fa90974c3039906bbd79b458"
    assert mark("\udcff") != mark("\udcfe")
