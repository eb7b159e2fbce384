"""A language: how its files are named and parsed, and how its names are resolved."""

from __future__ import annotations

from types import MappingProxyType

from gitmem.model.frozen import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tree_sitter import Node

    from gitmem.languages.tree_paths import ImportTarget, TreePaths

    # (tree, path of the importer, module, name in it: "" for the whole) -> where that leads.
    Resolve = Callable[[TreePaths, str, str, str], list[ImportTarget]]
    # (words of a statement, the module as the query took it, what stands before it).
    ReadImport = Callable[[str, str, str], list["ImportedName"]]

# (module, name in it, name here): of the module itself the name is WHOLE, of all its names ALL;
# the name here is "" where there is none.
ImportedName = tuple[str, str, str]
WHOLE, ALL = "", "*"
# Where a pattern of a definition counts: a line of its own directly in what is around it; or at any
# depth of a class; or from here to the next of its kind.
DIRECT, NESTED, REST = "direct", "nested", "rest"
NOTHING: Mapping[str, str] = MappingProxyType({})
NO_CALLS: Mapping[str, tuple[str, ...]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Language:
    """The properties of a programming language: its files, its grammar, how its names are resolved.

    Only ``name`` and ``files`` are required; the other fields have the usual defaults. Patterns are
    compiled when first used.
    """

    name: str
    # As people write it, for languages of code: those that no edge leads through say so by it.
    written: str = ""
    # Extensions, and whole names of files; other names of it; programs that run its scripts.
    files: str = ""
    also: str = ""
    programs: str = ""
    prose: bool = False

    # --- its grammar -----------------------------------------------------------------------------
    # Module of the wheel, "" without one, and the function there that returns the grammar.
    wheel: str = ""
    function: str = "language"
    # Query files beside this one, in their order; "" for the one of its own name.
    queries: str = ""
    # Extension -> the grammar that reads it instead, "" for none.
    grammars: Mapping[str, str] = NOTHING
    # (extension, pattern, grammar): files of that extension that have the pattern are the other's.
    if_inside: tuple[str, bytes, str] | None = None
    # Around names: quotes, and signs that are not of them; a scope before the name inside.
    quotes: str = "\"'`"
    sigils: str = ""
    scope: str = ""
    # What the grammar cannot read, made blank before it does; for patterns, comments and texts of
    # several lines.
    blanked: bytes = b""
    # Read statement by statement: where one begins, and what none begins in. ``always``, or only
    # where the whole has an error.
    statement: tuple[bytes, bytes] | None = None
    always_apart: bool = False
    # Definitions in several clauses are one; a function in a function is a misread brace.
    clauses: bool = False
    flat: bool = False
    # How a line comment begins, what in comments is no text, and how lines of them begin.
    comment: str = r"///*!?<?"
    noise: str = ""
    comments: tuple[str, ...] = ("//", "/*", "* ", "*/", "///")
    # What is exported unless the query says otherwise: ``open`` all, ``marked`` nothing,
    # ``inherited`` what stands in something exported, ``listed`` what stands in another or all
    # where no names are listed, ``capital`` what begins with one, ``underscore`` what does not.
    exports: str = "marked"

    # Without a grammar: (kind, where it counts, regular expression of a line with the group
    # ``name``); an ``import`` has the module as its name.
    patterns: tuple[tuple[str, str, str], ...] = ()

    # --- facts, for rules ------------------------------------------------------------------------
    # Node of a call -> the fields whose texts, joined by dots, name what is called.
    calls: Mapping[str, tuple[str, ...]] = NO_CALLS
    # Nodes that use a member, and nodes of an import; how these are read.
    members: frozenset[str] = frozenset()
    imports: frozenset[str] = frozenset()
    imported: Callable[[Node], Iterator[ImportedName]] | None = None
    # The names by which an import is known outside of the file that renames it.
    origin: Callable[[str, str], tuple[str, ...]] | None = None
    # Without `catch`: node of a branch -> (its field, the pattern of an error in that).
    errors: Mapping[str, tuple[str, str]] = MappingProxyType({})

    # --- the code graph --------------------------------------------------------------------------
    # Where an import leads; without it calls and imports of its files have no edges.
    resolve: Resolve | None = None
    # What a statement takes in; without it all names of the module.
    read_import: ReadImport | None = None
    # Manifests that decide where imports lead.
    manifests: str = ""
    # Nodes of functions: an import in one takes place when it runs.
    functions: frozenset[str] = frozenset()
    # Patterns of what names stand for, with NAME and PATH: see ``binding_patterns``.
    bindings: tuple[bytes, ...] = ()
    # Names known without an import: of the files of the ``folder``, those of a linker
    # ``everywhere``, ``constants`` everywhere, those of the ``namespace`` and the ones around it,
    # or "".
    shared: str = ""
    # The namespace of a file by its path, where the file itself does not say it.
    namespace: Callable[[TreePaths, str], str] | None = None
    # The table that a file returns has what is imported; its methods' `self` is that table.
    tables: bool = False
    # What stands before the package in the path of a folder, where there are several such roots.
    source_root: str = ""
    # An import leads to the folder of a package, not to a file.
    packages: bool = False
    # JavaScript: only what a file exports is seen; Python: modules are names of packages; Rust:
    # names may be paths of modules, and (tree, path, name) -> the file of one declared there.
    exports_alone: bool = False
    submodules: bool = False
    paths: bool = False
    module_file: Callable[[TreePaths, str, str], str] | None = None
    # Members may stand outside of their type, be named without `this`, have their type in front.
    scattered: bool = False
    bare_members: bool = False
    type_first: bool = False
    # A member is always named behind what it is a member of.
    qualified: bool = False
    # Languages that read each other's files have one family.
    family: str = ""
