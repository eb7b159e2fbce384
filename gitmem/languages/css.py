"""CSS, and its dialects with braces; not the indented ones."""

from __future__ import annotations

from gitmem.languages.record import Language

LANGUAGE = Language(
    name="css",
    files="css scss sass less styl",
    wheel="tree_sitter_css",
    grammars={"sass": "", "styl": ""},
    exports="open",
)
