"""Elixir: a function is all of its clauses."""

from __future__ import annotations

from gitmem.languages.record import Language

LANGUAGE = Language(
    name="elixir",
    written="Elixir",
    files="ex exs heex eex",
    programs="elixir",
    wheel="tree_sitter_elixir",
    grammars={"eex": "", "heex": ""},
    sigils=": ",
    clauses=True,
    comment="#",
    comments=("#",),
    exports="open",
)
