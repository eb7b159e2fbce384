"""What goes wrong with a model: it dies half-way, the disk fills, texts are odd; words work on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from gitmem.embedding import base
from gitmem.errors import DiskFull, GitmemError, InvalidInput, Unavailable
from gitmem.indexing import text_vectors
from gitmem.store.code import vectors
from tests.embedding import tiny_model
from tests.support.apps import Desk

NOTES = {f"note{at}.md": f"# Part {at}\n\nThe harbour of part {at} is quiet.\n" for at in range(6)}


@pytest.fixture
def filled(desk: Desk) -> Desk:
    for name, text in NOTES.items():
        (desk.place / name).write_text(text, "utf-8")
    desk.run("remember", text="The harbour master is Ada")
    desk.run("index")
    return desk


class Dying:
    """A model that embeds so many texts and then fails, as one does whose library crashes."""

    provider, model, dimension, checksum = "test", "dying", 16, "1" * 16

    def __init__(self, lives: int) -> None:
        self.lives = lives

    def embed(self, texts: Sequence[str], *, is_query: bool = False) -> list[bytes]:
        del is_query
        self.lives -= len(texts)
        if self.lives < 0:
            raise Unavailable("The model dying failed: out of memory.")
        return [base.quantise_vector([float(len(text) % 7 + 1), *[1.0] * 15]) for text in texts]


def words_work(desk: Desk) -> None:
    found = desk.run("search", query="harbour", mode="keyword", limit=20)
    assert {hit.path for hit in found.hits} >= set(NOTES)
    assert desk.run("recall", query="harbour", mode="keyword").memories


def test_an_embedder_that_dies_half_way_keeps_what_it_made_and_goes_on(
    filled: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_vectors, "BATCH", 2)
    app = filled.app()
    made = vectors.vector_counts_by_model(app.store)
    dying = Dying(3)
    monkeypatch.setattr(text_vectors, "configured_embedder", lambda _, **__: dying)
    with pytest.raises(Unavailable, match="out of memory"):
        text_vectors.embed_missing_texts(app, app.store, lambda *_: None)
    name = base.model_identity(dying)
    saved = vectors.vector_counts_by_model(app.store)
    # Whole batches, under their own name, and not one vector of the other model touched.
    assert saved == {**made, name: 1 + 2 * (saved[name] // 2)}
    assert 0 < saved[name] <= 3
    waiting = vectors.count_texts_without_vector(app.store, name)
    assert waiting > 0
    dying.lives = 1000
    assert text_vectors.embed_missing_texts(app, app.store, lambda *_: None) == waiting
    assert vectors.count_texts_without_vector(app.store, name) == 0
    app.close()
    words_work(filled)


def test_a_disk_that_fills_during_embedding_loses_nothing(
    filled: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_vectors, "BATCH", 1)
    app = filled.app()
    made = vectors.vector_counts_by_model(app.store)
    living = Dying(1000)
    living.dimension = 4096
    embed = living.embed
    monkeypatch.setattr(
        living, "embed", lambda texts, **_: [item * 256 for item in embed(texts)], raising=False
    )
    monkeypatch.setattr(text_vectors, "configured_embedder", lambda _, **__: living)
    pages = app.store.value("PRAGMA page_count")
    app.store.connection.pragma("max_page_count", pages + 4)
    with pytest.raises(DiskFull):
        text_vectors.embed_missing_texts(app, app.store, lambda *_: None)
    assert {item: made[item] for item in made} == {
        item: count
        for item, count in vectors.vector_counts_by_model(app.store).items()
        if item in made
    }
    assert app.store.value("PRAGMA integrity_check") == "ok"
    app.close()
    words_work(filled)
    again = filled.app()
    text_vectors.embed_missing_texts(again, again.store, lambda *_: None)
    assert vectors.count_texts_without_vector(again.store, base.model_identity(living)) == 0
    again.close()


def test_a_folder_that_is_not_a_whole_model_changes_nothing(filled: Desk, tmp_path: Path) -> None:
    pytest.importorskip("fastembed", reason="the optional package fastembed is not installed")
    app = filled.app()
    made = vectors.vector_counts_by_model(app.store)
    app.close()
    cut = tiny_model.make(tmp_path / "cut")
    (cut / "model.onnx").write_bytes((cut / "model.onnx").read_bytes()[:-30])
    without = tiny_model.make(tmp_path / "without")
    (without / "model.onnx").unlink()
    odd = tiny_model.make(tmp_path / "odd", dimension=12)
    broken = tiny_model.make(tmp_path / "broken")
    (broken / "tokenizer.json").write_text('{"version"', "utf-8")
    cases: list[tuple[Path, type[GitmemError], str]] = [
        (cut, Unavailable, "cannot be loaded"),
        (without, Unavailable, "no model.onnx"),
        (odd, InvalidInput, "not a multiple of 8"),
        (broken, Unavailable, "cannot be loaded"),
    ]
    for folder, error, message in cases:
        with pytest.raises(error, match=message):
            filled.run("model use", name=f"fastembed:{folder}")
    app = filled.app()
    assert vectors.vector_counts_by_model(app.store) == made
    app.close()
    assert not filled.settings_file.exists()
    words_work(filled)


def test_a_memory_of_32_kb_and_other_scripts_are_found(filled: Desk) -> None:
    long = "The quay of the northern basin needs dredging. " * 700
    filled.run("remember", text=long[:32_000])
    greek = "Το λιμάνι κλείνει τον χειμώνα"
    filled.run("remember", text=greek)
    found = filled.run("recall", query="dredging the northern quay")
    assert found.memories[0].content.startswith("The quay")
    assert filled.run("recall", query="λιμάνι χειμώνα").memories[0].content == greek
    for question in ("港はどこですか", "где гавань", "ميناء", "x" * 900):
        for mode in ("hybrid", "semantic"):
            filled.run("search", query=question, mode=mode)
            filled.run("recall", query=question, mode=mode)
    for question in ("🙂", "\u200f\u202e"):
        with pytest.raises(InvalidInput, match="no words"):
            filled.run("search", query=question)
