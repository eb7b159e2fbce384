"""Models through fastembed (CF-57): a real one from a folder, a sentence where there is none."""

from __future__ import annotations

import json
import os
import sys
import threading
from pathlib import Path

import pytest

from gitmem.embedding.base import cosine, model_identity, quantise_vector
from gitmem.embedding.fastembed import FastembedEmbedder, disable_usage_reports, prefixes_of_model
from gitmem.embedding.reranker import Reranker
from gitmem.errors import InvalidInput, Unavailable
from tests.embedding import tiny_model
from tests.support.tables import table

REASON = "the optional package fastembed is not installed"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("fastembed", reason=REASON)
    return tiny_model.make(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture(scope="module")
def model(folder: Path) -> FastembedEmbedder:
    return FastembedEmbedder(str(folder))


def test_a_local_folder_gives_vectors_of_its_own_dimension(model: FastembedEmbedder) -> None:
    vectors = model.embed(["red car", "red boat", "green house"])
    assert model.dimension == tiny_model.DIMENSION
    assert [len(vector) for vector in vectors] == [tiny_model.DIMENSION] * 3
    assert cosine(vectors[0], vectors[1]) > cosine(vectors[0], vectors[2])


def test_the_vectors_are_the_mean_that_the_model_defines(model: FastembedEmbedder) -> None:
    table, size = tiny_model.rows(), tiny_model.DIMENSION
    red, car = (
        table[at * size : (at + 1) * size] for at in map(tiny_model.WORDS.index, ["red", "car"])
    )
    mean = quantise_vector([(a + b) / 2 for a, b in zip(red, car, strict=True)])
    assert cosine(model.embed(["red car car red"])[0], mean) > 0.999


def test_more_texts_than_a_batch_keep_their_order(model: FastembedEmbedder) -> None:
    texts = [
        f"{word} {other}" for word in tiny_model.WORDS[5:] for other in tiny_model.WORDS[5:]
    ] * 2
    alone = [model.embed([text])[0] for text in texts]
    together = model.embed(texts)
    assert len(texts) > 32
    assert all(cosine(a, b) > 0.999 for a, b in zip(alone, together, strict=True))


def test_a_question_waits_no_longer_than_allowed_and_an_index_run_as_long_as_it_takes(
    folder: Path,
) -> None:
    """CF-57. What was begun is there for a later question."""
    slow = FastembedEmbedder(str(folder), timeout_seconds=0.05)
    query = pytest.raises(Unavailable, match=r"within 0\.05 seconds")
    with slow._lock, query as caught:  # as if another thread were loading it
        slow.embed(["red car"], is_query=True)
    assert "gitmem config embedding.timeout" in caught.value.hint
    slow.load_and_wait()
    assert slow.dimension == tiny_model.DIMENSION
    assert slow.embed(["red car"]) == FastembedEmbedder(str(folder)).embed(["red car"])
    with query:
        slow.embed(["red car"] * 20_000, is_query=True)
    for thread in threading.enumerate():
        if thread.name == "gitmem-model":  # what is still computed must not outlive the process
            thread.join()
    quick = FastembedEmbedder(str(folder), timeout_seconds=60)
    assert quick.embed(["red car"], is_query=True) == slow.embed(["red car"])


def test_another_model_has_another_identity(model: FastembedEmbedder, folder: Path) -> None:
    other = FastembedEmbedder(str(tiny_model.make(folder.parent / "other", seed=2)))
    assert model.checksum != other.checksum
    assert model_identity(model) == f"fastembed:tiny:16:{model.checksum[:16]}"


def test_a_folder_that_moved_is_the_same_model(folder: Path) -> None:
    moved = tiny_model.make(folder.parent / "elsewhere" / "tiny")
    assert model_identity(FastembedEmbedder(str(moved) + "/")) == model_identity(
        FastembedEmbedder(str(folder))
    )


def test_the_prefix_of_the_family_goes_before_the_text(folder: Path) -> None:
    plain = FastembedEmbedder(str(folder)).embed(["query : red car", "passage : red car"])
    e5 = FastembedEmbedder(str(tiny_model.make(folder.parent / "tiny-e5-model")))
    assert [*e5.embed(["red car"], is_query=True), *e5.embed(["red car"])] == plain


def test_the_prompts_a_folder_declares_win_over_the_table(folder: Path) -> None:
    own = tiny_model.make(folder.parent / "own-e5-prompts")
    declared = {"prompts": {"query": "blue ", "document": ""}}
    (own / "config_sentence_transformers.json").write_text(json.dumps(declared), "utf-8")
    model = FastembedEmbedder(str(own))
    assert model.embed(["car"], is_query=True) == model.embed(["blue car"])


@table(
    ("name", "question", "expected"),
    [
        ("BAAI/bge-small-en-v1.5", "Represent this sentence", ""),
        ("BAAI/bge-m3", "", ""),
        ("intfloat/multilingual-e5-large", "query: ", "passage: "),
        ("nomic-ai/nomic-embed-text-v1.5", "search_query: ", "search_document: "),
        ("thenlper/gte-large", "", ""),
        ("Qwen/Qwen3-Embedding-0.6B", "Instruct: Given a web search query", ""),
        ("qwen3-embedding", "Instruct: Given a web search query", ""),
        ("sentence-transformers/all-MiniLM-L6-v2", "", ""),
        ("/models/bge-things/minilm", "", ""),
    ],
)
def test_each_family_has_its_prefixes(name: str, question: str, expected: str) -> None:
    found = prefixes_of_model(name)
    assert found[0].startswith(question) and bool(found[0]) == bool(question)
    assert found[1] == expected


def test_a_hub_model_that_is_not_here_is_reported_and_not_downloaded(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("fastembed", reason=REASON)
    model = FastembedEmbedder("BAAI/bge-small-en-v1.5", cache=str(tmp_path))
    with pytest.raises(Unavailable, match="not on this machine") as caught:
        model.embed(["text"])
    assert "gitmem model pull fastembed:BAAI/bge-small-en-v1.5" in caught.value.hint
    assert not any(path.is_file() for path in tmp_path.rglob("*.onnx"))
    assert capfd.readouterr().err == ""


def test_an_unknown_hub_model_is_refused() -> None:
    pytest.importorskip("fastembed", reason=REASON)
    with pytest.raises(InvalidInput, match="no model nobody/nothing"):
        FastembedEmbedder("nobody/nothing").load()


def test_a_folder_that_is_no_model_is_reported(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="not a folder with a tokenizer"):
        FastembedEmbedder(str(tmp_path)).load()


def test_a_folder_with_a_damaged_model_is_reported(folder: Path) -> None:
    broken = tiny_model.make(folder.parent / "broken")
    (broken / "model.onnx").write_bytes(b"not a model")
    with pytest.raises(Unavailable, match="cannot be loaded"):
        FastembedEmbedder(str(broken)).load()


def test_what_libraries_report_is_switched_off_and_the_users_word_on_tokens_stays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """That this is enough is shown by strace (tests/reliability/test_s26_offline.py)."""
    off = ("ORT_DISABLE_TELEMETRY", "HF_HUB_DISABLE_TELEMETRY", "HF_HUB_DISABLE_XET")
    for name in off:
        monkeypatch.setenv(name, "0")
    monkeypatch.delenv("HF_HUB_DISABLE_XET")
    monkeypatch.setenv("HF_HUB_DISABLE_IMPLICIT_TOKEN", "0")
    disable_usage_reports()
    assert [os.environ[name] for name in off] == ["1", "1", "1"]
    assert os.environ["HF_HUB_DISABLE_IMPLICIT_TOKEN"] == "0"
    monkeypatch.delenv("HF_HUB_DISABLE_IMPLICIT_TOKEN")
    disable_usage_reports()
    assert os.environ["HF_HUB_DISABLE_IMPLICIT_TOKEN"] == "1"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes in folders")
@table("name", ["tokenizer.json", "model.onnx", "config.json", "1_Pooling/config.json"])
def test_a_pipe_in_a_model_folder_is_reported_and_not_waited_for(name: str, tmp_path: Path) -> None:
    own = tiny_model.make(tmp_path / name.replace("/", "-"))
    (own / "1_Pooling").mkdir()
    (own / name).unlink(missing_ok=True)
    os.mkfifo(own / name)
    with pytest.raises(Unavailable, match="is neither a file nor a folder"):
        FastembedEmbedder(str(own)).load()
    with pytest.raises(Unavailable, match="is neither a file nor a folder"):
        Reranker(str(own)).score_texts("x", ["y"])


def test_without_the_package_one_sentence_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "fastembed", None)
    with pytest.raises(Unavailable, match="not installed") as caught:
        FastembedEmbedder("BAAI/bge-small-en-v1.5").load()
    assert "pip install" in caught.value.hint


def test_no_name_is_refused() -> None:
    with pytest.raises(InvalidInput):
        FastembedEmbedder(" ")


def test_where_cuda_is_not_available_that_is_reported_and_not_that_the_model_is_broken(
    folder: Path,
) -> None:
    onnxruntime = pytest.importorskip("onnxruntime")
    if "CUDAExecutionProvider" in onnxruntime.get_available_providers():
        pytest.skip("this machine has CUDA")
    with pytest.raises(Unavailable, match="CUDA, which is not available") as refused:
        FastembedEmbedder(str(folder), cuda=True).load()
    assert "gitmem config embedding.device cpu" in refused.value.hint
