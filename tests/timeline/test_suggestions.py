"""Which messages are worth their tokens (CF-22, ML-26)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitmem.text.tokens import estimate_tokens
from gitmem.timeline import suggestions
from gitmem.timeline.suggestions import CodeNamedInPrompt, MessageAboutMemory
from tests.support.tables import table


def message(
    id: str, type: str = "about", worth: float = 0, text: str = "a fact"
) -> MessageAboutMemory:
    return MessageAboutMemory(id, type, f"{id} note", text, worth=(worth,))


@table(
    ("prompt", "paths", "names"),
    [
        ("fix src/app.py please", ("src/app.py",), ()),
        ("fix src/app.py:40-60, please", ("src/app.py",), ()),
        ("see src/app.py::Server.start", ("src/app.py",), ("Server.start",)),
        ("see ./src/app.py.", ("src/app.py",), ()),
        ("C:\\work\\src\\app.py is slow", ("C:/work/src/app.py",), ()),
        ("why does `start` fail?", (), ("start",)),
        ("why does start() fail?", (), ("start",)),
        ("Server::start and load_config, HTTPServer", (), ("Server.start",)),
        ("start the server, add a test", (), ()),
        ("2.5 apples cost 3/4 of it", ("3/4",), ()),
        ("", (), ()),
    ],
)
def test_a_prompt_names_what_looks_like_a_path_or_a_name_of_code(
    prompt: str, paths: tuple[str, ...], names: tuple[str, ...]
) -> None:
    found = suggestions.read_code_names(prompt)
    assert found.paths == paths
    assert found.names[: len(names)] == names


def test_names_of_code_are_those_that_only_code_writes() -> None:
    found = suggestions.read_code_names("Server::start and load_config, HTTPServer or Makefile")
    assert found == CodeNamedInPrompt((), ("Server.start", "load_config", "HTTPServer"))


def test_a_symbol_is_meant_by_its_last_parts() -> None:
    assert suggestions.is_symbol_named("shop::Cart.total", {"total"})
    assert suggestions.is_symbol_named("shop::Cart.total", {"Cart.total"})
    assert not suggestions.is_symbol_named("shop::Cart.total", {"Cart", "tot"})


def test_a_path_is_meant_by_its_end_or_with_more_before_it() -> None:
    assert suggestions.is_path_named("src/cart/cart.py", ["cart/cart.py"])
    assert suggestions.is_path_named("src/cart/cart.py", ["/home/me/shop/src/cart/cart.py"])
    assert not suggestions.is_path_named("src/cart/cart.py", ["art/cart.py", "cart/cart.pyc"])


def test_a_name_that_many_files_have_is_unsure() -> None:
    many = [f"{folder}/index.js" for folder in "abcd"]
    assert suggestions.ambiguous_file_names([*many, "a/app.js", *many]) == {"index.js"}
    assert suggestions.ambiguous_file_names(many[:3]) == frozenset()


@table(
    ("met", "telling", "answers"),
    [(3, 3, True), (2, 2, False), (3, 4, True), (3, 5, False), (4, 6, True), (0, 0, False)],
)
def test_nearly_all_telling_words_have_to_be_met(met: int, telling: int, answers: bool) -> None:
    assert suggestions.shares_enough_words(met, telling) is answers


def test_what_is_to_be_checked_comes_first_then_the_weightier() -> None:
    given = [message("A"), message("B", "about", 5), message("C", "fix"), message("D", "check")]
    assert [item.id for item in suggestions.choose_messages(given, ())] == ["D", "C", "B", "A"]


def test_nobody_is_informed_twice_but_of_a_doubt() -> None:
    given = [message("A"), message("B", "check")]
    assert [item.id for item in suggestions.choose_messages(given, {"A", "B"})] == ["B"]
    assert suggestions.choose_messages(given, {"A", suggestions.stale_warning_key("B")}) == []


def test_a_memory_is_reported_once_by_its_best_reason() -> None:
    (result,) = suggestions.choose_messages([message("A", "answer"), message("A", "check")], ())
    assert result.type == "check"


@given(st.lists(st.tuples(st.text(max_size=400), st.sampled_from(suggestions.TYPES)), max_size=12))
def test_the_lines_stay_within_the_budget_and_are_lines(
    said: list[tuple[str, str]],
) -> None:
    given = [message(str(n), type, text=text) for n, (text, type) in enumerate(said)]
    lines = [line for _, line in suggestions.message_lines(suggestions.choose_messages(given, ()))]
    assert len(lines) <= suggestions.MAX_MESSAGES
    assert estimate_tokens("\n".join(lines)) <= suggestions.MAX_TOKENS
    assert all("\n" not in line and line.startswith("- ") for line in lines)


@given(st.text(max_size=2000))
def test_any_prompt_is_read(prompt: str) -> None:
    found = suggestions.read_code_names(prompt)
    assert all(len(item) > 1 for item in (*found.paths, *found.names))
    assert found == suggestions.read_code_names(prompt)


def test_a_long_prompt_is_read_in_a_moment() -> None:
    """Runs of one character are where patterns go slow."""
    import time

    begin = time.process_time()
    for piece in ("a/", "a.", "::", "`a", "-", "\\", "_a", "1.", "a" * 200 + " "):
        suggestions.read_code_names(piece * 20_000)
    assert time.process_time() - begin < 2
