"""Context Cache replayed from its own document: each call with its request and the whole answer.

CC-1 to CC-8. The numbers (500 words with 50 repeated, ten results, k = 60, the score of ranks 1
and 3) are those of the document; where an answer departs, docs/reference/compat.md says why.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gitmem.search import fusion
from tests.mcp.peers import Connected, connected
from tests.support.apps import Desk
from tests.support.conversations import ID, put
from tests.support.repos import RepoBuilder

CACHE = "# Cache\n\nThe cache holds pages for an hour.\n"
EVICTION = "## Eviction\n\nThe least recently used page is evicted first."
WORDS = [f"word{number:04d}" for number in range(1100)]
LONG = "\n".join(" ".join(WORDS[start : start + 10]) for start in range(0, 1100, 10))
NOTES = {
    "notes/cache.md": f"{CACHE}\n{EVICTION}\n",
    "notes/long.md": f"{LONG}\n",
    "notes/deep/cafe.md": "# Résumé\n\nÜber naïve façades.\n",
    "src/cache.py": "def evict(page):\n    return page\n",
    **{f"notes/bees/{n}.md": f"# Hive {n}\n\nBees dance in hive {n}.\n" for n in range(12)},
}


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    repo = RepoBuilder(tmp_path_factory.mktemp("cache") / "repo")
    repo.commit("Notes", NOTES)
    desk = Desk(repo.path, repo.home, GITMEM_BACKUP_INTERVAL_HOURS="0", GITMEM_COPY_MODE="off")
    desk.run("init", no_hooks=True)
    return desk


@pytest.fixture(scope="module")
def server(desk: Desk) -> Iterator[Connected]:
    with connected(desk.place, desk.env, options=("--profile", "compat")) as server:
        yield server


def found(server: Connected, **request: Any) -> list[dict[str, Any]]:
    """The results of ``kb_search``; each has the documented fields and no others."""
    answer = server("kb_search", **request)
    assert not answer.is_error, answer
    results: list[dict[str, Any]] = (answer.structured_content or {})["results"]
    for result in results:
        assert list(result) == ["file_path", "chunk_index", "content", "score"]
        assert type(result["score"]) is float and result["score"] > 0
    assert [item["score"] for item in results] == sorted(
        (item["score"] for item in results), reverse=True
    ), "higher is better"
    return results


def words_of(result: dict[str, Any]) -> list[str]:
    return re.findall(r"word\d{4}", result["content"])


# A request, and the answer but for its score: path, chunk and whole text.
REPLAYED: list[tuple[dict[str, Any], list[dict[str, Any]]]] = [
    ({"query": "page evicted first"},
     [{"file_path": "notes/cache.md", "chunk_index": 1, "content": EVICTION}]),
    # Keyword search with stems and Unicode.
    ({"query": "evicts"},
     [{"file_path": "notes/cache.md", "chunk_index": 1, "content": EVICTION}]),
    ({"query": "resume naive facades", "limit": 10},
     [{"file_path": "notes/deep/cafe.md", "chunk_index": 0,
       "content": "# Résumé\n\nÜber naïve façades."}]),
    # Semantic search: related concepts without the words.
    ({"query": "how long are cached documents retained", "limit": 1},
     [{"file_path": "notes/cache.md", "chunk_index": 0, "content": CACHE.rstrip()}]),
    ({"query": "zzzz qqqq", "minScore": 0.35}, []),
    ({"query": "page evicted first", "minScore": 0.01, "limit": 1},
     [{"file_path": "notes/cache.md", "chunk_index": 1, "content": EVICTION}]),
    ({"query": "page evicted first", "minScore": 1.5}, []),
]  # fmt: skip


@pytest.mark.parametrize("place", range(len(REPLAYED)))
def test_a_search_answers_with_the_chunk_its_number_and_its_score(
    server: Connected, place: int
) -> None:
    request, expected = REPLAYED[place]
    results = found(server, **request)
    assert [
        {name: result[name] for name in result if name != "score"}
        for result in results[: len(expected) or None]
    ] == expected


def test_what_is_hardly_alike_comes_last_and_is_not_left_out(tmp_path: Path) -> None:
    """CC-6: the best of both rankings, with or without a common word."""
    repo = RepoBuilder(tmp_path / "repo")
    titles = {
        "auth": "# Signing in\n\nUsers authenticate with OAuth.\n",
        "off": "# Holidays\n\nAsk for leave two weeks ahead.\n",
        "back": "# Reverting a bad deploy\n\nRun the previous image again.\n",
        "pay": "# Invoices\n\nThey are paid within thirty days.\n",
    }
    repo.commit("Notes", {f"{name}.md": text for name, text in titles.items()})
    desk = Desk(repo.path, repo.home)
    desk.run("init", no_hooks=True)
    with connected(desk.place, desk.env, options=("--profile", "compat")) as server:
        for query in ("login", "time off", "how do I undo a release", "saving money"):
            assert len(found(server, query=query)) > 1, query
        assert found(server, query="login")[0]["file_path"] == "auth.md"
        assert len(found(server, query="login", limit=2)) == 2
        (best, *_) = found(server, query="authenticate users with OAuth")
        assert best["file_path"] == "auth.md" and best["score"] > 0.5
    assert desk.run("search", query="saving money", sources=("notes",)).hits == ()
    many = desk.run("search", query="saving money", sources=("notes",), distant=True).hits
    assert len(many) > 1 and many[0].score < 0.35


def test_no_chunk_of_a_file_is_left_out_behind_its_best(server: Connected) -> None:
    """CC-6: one of three holds the word."""
    every = found(server, query="word0007", limit=50)
    of_file = [item["chunk_index"] for item in every if item["file_path"] == "notes/long.md"]
    assert of_file[0] == 0 and sorted(of_file) == [0, 1, 2]


def test_ten_results_are_returned_unless_another_number_is_given(server: Connected) -> None:
    assert len(found(server, query="bees dance")) == 10
    assert len(found(server, query="bees dance", limit=3)) == 3
    every = found(server, query="bees dance", limit=50)
    assert {item["file_path"] for item in every[:12]} == {f"notes/bees/{n}.md" for n in range(12)}


def test_a_long_note_has_chunks_of_500_words_that_share_50(server: Connected) -> None:
    """The chunk that is returned is the one of its number, whole, and in its raw form."""
    chunks = {}
    for word in ("word0010", "word0700", "word1050"):
        (result,) = found(server, query=word, limit=1)
        assert result["file_path"] == "notes/long.md" and word in words_of(result)
        chunks[result["chunk_index"]] = words_of(result)
        assert result["content"] in LONG
    assert sorted(chunks) == [0, 1, 2]
    assert [len(chunks[at]) for at in range(3)] == [500, 500, 200]
    assert chunks[0][-50:] == chunks[1][:50] and chunks[1][-50:] == chunks[2][:50]
    assert chunks[0] + chunks[1][50:] + chunks[2][50:] == WORDS


def test_two_chunks_of_a_file_are_two_results(server: Connected) -> None:
    results = found(server, query="word0470")
    both = [result["chunk_index"] for result in results if "word0470" in words_of(result)]
    assert sorted(both) == [0, 1]
    assert {result["file_path"] for result in results[:2]} == {"notes/long.md"}


def test_wrong_requests_name_the_argument(server: Connected) -> None:
    for request, name in (
        ({}, "query"),
        ({"query": "a", "limit": "many"}, "limit"),
        ({"query": "a", "limit": 0}, "limit"),
        ({"query": "a", "minScore": "high"}, "minScore"),
        ({"query": "a", "colour": "red"}, "colour"),
        ({"query": 7}, "query"),
    ):
        answer = server("kb_search", **request)
        assert answer.is_error and f"'{name}'" in str(answer.content), request


def test_ranks_are_fused_by_the_documented_formula() -> None:
    """1 / (60 + 1) + 1 / (60 + 3) = 0.0323; here as a share of the most that there can be."""
    words, meaning = (4.0, 3.0, 2.0, 1.0), (0.7, 0.9, 0.8, 0.6)
    candidates = [
        fusion.FusionCandidate(key=("file", at), lexical=words[at], similarity=meaning[at])
        for at in range(4)
    ]
    hits = fusion.rank_hits(candidates, 4, mode="hybrid", fusion="rrf", rrf_k=60)
    scores = {hit.candidate.key[1]: hit.score * 2 / 61 for hit in hits}
    assert scores[0] == pytest.approx(0.0323, abs=1e-4)
    for at, ranks in enumerate(((1, 3), (2, 1), (3, 2), (4, 4))):
        assert scores[at] == pytest.approx(sum(1 / (60 + rank) for rank in ranks), abs=1e-4)


def test_an_index_run_skips_the_unchanged_and_replaces_and_drops_chunks(tmp_path: Path) -> None:
    """CC-1, CC-7: the report of a run, and the counts of the index, by command line and search."""
    repo = RepoBuilder(tmp_path / "repo")
    repo.commit("Notes", NOTES)
    desk = Desk(repo.path, repo.home)
    desk.run("init", no_hooks=True, no_index=True)
    first = desk.run("index")
    assert (first.added, first.updated, first.skipped, first.kept) == (len(NOTES), 0, 0, 0)
    counted = desk.run("stats", files=True)
    assert first.chunks == counted.index.pieces and first.seconds >= 0
    assert counted.index.total == len(NOTES)
    assert counted.index.pieces_per_file == round(first.chunks / len(NOTES), 1)
    assert counted.file_bytes > 0 and counted.store == str(desk.store)
    repo.write({"notes/cache.md": f"{CACHE}\n## Eviction\n\nThe oldest page leaves first.\n"})
    (desk.place / "notes/deep/cafe.md").unlink()
    done = desk.run("index")
    assert (done.added, done.updated, done.dropped, done.kept) == (0, 1, 1, len(NOTES) - 2)
    assert done.chunks == 2
    with connected(desk.place, desk.env, options=("--profile", "compat")) as server:
        (result,) = found(server, query="oldest page leaves", limit=1)
        assert (result["file_path"], result["chunk_index"]) == ("notes/cache.md", 1)
        others = found(server, query="resume naive facades")
        assert all("façades" not in item["content"] for item in others)
        assert all("evicted" not in item["content"] for item in found(server, query="evicted page"))
    full = desk.run("index", full=True)
    assert full.added == len(NOTES) - 1, "the reset"


def test_their_variables_set_the_size_of_chunks_and_the_number_of_results(tmp_path: Path) -> None:
    """CC-8."""
    repo = RepoBuilder(tmp_path / "repo")
    repo.commit("Notes", NOTES)
    desk = Desk(repo.path, repo.home, CONTEXT_CACHE_CHUNK_SIZE="100")
    desk.env |= {"CONTEXT_CACHE_CHUNK_OVERLAP": "10", "CONTEXT_CACHE_SEARCH_LIMIT": "4"}
    desk.run("init", no_hooks=True)
    assert len(desk.run("search", query="bees dance").hits) == 4
    with connected(desk.place, desk.env, options=("--profile", "compat")) as server:
        (result,) = found(server, query="word0700", limit=1)
        assert len(words_of(result)) == 100 and result["chunk_index"] == 7
    shown = json.dumps([row.source for row in desk.run("config", key="index.words").settings])
    assert "CONTEXT_CACHE_CHUNK_SIZE" in shown


def test_ignored_notes_are_no_notes_and_all_prose_is(tmp_path: Path) -> None:
    """CC-1: the departures that the row and the page of calls name."""
    repo = RepoBuilder(tmp_path / "repo")
    kinds = {f"zebra{end}": f"A zebra of {end[1:]}.\n" for end in (".md", ".mdx", ".rst", ".txt")}
    repo.commit("Notes", {".gitignore": "private/\n", **kinds})
    (repo.path / "private").mkdir()
    (repo.path / "private" / "zebra.md").write_text("A private zebra.\n")
    desk = Desk(repo.path, repo.home, GITMEM_BACKUP_INTERVAL_HOURS="0", GITMEM_COPY_MODE="off")
    desk.run("init", no_hooks=True)
    assert "0 skipped" in desk.text("index"), "what git ignores is in no count"
    with connected(desk.place, desk.env, options=("--profile", "compat")) as server:
        assert {item["file_path"] for item in found(server, query="zebra")} == set(kinds)


def test_a_search_limit_that_is_set_is_the_default(desk: Desk) -> None:
    """CC-8: the variable CONTEXT_CACHE_SEARCH_LIMIT, with ten of twelve hives without it."""
    limited = desk.env | {"CONTEXT_CACHE_SEARCH_LIMIT": "3"}
    with connected(desk.place, limited, options=("--profile", "compat")) as server:
        assert len(found(server, query="bees dance in hives")) == 3
        assert len(found(server, query="bees dance in hives", limit=5)) == 5


def test_conversations_are_searched_and_shown_under_their_names(
    desk: Desk, server: Connected
) -> None:
    """CC-11: what is found is shown by its path, from one exchange to another."""
    lines = [(f"Question {n} about bees", f"Answer {n}", ()) for n in range(1, 5)]
    put(desk, lines)
    answer = server("conversations_search", query="question 3 about bees", format="json")
    (first, *_) = (answer.structured_content or {})["results"]
    assert (first["conversationId"], first["exchangeIndex"]) == (ID, 3)
    assert first["userMessage"] == "Question 3 about bees"
    assert first["assistantMessage"] == "Answer 3"
    # One word after five: the scores are those of this question.
    answer = server("conversations_search", query="bees")
    assert len((answer.structured_content or {})["results"]) == 4
    assert (
        server("conversations_search", query="bees", before="2020-01-31").structured_content or {}
    )["results"] == []
    answer = server("conversation_show", path=first["conversationId"], startLine=2, endLine=3)
    shown: dict[str, Any] = answer.structured_content or {}
    assert [row["exchangeIndex"] for row in shown["exchanges"]] == [2, 3]
    assert (shown["exchangeCount"], shown["source"]) == (4, "codex")
    only = server("conversation_show", path=first["archivePath"]).structured_content or {}
    assert [row["assistantMessage"] for row in only["exchanges"]] == ["Answer 3"]
