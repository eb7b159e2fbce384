"""Lua: a file returns the table of what it has for others, and `require` gives that."""

from __future__ import annotations

from re import match

from gitmem.languages.record import WHOLE, ImportedName, Language
from gitmem.languages.tree_paths import ImportTarget, TreePaths, nearest_path

_ROOTS = ("", "lua/", "src/", "lib/")


def resolve_lua_require(
    tree: TreePaths, importer: str, module: str, name: str
) -> list[ImportTarget]:
    """Find the file that a `require` of ``module`` refers to; returns a list of at most one target.

    It is looked for below the usual root folders, else by the end of its path: then the one nearest
    to the file ``importer`` counts. ``name`` is still to be looked up in it.
    """
    place = module.replace(".", "/").removesuffix("/lua") if "/" not in module else module
    places = (f"{place}.lua", f"{place}/init.lua")
    for root in _ROOTS:
        if path := tree.first_existing(root + place for place in places):
            return [ImportTarget(path, name, 0.97, f"required below {root or '.'}")]
    if "/" not in place:
        return []  # any file of that name is too little to go by
    ending = [path for place in places for path in tree.paths_ending_in(place)]
    sure = 0.93 if len(ending) == 1 else 0.6
    return (
        [ImportTarget(nearest_path(ending, importer), name, sure, "required by its path")]
        if ending
        else []
    )


def _read_import(words: str, module: str, _before: str) -> list[ImportedName]:
    local = match(r"(?:local\s+)?(\w+)\s*=", words)
    return [(module, "=", local[1])] if local else [(module, WHOLE, "")]


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
    resolve=resolve_lua_require,
    read_import=_read_import,
    functions=frozenset({"function_declaration", "function_definition"}),
    bindings=(rb"^(?P<default>return)[ \t]+(?P<value>NAME)[ \t]*;?[ \t]*$",),
    tables=True,
)
