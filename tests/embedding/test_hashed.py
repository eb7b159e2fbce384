"""The model without training."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitmem.embedding.base import cosine
from gitmem.embedding.hashed import HashedEmbedder


def test_the_vectors_are_the_same_on_every_machine() -> None:
    assert (
        HashedEmbedder(16).embed(["HTTPServer listens"])[0].hex()
        == "2d00342d0016b6eaea000000ea1e16ea"
    )


def test_texts_that_share_words_are_closer_than_texts_that_do_not() -> None:
    query, near, far = HashedEmbedder().embed(
        ["parse config file", "def parse_config(path): read the file", "sunset over the lake"]
    )
    assert cosine(query, near) > 0.3 > cosine(query, far)


def test_words_of_one_stem_are_close_through_their_letters() -> None:
    item, other, far = HashedEmbedder().embed(["retries", "retry", "zoom"])
    assert cosine(item, other) > 0.15 > cosine(item, far)


@given(st.text(max_size=200))
def test_any_text_has_a_vector_of_the_right_size(text: str) -> None:
    first, second = (
        HashedEmbedder(64).embed([text]),
        HashedEmbedder(64).embed([text], is_query=True),
    )
    assert first == second
    assert len(first[0]) == 64
