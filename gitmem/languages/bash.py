"""Shell scripts: bash, sh and zsh."""

from __future__ import annotations

from gitmem.languages.record import Language

LANGUAGE = Language(
    name="bash",
    written="Bash",
    files="sh bash zsh fish bats ksh",
    also="shell shellscript",
    programs="sh bash zsh ksh dash ash mksh bats",
    wheel="tree_sitter_bash",
    grammars={"fish": ""},
    sigils="=",  # an alias
    # No statement begins in a text or a here document. What is not closed goes to the end of the
    # file: to look for the end of each would take its square in time.
    statement=(
        rb"(?m)^(?:function[ \t]|alias[ \t]|[\w:.-]+[ \t]*\([ \t]*\))",
        rb"""(?sm)\\.|(?<!\S)\#[^\n]*|'[^']*(?:'|\Z)|"(?:[^"\\]|\\.)*(?:"|\Z)"""
        rb"""|(?<!<)<<-?[ ]*['"]?([A-Za-z_]\w*)['"]?[^\n]*(?:\n.*?(?:^\t*\1$|\Z)|\Z)""",
    ),
    comment="#",
    comments=("#",),
    exports="open",
    calls={"command": ("name",)},
)
