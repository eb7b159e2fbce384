"""C, and what C++ shares with it: headers, macros, names that the linker knows everywhere."""

from __future__ import annotations

from gitmem.languages.binding_patterns import MADE, TYPE_FIRST
from gitmem.languages.record import Language
from gitmem.languages.tree_paths import (
    ImportTarget,
    TreePaths,
    folder_of,
    folders_above,
    join_path,
    nearest_path,
)

# A line that is a macro alone (`BEGIN_NAMESPACE`, `Q_DECLARE_METATYPE(X)` without a semicolon) is
# no C: the parser joins it to the next declaration and loses that one. Only at the start of a line:
# indented words may be enumerators.
MACROS = rb"(?m)^[A-Z][A-Z0-9]*_[A-Z0-9_]*(?:\([^()\n]*\))?[ \t]*\r?$"
_CPP = (
    rb"(?m)^[ \t]*(?:namespace\b[ \w:]*\{|template[ \t]*<|class \w+[^;(]*$|using \w|"
    rb"(?:public|private|protected):)"
)
_INCLUDED = ("", "include", "src", "lib")


def resolve_include(tree: TreePaths, importer: str, module: str, name: str) -> list[ImportTarget]:
    """Find the header that an ``#include`` of ``module`` in the file ``importer`` refers to.

    Returns a list of at most one target, with ``name`` to look up in it. The header may be beside
    that file, in a usual folder of headers, or have a path that ends with ``module``: then the
    nearest of several.
    """
    path = join_path(folder_of(importer), module)
    if path in tree.paths:
        return [ImportTarget(path, name, 0.99, "include beside the file")]
    for folder in folders_above(folder_of(importer)):
        for usual in _INCLUDED:
            if (path := join_path(folder, usual, module)) in tree.paths:
                return [ImportTarget(path, name, 0.95, f"include in {usual or folder or '.'}")]
    paths = tree.paths_ending_in(module)
    if len(paths) == 1 and "/" in module:
        return [ImportTarget(paths[0], name, 0.9, "the only file of that path")]
    if len(paths) == 1:
        return [ImportTarget(paths[0], name, 0.85, "the only file of that name")]
    return (
        [ImportTarget(nearest_path(paths, importer), name, 0.6, "one of several of that name")]
        if paths
        else []
    )


LANGUAGE = Language(
    name="c",
    written="C",
    files="c h",
    wheel="tree_sitter_c",
    queries="c_family c",
    if_inside=("h", _CPP, "cpp"),
    blanked=MACROS,
    flat=True,
    exports="open",
    calls={"call_expression": ("function",)},
    members=frozenset({"field_expression"}),
    resolve=resolve_include,
    bindings=(TYPE_FIRST, MADE),
    shared="everywhere",
    scattered=True,
    type_first=True,
    family="c",
)
