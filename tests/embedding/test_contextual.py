"""The contextual model of the package (CE-40): what it finds, and that opening it costs nothing."""

from __future__ import annotations

import subprocess
import sys
from array import array

import pytest

from gitmem.embedding.base import cosine, model_identity
from gitmem.embedding.contextual import FILE, ContextualEmbedder
from gitmem.embedding.contextual_file import ContextualFile


@pytest.fixture(scope="module")
def model() -> ContextualEmbedder:
    return ContextualEmbedder()


def test_the_shipped_file_is_whole_and_small() -> None:
    file = ContextualFile(FILE)
    assert file.is_checksum_valid()
    assert len(file.pieces) == 29_528


def test_meaning_is_found_where_no_word_is_shared(model: ContextualEmbedder) -> None:
    query, near, far = model.embed(
        [
            "where do we throttle clients?",
            "Requests above the limit get a 429 from the gateway.",
            "The logo is drawn as an SVG.",
        ]
    )
    assert cosine(query, near) > cosine(query, far) + 0.15


def test_the_order_of_words_counts(model: ContextualEmbedder) -> None:
    item, other = model.embed(
        ["the client waits for the server", "the server waits for the client"]
    )
    assert item != other


def test_the_same_text_gives_the_same_vector(model: ContextualEmbedder) -> None:
    text = "Sessions are signed with a rotating key."
    (alone,) = model.embed([text])
    (again,) = model.embed([text])
    assert alone == again
    among = model.embed(["x", text, "a much longer text " * 20])[1]
    steps = zip(array("b", alone), array("b", among), strict=True)
    assert max(abs(item - other) for item, other in steps) <= 1


def test_any_text_has_a_vector(model: ContextualEmbedder) -> None:
    texts = ["", " ", "日本語", "\x00\ud800", "a" * 50_000, "🙂 " * 500]
    assert {len(vector) for vector in model.embed(texts)} == {model.dimension}
    assert model.embed([]) == []


def test_the_identity_is_known_without_numpy() -> None:
    code = (
        "import sys; from gitmem.embedding.base import model_identity; "
        "from gitmem.embedding.registry import open_embedder; "
        "print(model_identity(open_embedder('contextual')), 'numpy' in sys.modules)"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.split() == [model_identity(ContextualEmbedder()), "False"]
