"""Julia: a module is one file and those that it includes, by their paths."""

from __future__ import annotations

from gitmem.languages.record import Language
from gitmem.languages.tree_paths import ImportTarget, TreePaths, folder_of, join_path


def resolve_julia_import(
    tree: TreePaths, importer: str, module: str, name: str
) -> list[ImportTarget]:
    """Find the file that an ``include`` of the path ``module`` in ``importer`` refers to.

    Returns a list of at most one target, with ``name`` to look up in it.
    """
    path = join_path(folder_of(importer), module)
    return [ImportTarget(path, name, 0.98, "included")] if path in tree.paths else []


LANGUAGE = Language(
    name="julia",
    written="Julia",
    files="jl",
    programs="julia",
    wheel="tree_sitter_julia",
    comment="#",
    comments=("#",),
    exports="listed",
    calls={"call_expression": ()},
    resolve=resolve_julia_import,
)
