"""The hash under which a vector is kept."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitmem.store.db.content_hash import hash_text


@given(st.text(), st.text())
def test_the_same_text_and_only_that_has_the_same_mark(one: str, other: str) -> None:
    assert len(hash_text(one)) == 16
    assert (hash_text(one) == hash_text(other)) == (one == other)


def test_it_is_the_same_on_every_machine_and_takes_any_text() -> None:
    assert hash_text("größe").hex() == "6ca8d2c8fa90974c3039906bbd79b458"
    assert hash_text("\udcff") != hash_text("\udcfe")
