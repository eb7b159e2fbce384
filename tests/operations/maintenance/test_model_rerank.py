"""`gitmem model rerank`: a cross-encoder reads the best hits, and words never wait for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitmem.errors import InvalidInput, Unavailable
from tests.embedding import tiny_model
from tests.mcp.agents import Agent
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


def test_a_call_says_how_many_are_read_and_put_in_front(desk: Desk, tmp_path: Path) -> None:
    """CE-6, CE-9: rerank_top_n, rerank_return_m and rerank_enabled of the documented call."""
    words = dict(zip(tiny_model.WORDS, tiny_model.weights(), strict=True))
    ranked = sorted(TEXT.split(), key=words.__getitem__)
    for number, word in enumerate(ranked):
        near = " harbour" * (4 - number)
        (desk.place / f"{number}.py").write_text(f"#{near} {' '.join([word] * 20)}\n", "utf-8")
    desk.run("index")
    agent = Agent(desk, "compat")

    def searched(**arguments: object) -> tuple[list[str], bool]:
        data = agent.data("repo_search", query="harbour", path_glob="*.py", **arguments)
        return [hit["path"] for hit in data["results"]], data["used_rerank"]

    before, used = searched()
    assert (sorted(before), used) == (["0.py", "1.py", "2.py"], False)
    desk.run("model rerank", name=f"fastembed:{tiny_model.make_reranker(tmp_path / 'tiny')}")
    after, used = searched()
    assert used and after != before
    assert searched(rerank_top_n=50, rerank_return_m=12, rerank_enabled=True) == (after, True)
    assert searched(rerank_enabled=False, rerank_top_n=50) == (before, False)
    # Only the two best are read: the third stays where it was.
    first_two, _ = searched(rerank_top_n=2)
    assert first_two[2] == before[2] and sorted(first_two[:2]) == sorted(before[:2])
    # One is put in front, and the others keep their order.
    one_in_front, _ = searched(rerank_return_m=1)
    assert one_in_front == [after[0], *(path for path in before if path != after[0])]
    assert paths(desk, rerank=("read=0",)) == paths(desk, rerank=("use=0",)) == before
    for wrong in ({"rerank": ("read=-1",)}, {"rerank": ("depth=3",)},
                  {"rerank": ("read=3",), "mode": "keyword"}):  # fmt: skip
        with pytest.raises(InvalidInput):
            paths(desk, **wrong)
    with pytest.raises(InvalidInput):
        searched(rerank_top_n=-1)


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
