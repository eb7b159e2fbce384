"""Summaries are sentences of the memories themselves, by the rule that the module tells (CF-41)."""

from __future__ import annotations

import random
import re

from hypothesis import given
from hypothesis import strategies as st

from gitmem.memory import draft, extractive_summary
from gitmem.memory.draft import MemoryDraft, MemoryOrigin
from gitmem.memory.extractive_summary import (
    CitedSentence,
    MemorySummary,
    group_for_summaries,
    reason_excluded_from_summaries,
    summarise_group,
)
from gitmem.model.memory import Memory
from gitmem.text.tokens import estimate_tokens

_DAY = 86_400_000


def memory(number: int, content: str, *, at: int = 0, **said: object) -> Memory:
    id = f"{number:026d}"
    made = draft.prepare_memory(
        MemoryDraft(content=content, **said),  # type: ignore[arg-type]
        MemoryOrigin(id=id, now=at or number, project="p", branch="main"),
        max_bytes=100_000,
    )
    return made.memory


def texts(parts: list[MemorySummary]) -> list[str]:
    return [sentence.text for part in parts for sentence in part.sentences]


def test_the_sentence_with_the_words_of_most_memories_comes_first() -> None:
    group = [
        memory(1, "The blue lamp hums. The export job of the shop fails at night."),
        memory(2, "The export job of the shop is slow. Lunch was late on that day."),
        memory(3, "A cat slept on the desk. The export job of the shop needs 3 GB."),
    ]
    (part,) = summarise_group(group, 60)
    assert [sentence.text for sentence in part.sentences] == [
        "The export job of the shop fails at night.",
        "The export job of the shop is slow.",
        "The export job of the shop needs 3 GB.",
    ]


def test_the_answer_tells_more_than_the_question() -> None:
    long = "Which port has the redis of the shop in CI? The redis of the shop has port {} in {}."
    group = [memory(n, long.format(n, place)) for n, place in enumerate(("CI", "QA", "EU"), 1)]
    (part,) = summarise_group(group, 60)
    assert not any("?" in sentence.text for sentence in part.sentences)


def test_what_most_memories_say_stands_for_none_that_says_more() -> None:
    output = (
        "Kafka needs a schema",
        "Cookies expire at noon",
        "Exports run as root",
        "Mail queues",
    )
    foot = "Seen while reviewing the release."
    group = [memory(n, f"{text}. {foot}") for n, text in enumerate(output, 1)]
    group.append(memory(5, foot))
    (part,) = extractive_summary.summarise_group(group, 400)
    for item, text in zip(group, (*(f"{text}." for text in output), foot), strict=True):
        assert [text] == [s.text for s in part.sentences if s.sources == (item.id,)], text


def test_what_two_memories_say_is_reported_once_and_cites_both() -> None:
    group = [
        memory(1, "Redis listens on 6380 in CI."),
        memory(2, "In CI redis listens on 6380."),
        memory(3, "Deploys of the web shop run on Tuesdays."),
    ]
    (part,) = summarise_group(group)
    first, last = part.sentences
    assert first == CitedSentence(
        "Redis listens on 6380 in CI.", (group[0].id, group[1].id), (0, 0)
    )
    assert last.sources == (group[2].id,)
    text = extractive_summary.format_sentences(
        part.sentences, {item.id: item.id[-2:] for item in group}
    )
    assert text == (
        "- Redis listens on 6380 in CI. [01, 02]\n- Deploys of the web shop run on Tuesdays. [03]"
    )


def test_a_heavier_memory_is_heard_with_more() -> None:
    spot = "The {0} gate opens at nine. Its paint is {0} blue. A guard of {0} sleeps there. "
    more = "Visitors to {0} wait outside. The {0} bell rings twice. Snow closed {0} in March."
    names = ("north", "south", "east", "west")
    for heavy in range(4):
        group = [
            memory(n, (spot + more).format(name), weight=5 if n == heavy else 2)
            for n, name in enumerate(names)
        ]
        (part,) = summarise_group(group)
        counts = [sum(item.id in s.sources for s in part.sentences) for item in group]
        assert counts[heavy] == max(counts) > sorted(counts)[-2]


def test_what_is_taken_for_a_sentence() -> None:
    table = {
        "One fact here. Two facts there!": ["One fact here.", "Two facts there!"],
        "Use e.g. Redis for it. J. Smith knows more.": [
            "Use e.g. Redis for it.",
            "J. Smith knows more.",
        ],
        "# Head line\n- first point\n2) second point": [
            "Head line",
            "first point",
            "second point",
        ],
        "Run this:\n```sh\nrm -rf build\nmake all now\n```\nThen look.": [
            "Run this:",
            "Then look.",
        ],
        "```\nonly code in here\n": ["```"],
        "v1.2.3 was cut. It has 3.5 GB.": ["v1.2.3 was cut.", "It has 3.5 GB."],
        "word": ["word"],
    }
    for content, expected in table.items():
        assert extractive_summary._sentences(memory(1, content)) == expected, content


def test_groups_are_of_one_month_kind_branch_and_trust() -> None:
    same = [memory(n, f"Note number {n}") for n in range(1, 4)]
    others = [memory(n, f"Observation {n}", kind="observation") for n in range(4, 6)]
    month = {item.id: "2026-01" for item in (*same, *others)}
    assert group_for_summaries([*others, *reversed(same)], month) == [same]
    month[same[2].id] = "2026-02"
    assert group_for_summaries(same, month) == []
    many = [memory(n, f"Note number {n}") for n in range(1, extractive_summary.MAX_GROUP_SIZE + 6)]
    sizes = [len(item) for item in group_for_summaries(many, {item.id: "m" for item in many})]
    assert sizes == [extractive_summary.MAX_GROUP_SIZE, 5]


def test_what_is_never_summarised_away_and_what_only_by_name() -> None:
    for kind in ("decision", "convention", "skill"):
        assert reason_excluded_from_summaries(memory(1, "x", kind=kind, title="t"), (kind,)) == kind
    for kind in ("fix", "workflow", "pattern", "task", "summary"):
        item = memory(1, "x", kind=kind)
        assert (
            reason_excluded_from_summaries(item),
            reason_excluded_from_summaries(item, (kind,)),
        ) == (kind, "")
    assert reason_excluded_from_summaries(memory(1, "x")) == ""
    assert reason_excluded_from_summaries(memory(1, "x"), ("observation",)) == "another kind"
    assert (
        reason_excluded_from_summaries(memory(1, "x", tags=("critical-requirement",)))
        == "marked critical"
    )


_WORDS = st.sampled_from(
    ["export", "job", "shop", "redis", "port", "night", "cat", "desk", "lamp", "gate"]
)
_SENTENCE = st.lists(_WORDS, min_size=1, max_size=12).map(lambda w: " ".join(w).capitalize() + ".")
_NOTE = st.lists(_SENTENCE, min_size=1, max_size=6).map(" ".join)


@given(st.lists(_NOTE, min_size=3, max_size=15), st.integers(100, 1000), st.randoms())
def test_each_memory_is_cited_each_sentence_stands_in_each_source_s_words(
    notes: list[str], tokens: int, chance: random.Random
) -> None:
    group = [memory(n, note, weight=chance.randint(1, 5)) for n, note in enumerate(notes, 1)]
    parts = summarise_group(group, tokens)
    assert parts == summarise_group(group, tokens)
    assert [memory for part in parts for memory in part.memories] == group
    for part in parts:
        result = {memory.id: memory.content for memory in part.memories}
        assert len(result) >= 3
        assert {id for sentence in part.sentences for id in sentence.sources} == result.keys()
        for sentence in part.sentences:
            assert sentence.text in result[sentence.sources[0]]
            words = set(re.findall(r"\w+", sentence.text.lower()))
            for id in sentence.sources[1:]:
                held = set(re.findall(r"\w+", result[id].lower()))
                assert len(words & held) >= 0.6 * len(words)
        # Beyond a sentence of each there is no more than was asked for.
        extra = len(part.sentences) > len(part.memories)
        assert (
            not extra
            or sum(estimate_tokens(sentence.text) for sentence in part.sentences) <= tokens
        )
