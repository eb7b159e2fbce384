"""What a memory cites is read as it is written, and written as it is read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.errors import InvalidInput
from gitmem.memory import citations
from gitmem.memory.citations import Citation
from tests.support.tables import table

WORD = st.text(st.sampled_from("abcXYZ_-./ é"), min_size=1, max_size=12)


@table(
    ("text", "place"),
    [
        ("src/app.py", Citation("src/app.py")),
        ("src/", Citation("src/")),
        ("src/app.py:40", Citation("src/app.py", 40, 40)),
        ("src/app.py:40-60", Citation("src/app.py", 40, 60)),
        ("src/app.py::Server.start", Citation("src/app.py", symbol="Server.start")),
        ("a.cpp::ns::Class::run", Citation("a.cpp", symbol="ns::Class::run")),
        ("notes:later.md", Citation("notes:later.md")),
        ("a:b:7", Citation("a:b", 7, 7)),
        ("src/app.py:40-", Citation("src/app.py:40-")),
        ("src/app.py:٤", Citation("src/app.py:٤")),
        ("::name", Citation("::name")),
        (":7", Citation(":7")),
    ],
)
def test_a_citation_is_read(text: str, place: Citation) -> None:
    assert citations.parse_citation(text) == place


@pytest.mark.parametrize("text", ["a.py:0", "a.py:60-40", "a.py:0-3"])
def test_lines_that_cannot_be_are_refused_with_a_hint(text: str) -> None:
    with pytest.raises(InvalidInput) as error:
        citations.parse_citation(text)
    assert text in error.value.message
    assert "src/app.py:40-60" in error.value.hint


@given(WORD, st.integers(1, 99_999), st.integers(0, 50), st.sampled_from(["lines", "name", ""]))
def test_a_citation_is_written_as_it_is_read(path: str, first: int, more: int, kind: str) -> None:
    place = Citation(path)
    if kind == "lines":
        place = Citation(path, first, first + more)
    elif kind == "name":
        place = Citation(path, symbol="Server.start")
    assert citations.parse_citation(citations.format_citation(place)) == place


@given(st.text(max_size=40))
def test_any_text_is_a_citation_or_is_refused_in_a_sentence(text: str) -> None:
    try:
        place = citations.parse_citation(text)
    except InvalidInput as error:
        assert error.hint
    else:
        assert text.startswith(place.path)


def test_the_parts_of_a_symbol_are_the_same_in_every_language() -> None:
    assert (
        citations.symbol_parts("Server.start")
        == citations.symbol_parts("Server::start")
        == ("Server", "start")
    )
    assert citations.symbol_parts("Server#start") == ("Server", "start")


def test_an_anchor_names_what_is_defined_behind_a_hash() -> None:
    for anchor, cited in (
        ("src/app.py#Server.start", "src/app.py::Server.start"),
        ("src/app.py:40-60", "src/app.py:40-60"),
        ("src/app.py::Server", "src/app.py::Server"),
        ("src/c#/app.cs", "src/c#/app.cs"),
        ("src/app.py#", "src/app.py#"),
        ("#Server", "#Server"),
    ):
        assert citations.unique_citations((), (anchor,)) == (cited,), anchor
    assert citations.unique_citations(("a.py", "b.py"), ("b.py", "c.py#f")) == (
        "a.py",
        "b.py",
        "c.py::f",
    )
