"""What a question tells beyond its words (CF-14)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitmem.search.limits import LONG
from gitmem.search.question import (
    MOST_PHRASES,
    MOST_WORDS,
    move_informative_parts_first,
    parse_question,
)
from tests.support.tables import table
from tests.support.timing import assert_linear


@given(st.text(max_size=200) | st.text('"/\\._-aA1 中\ud800\x00', max_size=200))
def test_any_text_is_read(text: str) -> None:
    result = parse_question(text)
    assert len(result.words) <= MOST_WORDS and len(result.phrases) <= MOST_PHRASES
    assert len(set(result.words)) == len(result.words)
    assert parse_question(text) == result
    for item in (*result.words, *result.phrases, *result.paths):
        assert item.encode("utf-8")


@table(
    "unit", ["A", "-", "a-", "a/", "/", "a.", '"ab', '"', "_", "1", "中文", "aA", "EA", " ", "🙂 "]
)
def test_time_grows_as_the_text_does(unit: str) -> None:
    """The worst that a pattern can meet; a square would take minutes."""
    assert_linear(lambda size: parse_question(unit * (size // len(unit))), 40_000)


def test_words_are_lower_case_whole_and_in_parts_without_stop_words() -> None:
    assert parse_question("where is HTTPServer started").words == (
        "httpserver",
        "http",
        "server",
        "started",
    )
    assert parse_question("of the it").words == ("of", "the", "it")
    assert parse_question("?! -- ()").words == ()


def test_a_version_is_one_word_without_its_v() -> None:
    assert parse_question("Python 3.8 since v1.2.3 on 127.0.0.1").words == (
        *("python", "3.8", "since", "1.2.3", "127.0.0.1"),
    )
    assert parse_question("utf8 and 3 of 8.").words == ("utf8", "utf", "8", "3")


def test_words_of_a_run_without_spaces_are_its_pairs() -> None:
    assert {"中文", "文写"} <= set(parse_question("用中文写").words)


@table(
    ("text", "symbols", "single"),
    [
        ("RedisPool", ("RedisPool",), True),
        ("redis.Pool.acquire()", ("acquire",), True),
        ("std::move", ("move",), True),
        ("src/cache/pool.py", (), True),
        ("why does loadConfig call load_user", ("loadConfig", "load_user"), False),
        ("how are plain words read", (), False),
    ],
)
def test_names_of_code(text: str, symbols: tuple[str, ...], single: bool) -> None:
    result = parse_question(text)
    assert (result.symbols, result.is_single_name) == (symbols, single)


@table(
    ("text", "paths"),
    [
        ("why is src/cache/pool.py slow", ("src/cache/pool.py",)),
        ("see ./docs/guide.md, and setup.py", ("./docs/guide.md", "setup.py")),
        ('File "/home/me/shop/app.py", line 3', ("/home/me/shop/app.py",)),
        (r"at C:\shop\src\app.cs:12", ("/shop/src/app.cs",)),
        ("call it with list.append(x)", ()),
        ("no path here", ()),
    ],
)
def test_paths(text: str, paths: tuple[str, ...]) -> None:
    assert parse_question(text).paths == paths


def test_phrases_errors_and_names() -> None:
    asked = parse_question(
        'Why did Grace see "connection refused" as ConnectionError E11000 last week'
    )
    assert asked.phrases == ("connection refused",) and asked.requires_phrases
    assert asked.errors == ("ConnectionError", "E11000")
    assert asked.names == ("Grace",)
    assert parse_question("what does “listen on” do").phrases == ("listen on",)


def test_kinds_of_files_are_wanted_by_those_who_ask_for_them() -> None:
    assert "test" in parse_question("unit tests for the parser").requested_kinds
    assert "docs" in parse_question("the documentation of the parser").requested_kinds
    assert parse_question("how does the parser work").requested_kinds == {}


def test_quotes_in_something_pasted_are_not_meant_so_strictly() -> None:
    assert not parse_question('"quoted words" ' + "and more " * 100).requires_phrases


def test_of_a_python_trace_the_last_line_comes_first() -> None:
    frames = "".join(f'  File "/srv/lib{n}.py", line 1, in f_{n}\n' for n in range(200))
    result = parse_question(f"Traceback (most recent call last):\n{frames}KeyError: 'x'")
    assert result.errors == ("KeyError",)
    assert result.paths[0] == "/srv/lib199.py" and result.symbols[:2] == ("KeyError", "f_199")
    assert result.words[0] == "keyerror"


@given(st.text("abc \n", min_size=LONG + 1, max_size=LONG + 50))
def test_what_tells_most_is_put_in_front_and_nothing_is_lost(text: str) -> None:
    assert move_informative_parts_first(text).endswith(text)
    assert move_informative_parts_first(text + " TypeError").split()[0] == "TypeError"


def test_somebody_asks_in_words() -> None:
    for text, asks in (
        ("Where is the cart emptied", True),
        ("the cart is emptied where?", True),
        ("empty the cart", False),
        ("Whereabouts of the cart", False),
        ("how", False),
        ("", False),
    ):
        assert parse_question(text).is_natural_language is asks, text
