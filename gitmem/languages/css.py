"""CSS and what extends it in braces; not those that indent."""

from __future__ import annotations

from gitmem.languages.record import Language

LANGUAGE = Language(
    name="css",
    files="css scss sass less styl",
    wheel="tree_sitter_css",
    grammars={"sass": "", "styl": ""},
    exports="open",
)
