"""`gitmem model rerank`: a cross-encoder reads the best hits, and words never wait for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitmem.errors import InvalidInput, Unavailable
from tests.embedding import tiny_model
from tests.support.apps import Desk


@pytest.fixture(scope="module", autouse=True)
def library() -> None:
    """Imported when it is used: collecting the tests, every worker would import it."""
    pytest.importorskip("fastembed", reason="the optional package fastembed is not installed")


TEXT = "boat house car"


def paths(desk: Desk, **query: object) -> list[str]:
    found = desk.run("search", query="harbour", sources=("code",), **query)
    return [hit.path for hit in found.hits]


def test_the_best_hits_are_read_again_and_words_alone_do_without(
    desk: Desk, tmp_path: Path
) -> None:
    words = dict(zip(tiny_model.WORDS, tiny_model.weights(), strict=True))
    best, worst = (choose(TEXT.split(), key=words.__getitem__) for choose in (max, min))
    for name, expected in (("first", worst), ("second", best)):
        lines = [f"# harbour {' '.join([expected] * 20)}", "harbour = 1", ""]
        (desk.place / f"{name}.py").write_text("\n".join(lines), "utf-8")
    desk.run("index")
    before = paths(desk)
    folder = tiny_model.make_reranker(tmp_path / "tiny")
    chosen = desk.run("model rerank", name=f"fastembed:{folder}")
    assert (chosen.name, chosen.previous) == (f"fastembed:{folder}", "")
    assert paths(desk)[0] == "second.py"
    assert sorted(paths(desk)) == sorted(before)
    assert paths(desk, mode="keyword") == before

    # A folder that is gone: the order stays, and the answer says why.
    (folder / "tokenizer.json").unlink()
    desk.env["GITMEM_SEARCH_RERANK"] = f"fastembed:{folder.parent / 'gone'}"
    found = desk.run("search", query="harbour", sources=("code",))
    assert [hit.path for hit in found.hits] == before
    assert any(note.startswith("Not reranked.") for note in found.notes)
    del desk.env["GITMEM_SEARCH_RERANK"]
    assert desk.run("model rerank", name="off").name == ""
    assert paths(desk) == before


def test_a_hit_far_behind_the_first_ten_is_read_too(desk: Desk, tmp_path: Path) -> None:
    words = dict(zip(tiny_model.WORDS, tiny_model.weights(), strict=True))
    best, worst = (choose(TEXT.split(), key=words.__getitem__) for choose in (max, min))
    for number in range(20):
        (desk.place / f"near{number}.py").write_text(
            f"# harbour harbour {' '.join([worst] * 20)} pier{number}\n", "utf-8"
        )
    (desk.place / "far.py").write_text(f"# harbour {' '.join([best] * 30)}\n", "utf-8")
    desk.run("index")
    assert paths(desk, limit=30).index("far.py") > 10
    desk.run("model rerank", name=f"fastembed:{tiny_model.make_reranker(tmp_path / 'tiny')}")
    for limit in (1, 30):
        assert paths(desk, limit=limit)[0] == "far.py"


def test_what_cannot_be_loaded_is_not_chosen(desk: Desk, tmp_path: Path) -> None:
    for name, error in (
        (f"fastembed:{tmp_path}", Unavailable),
        ("fastembed:Xenova/ms-marco-MiniLM-L-6-v2", Unavailable),
        ("builtin", InvalidInput),
    ):
        desk.env["FASTEMBED_CACHE_PATH"] = str(tmp_path)
        with pytest.raises(error):
            desk.run("model rerank", name=name)
    config = desk.settings_file
    assert not config.exists() or "rerank" not in config.read_text("utf-8")
