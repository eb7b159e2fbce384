"""Cross-encoders of the fastembed library: real ones, of a tiny ONNX folder made here."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from gitmem.embedding.reranker import READ, Reranker, open_reranker, parse_reranker_name
from gitmem.errors import InvalidInput, Unavailable
from tests.embedding import tiny_model


@pytest.fixture(scope="module", autouse=True)
def library() -> None:
    """Imported when it is used: collecting the tests, every worker would import it."""
    pytest.importorskip("fastembed", reason="the optional package fastembed is not installed")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_model.make_reranker(tmp_path_factory.mktemp("rerank") / "tiny")


def expected(text: str) -> float:
    weights = dict(zip(tiny_model.WORDS, tiny_model.weights(), strict=True))
    words = text.split()
    return sum(weights[word] for word in words) / len(words)


def test_a_folder_scores_question_and_text_together(folder: Path) -> None:
    model = Reranker(str(folder))
    found = model.score_texts("red", ["car boat", "house house", "blue car"])
    required = [expected(f"red {text}") for text in ("car boat", "house house", "blue car")]
    assert found == pytest.approx(required, abs=1e-5)
    # Of a long text the beginning is read.
    long = "car " * READ
    assert model.score_texts("red", [long]) == pytest.approx(
        model.score_texts("red", [long[:READ]]), abs=1e-5
    )
    assert model.score_texts_with_timeout("red", ["car"], 60) == pytest.approx(
        [expected("red car")], abs=1e-5
    )


def test_what_is_no_reranker_is_one_sentence(folder: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    truncated = tiny_model.make_reranker(tmp_path / "truncated")
    model = truncated / "model.onnx"
    model.write_bytes(model.read_bytes()[:-40])
    embedder = tiny_model.make(tmp_path / "embedder")
    for name, error, message in (
        (str(empty), Unavailable, "is not a folder with a tokenizer.json"),
        (str(truncated), Unavailable, "cannot be loaded"),
        (str(embedder), Unavailable, "failed"),
        ("Xenova/ms-marco-MiniLM-L-6-v2", Unavailable, "is not on this machine"),
        ("nobody/no-such-model", InvalidInput, "has no reranker"),
    ):
        with pytest.raises(error, match=message):
            Reranker(name, cache=str(tmp_path / "cache")).score_texts("red", ["car"])
    for name in ("builtin", "fastembed:", ""):
        with pytest.raises(InvalidInput, match="There is no reranker"):
            parse_reranker_name(name)
    assert open_reranker(f"fastembed:{folder}") is open_reranker(f"fastembed:{folder}")


class Slow(Reranker):
    """Answers when it is told to."""

    def __init__(self) -> None:
        super().__init__("slow")
        self.go = threading.Event()
        self.done = threading.Event()

    def score_texts(self, question: str, texts: Sequence[str]) -> list[float]:
        del question
        assert self.go.wait(20)
        self.done.set()
        return [1.0 for _ in texts]


def test_nobody_waits_longer_than_stated_and_it_goes_on() -> None:
    slow = Slow()
    assert slow.score_texts_with_timeout("red", ["car"], 0.01) is None
    slow.go.set()
    assert slow.done.wait(20)
    assert slow.score_texts_with_timeout("red", ["car"], 20) == [1.0]
