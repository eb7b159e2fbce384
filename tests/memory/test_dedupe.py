"""What one memory is to another: the words decide, the cosine only proposes (CF-44, CT-10)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.embedding.base import cosine
from gitmem.embedding.builtin import BuiltinEmbedder
from gitmem.memory import dedupe
from gitmem.memory.dedupe import judge_duplicate
from gitmem.model.frozen import replace
from gitmem.model.memory import Memory
from tests.support.stores import said
from tests.support.tables import table

WORDS = ["the", "cache", "of", "workers", "not", "Redis", "6380", "src/app.py", "fails", "is", "on"]
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=9).map(" ".join)


def memory(text: str, **fields: Any) -> Memory:
    return said(text, seed=len(text), **fields)


def verdict(new: str, old: str, similarity: float = 0.99, **fields: Any) -> str:
    return judge_duplicate(memory(new, **fields), memory(old), similarity).verdict


@table(
    ("new", "old"),
    [
        ("Redis is on port 6380.", "redis is on port 6380"),
        ("The tests need a Redis", "Tests need Redis"),
        ("Do not run it twice", "don't run it twice!"),
        ("We can't mock our own code", "You cannot mock your own code"),
        ("* retries: the client waits", "Retry: the client waits"),
    ],
)
def test_the_same_words_in_the_same_order_are_a_repeat(new: str, old: str) -> None:
    assert verdict(new, old) == dedupe.SKIP


@table(
    ("new", "old", "differs"),
    [
        ("Tests need Redis on port 6379", "Tests need Redis on port 6380", {"6379", "6380"}),
        ("The cache is not shared", "The cache is shared", {"not"}),
        ("Never run migrations by hand", "Always run migrations by hand", {"never", "always"}),
        ("Run it before the deploy", "Run it after the deploy", {"before", "after"}),
        ("The parser is in src/lexer.py", "The parser is in src/parser.py", {"src/lexer.py"}),
        ("Only Alice can approve it", "Only Bob can approve it", {"alice", "bob"}),
        ("Call max_size with care", "Call min_size with care", {"max_size"}),
        ("Start it with --fast", "Start it with --slow", {"--fast"}),
        ("It was on the old host", "It is on the old host", {"was"}),
        ("Use option A for it", "Use option I for it", {"a", "i"}),
        ("x < 5 holds", "x > 5 holds", {"<", ">"}),
    ],
)
def test_a_number_a_name_a_path_or_a_not_keeps_two_apart_however_alike(
    new: str, old: str, differs: set[str]
) -> None:
    found = judge_duplicate(memory(new), memory(old), 1.0)
    assert found.verdict == dedupe.SUGGEST
    assert differs <= set(found.differs)


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("Use tabs instead of spaces", "Use spaces instead of tabs"),
        ("The client retries the server", "The server retries the client"),
        ("Copy from A to B", "Copy from B to A"),
    ],
)
def test_the_same_words_in_another_order_are_no_repeat(new: str, old: str) -> None:
    """A mean of word vectors gives them 1.0."""
    assert verdict(new, old, 1.0) == dedupe.SUGGEST


def test_the_cosine_of_the_model_in_the_wheel_could_not_have_reported() -> None:
    """Why the words decide: contradictions reach 0.95 and more."""
    model = BuiltinEmbedder()
    for new, old in (
        ("Tests need Redis on port 6379", "Tests need Redis on port 6380"),
        ("The cache is not shared between workers", "The cache is shared between workers"),
        ("Use tabs instead of spaces", "Use spaces instead of tabs"),
    ):
        likeness = cosine(*model.embed([new, old]))
        assert likeness >= dedupe.SAME
        assert verdict(new, old, likeness) == dedupe.SUGGEST


def test_one_that_says_more_may_be_merged_and_only_where_alike_enough() -> None:
    assert verdict("Fix some typos in the docs", "Fix typos in docs") == dedupe.MERGE
    assert verdict("Fix typos in docs", "Fix some typos in the docs") == dedupe.MERGE
    assert verdict("Fix some typos in the docs", "Fix typos in docs", 0.91) == dedupe.SUGGEST
    assert verdict("Fix some typos in the docs", "Fix typos in docs", 0.74) == dedupe.ADD


def test_an_agent_does_not_rewrite_a_persons_words_at_greater_length() -> None:
    longer = memory("Fix some typos in the docs", agent="codex")
    assert judge_duplicate(longer, memory("Fix typos in docs"), 0.97).verdict == dedupe.SUGGEST


@table(
    "fields",
    [
        {"kind": "convention"},
        {"scope": "global"},
        {"layer": "working"},
        {"valid_until": 5},
        {"status": "proposed"},
        {"kind": "code"},
    ],
)
def test_another_kind_place_or_time_is_no_repeat(fields: dict[str, Any]) -> None:
    assert verdict("Redis is on 6380.", "Redis is on 6380", **fields) == dedupe.SUGGEST


def test_what_is_in_use_is_no_repeat_of_what_is_not() -> None:
    """A proposal, and what was archived or replaced, do not stand for what holds."""
    new = memory("Redis is on 6380.")
    assert judge_duplicate(new, memory("Redis is on 6380"), 1.0).verdict == dedupe.SKIP
    for fields in (
        {"status": "proposed"},
        {"archived_at": 5},
        {"superseded_by": "0" * 26},
    ):
        put_by = memory("Redis is on 6380", **fields)
        assert judge_duplicate(new, put_by, 1.0).verdict == dedupe.SUGGEST, fields
        assert judge_duplicate(put_by, new, 1.0).verdict == dedupe.SUGGEST, fields


def test_a_strangers_memory_takes_nothing_in() -> None:
    old = memory("Redis is on 6380", trust="foreign")
    assert judge_duplicate(memory("Redis is on 6380."), old, 1.0).verdict == dedupe.SUGGEST


def test_facts_that_the_other_lacks_are_not_dropped() -> None:
    with_facts = memory("Redis is on 6380.", metadata='{"ticket": 7}')
    assert judge_duplicate(with_facts, memory("Redis is on 6380"), 1.0).verdict == dedupe.MERGE


@given(TEXTS, TEXTS, st.floats(-1, 1))
def test_what_is_skipped_names_nothing_that_the_other_does_not(
    new: str, old: str, similarity: float
) -> None:
    found = judge_duplicate(memory(new), memory(old), similarity)
    if found.verdict == dedupe.SKIP:
        assert similarity >= dedupe.SAME
        messages = [[w for w in text.split() if w not in ("the", "is")] for text in (new, old)]
        assert messages[0] == messages[1]


@given(TEXTS, TEXTS, st.floats(-1, 1))
def test_who_came_first_does_not_matter(one: str, other: str, similarity: float) -> None:
    there, back = (
        judge_duplicate(memory(a), memory(b), similarity) for a, b in ((one, other), (other, one))
    )
    assert there == back


def test_merging_joins_what_both_say_and_keeps_the_fuller_text() -> None:
    old = memory("Fix typos in docs", tags=("a",), paths=("x.py",), metadata='{"n": 1, "o": 2}')
    new = memory(
        "Fix some typos in the docs", tags=("b",), paths=("y.py",), metadata='{"n": 3}', weight=5
    )
    joined = dedupe.merge_memories(old, new)
    assert (joined.id, joined.content, joined.weight) == (old.id, new.content, 5)
    assert (joined.tags, joined.paths) == (("a", "b"), ("x.py", "y.py"))
    assert json.loads(joined.metadata) == {"n": 3, "o": 2}
    assert dedupe.merge_memories(new, old).content == new.content
    # Whoever wrote the text that stays: an agent's words are an agent's.
    assert joined.trust_tier == "person"
    assert dedupe.merge_memories(old, replace(new, agent="codex")).trust_tier == "agent"


def test_a_merge_takes_the_fuller_texts_title_and_loses_none() -> None:
    for old, new, title in (
        ("Typos", "", "Typos"),
        ("Typos", "Mending typos", "Mending typos"),
        ("", "Typos", "Typos"),
    ):
        joined = dedupe.merge_memories(
            memory("Fix typos in docs", title=old),
            memory("Fix some of the very old typos in docs", title=new),
        )
        assert (joined.title, joined.content[:8]) == (title, "Fix some"), (old, new)


def test_a_note_in_the_metadata_tells_of_the_other() -> None:
    noted = dedupe.mark_memory_as_duplicate(memory("x", metadata='{"n": 1}'), "ID", 0.97)
    assert json.loads(noted.metadata) == {"n": 1, "duplicate_of": "ID", "similarity": 0.97}


def test_earlier_texts_that_share_half_of_the_words_are_found_the_most_alike_first() -> None:
    texts = [
        "The cache fails on Mondays",
        "Redis listens on port 6380",
        "The cache often fails on Mondays",
        "The cache fails on some Mondays",
        "Nothing like the others",
        "",
    ]
    assert dedupe.indices_of_earlier_similar_texts(texts, 0.5, 5) == [[], [], [0], [0, 2], [], []]
    assert dedupe.indices_of_earlier_similar_texts(texts, 0.5, 1)[3] == [0]
    # Also where every word is common.
    assert dedupe.indices_of_earlier_similar_texts(["Mend the tests"] * 50, 0.5, 1)[-1] == [0]


@table(
    ("new", "old", "apart"),
    [
        ("The cache must be restarted after each deploy",
         "After each deploy the cache has to be restarted", False),
        ("Never log passwords", "Passwords must not be logged", False),
        ("Alice owns the billing service", "Carol owns the billing service", True),
        ("Enable gzip for the static files", "Disable gzip for the static files", True),
        ("Logs are kept for 30 days", "Logs are kept for 90 days", True),
        ("The cache is shared", "The cache is not shared", True),
    ],
)  # fmt: skip
def test_other_words_for_the_same_are_suggested_and_another_word_for_one_is_not(
    new: str, old: str, apart: bool
) -> None:
    found = judge_duplicate(memory(new), memory(old), 0.94)
    assert (found.verdict, found.apart) == (dedupe.SUGGEST, apart)


def test_function_words_do_not_count_for_how_much_is_shared() -> None:
    assert (
        dedupe.shared_word_fraction("The cache has to be restarted", "The cache must be restarted")
        == 1.0
    )


def test_texts_of_other_words_differ_only_where_one_thing_stands_for_another() -> None:
    for item, other, swapped in (
        ("Alice owns the billing service", "The billing service is owned by Carol", True),
        ("Restart the cache after each deploy", "After each deploy clear the cache", True),
        ("Restart the cache after each deploy", "After each deploy restart the cache", False),
        ("Fix content-length of writes", "Incorrect content-length was emitted by writes", False),
        ("Paint the shed", "Carol owns billing", False),
    ):
        assert dedupe.differs_in_single_word(item, other) == swapped, item
