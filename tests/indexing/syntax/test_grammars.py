"""Which grammar reads which file, and that every one loads with its query."""

from __future__ import annotations

import pytest

from gitmem.indexing.syntax import grammars
from gitmem.languages import LANGUAGES, registry
from gitmem.languages.record import Language
from tests.support.tables import table

READ = [language for language in LANGUAGES if grammars.is_grammar_available(language)]


def test_every_language_of_the_wheels_is_known_by_its_name_here() -> None:
    assert len(READ) == 24
    assert not grammars.is_grammar_available("cobol")
    assert not grammars.is_grammar_available("markdown")


@table("grammar", [*READ, "tsx"])
def test_a_grammar_loads_and_its_query_fits_it(grammar: str) -> None:
    assert grammars.load_grammar(grammar) is not None
    query = grammars.load_grammar_query(grammar)
    assert query is not None
    assert query.pattern_count > 3


def test_an_extension_may_ask_for_another_grammar_or_none() -> None:
    assert grammars.grammar_name("a.tsx", "typescript") == "tsx"
    assert grammars.grammar_name("a.ts", "typescript") == "typescript"
    assert grammars.grammar_name("a.sass", "css") == ""
    assert grammars.grammar_name("a.rst", "rst") == ""


def test_a_missing_wheel_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    cobol = Language("cobol", wheel="tree_sitter_cobol")
    monkeypatch.setitem(registry._known, "cobol", cobol)
    odd = Language("odd", wheel="tree_sitter_python", function="no_such_function")
    monkeypatch.setitem(registry._known, "odd", odd)
    assert not grammars.is_grammar_available("cobol")
    assert grammars.load_grammar("cobol") is None
    assert grammars.load_grammar_query("cobol") is None
    assert grammars.load_grammar("odd") is None
