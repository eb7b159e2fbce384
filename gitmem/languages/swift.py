"""Swift: the files of a module know each other's names; a module is a folder of sources."""

from __future__ import annotations

from re import compile

from gitmem.languages.binding_patterns import COLON
from gitmem.languages.record import Language
from gitmem.languages.tree_paths import TreePaths, find_no_import_targets

_MODULE = compile(r"(?:^|/)(?:Sources|Tests|Plugins)/([^/]+)/")


def _module(_tree: TreePaths, path: str) -> str:
    """The module of a file: as the package manager lays them out, else the repository is one."""
    found = _MODULE.search(path)
    return found[1] if found else ""


LANGUAGE = Language(
    name="swift",
    written="Swift",
    files="swift",
    programs="swift",
    wheel="tree_sitter_swift",
    resolve=find_no_import_targets,
    bindings=(
        COLON,
        rb"\b(?:let|var)[ \t]+(?P<name>NAME)(?:[ \t]*:[^=\n]+)?[ \t]*=[ \t]*(?:try[!?]?[ \t]+)?"
        rb"(?:await[ \t]+)?(?P<value>PATH)(?P<call>\(?)",
    ),
    shared="namespace",
    namespace=_module,
    packages=True,
    scattered=True,
    bare_members=True,
)
