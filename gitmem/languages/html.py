"""HTML, and templates that contain it."""

from __future__ import annotations

from gitmem.languages.record import Language

LANGUAGE = Language(
    name="html",
    files="html htm xhtml vue svelte astro jinja jinja2 j2 erb hbs mustache twig",
    wheel="tree_sitter_html",
    exports="open",
    family="web",
)
