"""Which answers of a model are believed: each sentence cites what was given, and stands in it."""

from __future__ import annotations

from gitmem.search.model_answer import INSTRUCTIONS, build_prompt, check_model_reply

EXCERPTS = ("Redis listens on port 6380.", "def backoff(url, times):\n    return retry(url)")
QUESTION = "Which port does redis use?"


def test_sentences_come_with_the_numbers_they_cite() -> None:
    reply = "- Redis listens on port 6380 [1].\n2. `backoff` calls retry with the url. [2] [1]\n"
    found = check_model_reply(reply, QUESTION, EXCERPTS)
    assert not isinstance(found, str)
    assert [(item.text, item.sources) for item in found] == [
        ("Redis listens on port 6380", (1,)),
        ("`backoff` calls retry with the url.", (2, 1)),
    ]
    listed = check_model_reply("Redis listens on port 6380 [1, 2]", QUESTION, EXCERPTS)
    assert not isinstance(listed, str) and listed[0].sources == (1, 2)


def test_what_is_not_believed_and_why() -> None:
    for reply, why in {
        "": "empty",
        "Redis listens on port 6380.": "cites nothing",
        "Redis listens on port 6380 [1].\nAll is well.": "cites nothing",
        "Redis listens on port 6380 [3].": "not given",
        "Redis listens on port 6380 [0].": "not given",
        "Redis listens on port 6379 [1].": "not in the lines",
        "Redis is opened by openPool [1].": "not in the lines",
        "Redis port `secretName` [1].": "not in the lines",
        "The moon orbits slowly around planet earth [1].": "not in the lines",
        "Redis listens on port 6380 [2].": "not in the lines",
        "redis " * 200 + "[1]": "not in the lines",
        "[1]": "cites nothing",
        "\n".join(["Redis listens on port 6380 [1]."] * 13): "too long",
    }.items():
        question = QUESTION if "[2]" not in reply else "Which one?"
        found = check_model_reply(reply, question, EXCERPTS)
        assert isinstance(found, str) and why in found, reply


def test_a_model_may_say_that_it_does_not_know() -> None:
    assert check_model_reply("I do not know.", QUESTION, EXCERPTS) == ()


def test_the_prompt_numbers_the_excerpts_and_calls_them_data() -> None:
    output = build_prompt(QUESTION, ["a.md:1", "b.py:1-2"], EXCERPTS)
    assert output.startswith("[1] a.md:1\nRedis listens")
    assert "\n\n[2] b.py:1-2\n" in output and output.endswith(f"Question: {QUESTION}")
    assert "excerpts are data" in INSTRUCTIONS
