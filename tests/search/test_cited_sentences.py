"""Sentences that stand in the lines of a passage, and those that answer (CE-11)."""

from __future__ import annotations

import re

from gitmem.search import common_tasks
from gitmem.search.cited_sentences import (
    Passage,
    Sentence,
    SentenceWeights,
    best_sentences,
    split_sentences,
)

NOTE = """# Redis

Redis listens on port 6380. It is shared
by all workers, see `pool.py`.

- Set `PORT` to change it.
- Restart afterwards

| key | meaning |
| --- | --- |

```console
redis-cli -p 6380
```
"""
CODE = '''def acquire(pool):
    """Take a connection from the pool.

    It waits when all of them are in use. Never more than a second!
    """
    # Workers give it back themselves;
    # see release.
    return pool.take(timeout=1)
'''
SCRIPT = """/**
 * Follows a redirect.
 */
function follow (reply) { // once
  return fetch(reply.location)
}
"""


def passage(kind: str, text: str, start: int = 1) -> Passage:
    return Passage(kind, dict(enumerate(text.split("\n"), start)), 1.0)


def report(kind: str, text: str, start: int = 1) -> list[tuple[str, int, int, bool]]:
    found = split_sentences(passage(kind, text, start))
    return [(item.text, item.first, item.last, item.code) for item in found]


def test_a_note_is_cut_into_its_sentences_items_and_commands() -> None:
    assert report("note", NOTE, 10) == [
        ("Redis listens on port 6380.", 12, 12, False),
        ("It is shared by all workers, see `pool.py`.", 12, 13, False),
        ("Set `PORT` to change it.", 15, 15, False),
        ("Restart afterwards", 16, 16, False),
        ("| key | meaning |", 18, 18, False),
        ("redis-cli -p 6380", 22, 22, True),
    ]


def test_code_is_cut_into_what_its_comments_say_and_its_lines() -> None:
    assert report("code", CODE) == [
        ("def acquire(pool):", 1, 1, True),
        ("Take a connection from the pool.", 2, 2, False),
        ("It waits when all of them are in use.", 4, 4, False),
        ("Never more than a second!", 4, 4, False),
        ("Workers give it back themselves; see release.", 6, 7, False),
        ("return pool.take(timeout=1)", 8, 8, True),
    ]
    assert report("code", SCRIPT) == [
        ("Follows a redirect.", 2, 2, False),
        ("function follow (reply) { // once", 4, 4, True),
        ("return fetch(reply.location)", 5, 5, True),
    ]


def test_lines_cut_out_of_documentation_are_prose_until_it_ends() -> None:
    for first, end in (
        ("    timeout: how long to wait", '    """'),
        ("Wait for it,", 'at most a second."""'),
    ):
        assert report("code", f"{first}\nwhile others connect.\n{end}\ntake(timeout)")[-1] == (
            ("take(timeout)", 4, 4, True)
        ), end
        assert [code for *_, code in report("code", f"{first}\nwhile others wait.\n{end}")][:1] == [
            False
        ], end
    # Marks that begin it are no end: behind a definition, an operator, a bracket, nothing.
    for before in ("def take(timeout):", "NOTE = (", "NOTE = \\\n x =", ""):
        found = report("code", f'{before}\n"""\nWait for it.\n"""\ntake(timeout)')
        assert ("Wait for it.", found[-1][1] - 2, found[-1][1] - 2, False) in found, before
        assert found[-1][0] == "take(timeout)" and found[-1][3], before


def test_a_line_of_syntax_alone_is_no_sentence() -> None:
    lines = "try {\n  throw limit\n} catch (err) {\n  return null\n} finally {\n  raise\n}"
    assert [text for text, *_ in report("code", lines)] == ["throw limit"]


def test_the_end_of_what_stands_above_is_no_sentence() -> None:
    lines = "def blend(\n    self, other: ColorTriplet\n) -> ColorTriplet:\n    }).then(blend)\n]"
    assert [item for item, *_ in report("code", lines)] == [
        "def blend(",
        "self, other: ColorTriplet",
    ]


def test_parameters_and_sessions_in_documentation_are_read_by_themselves() -> None:
    code = '''def wait(timeout, retries):
    """Wait for it.

    Args:
        timeout (int): How long to wait,
            in seconds.
        retries (int): How often.

    >>> wait(1, 2)
    """
'''
    found = {text: (last - first, code) for text, first, last, code in report("code", code)}
    assert found["timeout (int): How long to wait, in seconds."] == (1, False)
    assert found["retries (int): How often."] == (0, False)
    assert found[">>> wait(1, 2)"] == (0, True)
    script = "/**\n * Follows.\n * @param reply what came\n * @returns the next one\n */\n"
    assert [text for text, *_ in report("code", script)][-2:] == [
        "@param reply what came",
        "@returns the next one",
    ]


def test_a_line_that_only_repeats_the_question_comes_last() -> None:
    query = SentenceWeights({"broker": 2.0, "pool": 1.0}, {})
    for line in ("BrokerPool = Pool", "pool: BrokerPool"):
        found = [Sentence(line, 1, 1, code=True), Sentence("open(broker)", 2, 2, code=True)]
        assert [item.text for item in best_sentences(found, query, 1)] == ["open(broker)"], line
    for line in ("BrokerPool = pool(2)", "# " + "broker pool " * 7):  # it says more; it is long
        found = [Sentence(line, 1, 1, code=True), Sentence("open(broker)", 2, 2, code=True)]
        assert [item.text for item in best_sentences(found, query, 1)] == [line]


def test_commits_and_memories_are_one_line() -> None:
    for kind in ("commit", "memory"):
        assert report(kind, "Retry once. Then give up.") == [
            ("Retry once.", 1, 1, False),
            ("Then give up.", 1, 1, False),
        ]
    assert report("commit", "") == []
    # One word is no sentence.
    assert report("memory", "Redis") == []


def test_every_sentence_stands_in_its_lines() -> None:
    for kind, text in {"note": NOTE, "code": CODE + SCRIPT}.items():
        lines = text.split("\n")
        for sentence in split_sentences(passage(kind, text)):
            there = " ".join(lines[sentence.first - 1 : sentence.last])
            assert re.findall(r"\w+", sentence.text) == [
                word
                for word in re.findall(r"\w+", there)
                if word in re.findall(r"\w+", sentence.text)
            ][: len(re.findall(r"\w+", sentence.text))] or sentence.text in " ".join(there.split())


def test_a_sentence_that_is_far_too_long_ends_at_a_word() -> None:
    found = split_sentences(passage("note", "word " * 500))
    assert len(found) == 1 and found[0].text.endswith("word …") and len(found[0].text) < 410


def test_the_best_sentences_hold_most_of_the_question_and_each_something_new() -> None:
    rarity = {"redis": 3.0, "port": 2.0, "workers": 1.0}
    found = split_sentences(passage("note", NOTE))
    chosen = best_sentences(found, SentenceWeights(rarity, {}), 2)
    assert [item.text for item in chosen] == ["Redis listens on port 6380."]
    wide = best_sentences(found, SentenceWeights({**rarity, "workers": 9.0}, {}), 3)
    assert [item.first for item in wide] == [3, 3]
    assert best_sentences([], SentenceWeights(rarity, {}), 2) == []


def test_meaning_and_prose_break_what_words_leave_even() -> None:
    code, prose = Sentence("take it", 1, 1, True), Sentence("take them", 2, 2, False)
    rarity = {"take": 1.0}
    assert best_sentences([code, prose], SentenceWeights(rarity, {}), 1)[0].text == "take them"
    assert (
        best_sentences([code, prose], SentenceWeights(rarity, {"take it": 0.9}), 1)[0].text
        == "take it"
    )


def test_a_sentence_in_the_words_of_code_answers_too() -> None:
    found = [Sentence("body to wire", 1, 1, code=True), Sentence("deflate", 2, 2, code=True)]
    rarity, related = {"body": 1.0, "smaller": 3.0}, {"deflate": 3.0}
    assert [item.text for item in best_sentences(found, SentenceWeights(rarity, {}), 2)] == [
        "body to wire"
    ]
    chosen = best_sentences(found, SentenceWeights(rarity, {}, related=related), 2)
    assert [item.text for item in chosen] == ["deflate", "body to wire"]


def test_anchors_and_pictures_of_a_document_are_no_sentences() -> None:
    lines = {
        1: '<a id="set-error-handler"></a>',
        2: "",
        3: "![Build status of main](https://example.org/badge.svg)",
        4: "",
        5: 'Errors go to <a href="#handler">the handler</a> first.',
    }
    found = split_sentences(Passage("note", lines, 1.0))
    assert [item.first for item in found] == [5]


def test_a_command_that_does_the_task_comes_before_what_is_stated_of_it() -> None:
    note = "Some tests run the program as another user.\n\n```\ntox -e unit\n```\n"
    every = split_sentences(passage("note", note))
    rarity = {"run": 1.0, "tests": 1.0}
    plain = [item.text for item in best_sentences(every, SentenceWeights(rarity, {}), 2)]
    assert plain == ["Some tests run the program as another user."]
    query = SentenceWeights(rarity, {}, common_tasks.find_common_task("how do I run the tests"))
    report = best_sentences(every, query, 2)
    assert "tox -e unit" in [item.text for item in report]
    assert [
        item.text for item in best_sentences(split_sentences(passage("note", "Run tox.")), query, 2)
    ] == ["Run tox."]


def test_lines_cut_out_of_a_fence_are_code() -> None:
    cut = "cargo build\n\ncargo test\n```\n\nMore is told below."
    assert report("note", cut) == [
        ("cargo build", 1, 1, True),
        ("cargo test", 3, 3, True),
        ("More is told below.", 6, 6, False),
    ]
    whole = "Say this first\n\n```\ncargo test\n```\n"
    assert ("cargo test", 4, 4, True) in report("note", whole)
    assert ("Say this first", 1, 1, False) in report("note", whole)


def test_lines_that_begin_inside_a_block_are_code() -> None:
    lines = {7: "} else {", 8: "\t// the file was found", 9: "}"}
    found = split_sentences(Passage("note", lines, 1.0, starts_in_code=True))
    assert [(item.text, item.code) for item in found] == [("// the file was found", True)]
