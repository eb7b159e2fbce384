"""Lua."""

from __future__ import annotations

from gitmem.languages.record import Language

LANGUAGE = Language(
    name="lua",
    written="Lua",
    files="lua",
    programs="lua luajit",
    wheel="tree_sitter_lua",
    comment="--+",
    comments=("--",),
    exports="open",
    calls={"function_call": ("name",)},
)
