"""Haskell: a function is its signature and all of its equations."""

from __future__ import annotations

from gitmem.languages.record import Language

LANGUAGE = Language(
    name="haskell",
    written="Haskell",
    files="hs lhs",
    programs="runghc runhaskell stack",
    wheel="tree_sitter_haskell",
    quotes="",  # `foldl'` is a name
    # The branches of `#if`: the parser passes over what follows an `#else`.
    blanked=rb"(?m)^#[ \t]*(?:if|ifdef|ifndef|elif|else|endif)\b[^\n]*",
    clauses=True,
    comment=r"--+\s?[|^]?|-- ",
    comments=("--",),
    exports="listed",
)
