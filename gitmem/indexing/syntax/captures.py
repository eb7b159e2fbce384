"""Sorting what the query of a grammar captured in a file.

The queries (``gitmem/languages/<grammar>.scm``) say what counts. Their captures:

- ``@definition.<kind>`` with ``@name`` in one pattern; optional ``@body`` (where the signature
  ends; without it, the node's field ``body``), ``@container`` (a Go receiver, Lua's ``M.f``;
  several are joined). Where two patterns capture one name, the one written first counts.
- ``@global.<kind>``: as a definition, but not where it stands in a function (C's variables).
- ``@rest`` on a definition's node: it contains the rest of the file (``namespace X;``).
- ``@scope`` with ``@name``: no definition, but what stands in it has it as container (``impl``).
- ``@omit`` with ``@name``: no definition at all (of use in a pattern before a wider one).
- ``@exported`` on a definition's node, ``@exported.name`` on a name exported elsewhere in the file,
  ``@private`` on a node that is not.
- ``@comment``: a comment, documentation of what follows; ``@docstring``: one that opens a body;
  ``@text`` in either pattern: the words inside. ``@attached``: a decorator or an attribute, belongs
  to what follows. A definition of the next line claims these.
- ``@reference.<kind>`` on a name; ``@import`` with ``@module`` (several in one match are the parts
  of one path) and any ``@imported``.
- A capture that begins with an underscore is for predicates only.
"""

from __future__ import annotations

from re import compile

from gitmem.indexing.syntax import import_time
from gitmem.indexing.syntax.receivers import receiver_before_name
from gitmem.indexing.syntax.values import BUILT_IN, Reference
from gitmem.languages import registry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Node, Query, Tree

    Nodes = dict[str, list[Node]]

# Half-matched patterns that a query may have at one time. A cursor's progress callback crashes
# (tree-sitter 0.26.1), so that this bounds its work.
STATES = 4096
# Nothing deeper is looked at: from 32,768 on a cursor does not come back.
DEPTH = 1000
NAME = 200
_OMITTED = "omitted"
_QUOTES = "\"'`"
_SPACE = compile(r"\s+")
_GENERIC = compile(r"<.*>$")


class Capture:
    """A definition or scope that a query (patterns for a syntax tree) captured in a file.

    ``kind`` is such as function, "" for a scope that is no definition (Rust's ``impl``); ``node``
    is its syntax node and ``name`` that of its name, ``start`` and ``stop`` are its bytes;
    ``container`` are nodes of names before its own, as in a Go receiver.
    """

    __slots__ = ("body", "container", "global_", "kind", "name", "node", "start", "stop")

    def __init__(self, kind: str, node: Node, name: Node, captures: Nodes, global_: bool) -> None:
        self.kind = kind  # "" for a scope
        self.node = node
        self.start = node.start_byte
        self.stop = node.end_byte
        self.name = name
        self.body = captures["body"][0] if "body" in captures else None
        self.container = captures.get("container", [])
        self.global_ = global_

    def is_inside(self, other: Capture) -> bool:
        """Whether this capture lies inside the other; two captures of the same node do not."""
        if other.start == self.start and other.stop == self.stop:
            return not other.kind
        return self.start < other.stop


class Captures:
    """The definitions, scopes, references and imports that a query captured in a file.

    The query has patterns for the syntax trees of a language.
    """

    def __init__(self, grammar: str, data: bytes) -> None:
        self.grammar = grammar
        self.data = data
        self.marks = ExportMarks()
        self.comments: dict[int, tuple[int, str]] = {}  # last line -> first line, text
        self.remarks: list[tuple[int, int]] = []  # first and last byte of every comment
        self.docstrings: dict[int, str] = {}  # first byte -> text
        # last line -> first line, first byte, whether nothing follows on the last line
        self.attached: dict[int, tuple[int, int, bool]] = {}
        self.skipped: dict[int, int] = {}  # first byte of what is attached -> its last
        self.imports: dict[int, tuple[str, list[str], int]] = {}
        self.statements: dict[int, tuple[int, int]] = {}  # of the imports: first and last byte
        self.times: dict[int, str] = {}  # of the imports: their kinds
        # (kind, line, what it is called on, name) in the order of the file -> its first byte
        self._uses: dict[tuple[str, int, str, str], int] = {}
        self._found: dict[tuple[int, bool], tuple[int, Capture]] = {}
        self._references: dict[tuple[str, str, int], int] = {}  # name, kind, line -> first byte
        self.language = language = registry.language_properties(grammar)
        self._scoped = compile(language.scope) if language.scope else None
        self._sigils = language.quotes + language.sigils

    def read(self, query: Query, tree: Tree) -> None:
        """Add the definitions, scopes, references and imports that the query captures in a tree."""
        from tree_sitter import QueryCursor  # noqa: PLC0415 - 16 ms, only where files are parsed

        cursor = QueryCursor(query, match_limit=STATES)
        cursor.set_max_start_depth(DEPTH)
        for pattern, captures in cursor.matches(tree.root_node):
            for name, nodes in captures.items():
                if name.startswith("reference."):
                    self._reference(name[10:], nodes)
                elif name.startswith("definition."):
                    self._definition(pattern, name[11:], nodes[0], captures)
                elif name.startswith("global."):
                    self._definition(pattern, name[7:], nodes[0], captures, True)
                elif name in _TAKERS:
                    _TAKERS[name](self, pattern, nodes, captures)
        self.remarks.sort()

    def sorted_captures(self) -> list[Capture]:
        """The captured definitions and scopes, outer ones before inner ones."""
        blocks = [found for _pattern, found in self._found.values() if found.kind != _OMITTED]
        blocks.sort(
            key=lambda block: (block.start, -block.stop, block.kind != "", block.name.start_byte)
        )
        return blocks

    def references(self, defined_names: set[tuple[str, int]]) -> list[Reference]:
        """The uses of names as Reference values, without those captured by mistake.

        ``defined_names`` are the names of definitions with their lines: a reference there is no use
        of the name.
        """
        references = self._references
        return [
            Reference(name, kind, line)
            for (name, kind, line), at in references.items()
            if not (kind == "call" and (at, False) in self._found)
            and not (
                kind == "type"
                and (
                    len(name) == 1  # a type parameter
                    or name in BUILT_IN
                    or (name, line) in defined_names
                    or (name, "inherit", line) in references
                )
            )
        ]

    def name_uses(self) -> list[tuple[str, int, str, str]]:
        """Where names are used: (kind, line, receiver, name).

        For example (``call``, 7, ``self.store``, ``read``). Where a name is defined, it does not
        count as used.
        """
        return [use for use, start in self._uses.items() if (start, False) not in self._found]

    def source_of_node(self, node: Node) -> str:
        """The source of a node on one line; "" if it is too long to be a name."""
        words = self.data[node.start_byte : node.end_byte].decode("utf-8", "replace")
        return _SPACE.sub(" ", words).strip() if len(words) <= NAME else ""

    def name_in_node(self, node: Node) -> str:
        """The name in a node, without quotes and other punctuation around it."""
        name = self.source_of_node(node).strip(self._sigils)
        if self._scoped is not None and (scope := self._scoped.match(name)):
            name = name[scope.end() :]
        return name.partition("=")[0] if node.type == "word" else name  # bash: `alias ll=ls`

    def container_name(self, capture: Capture) -> str:
        """The names of the definitions around a captured one, joined by dots: ``App.Server``.

        Type parameters are left out.
        """
        return ".".join([_GENERIC.sub("", self.source_of_node(node)) for node in capture.container])

    def _reference(self, kind: str, nodes: list[Node]) -> None:
        references = self._references
        for node in nodes:
            start = node.start_byte
            name = self.data[start : node.end_byte].decode("utf-8", "replace")
            if name and len(name) <= NAME:
                key = (name, kind, node.start_point[0] + 1)
                known = references.get(key)
                if known is None or (known, False) in self._found:
                    references[key] = start
                if kind != "type":
                    self._uses[kind, key[2], receiver_before_name(self.data, start), name] = start

    def _definition(
        self, pattern: int, kind: str, node: Node, captures: Nodes, global_: bool = False
    ) -> None:
        for name in captures.get("name", ()):
            key = (name.start_byte, not kind)
            before = self._found.get(key)
            if before and before[0] <= pattern and (before[0] < pattern or before[1].body):
                continue
            found = Capture(kind, node, name, captures, global_)
            if "rest" in captures:
                found.stop = len(self.data)
            self._found[key] = (pattern, found)

    def _omit(self, pattern: int, nodes: list[Node], captures: Nodes) -> None:
        self._definition(pattern, _OMITTED, nodes[0], captures)

    def _scope(self, pattern: int, nodes: list[Node], captures: Nodes) -> None:
        self._definition(pattern, "", nodes[0], captures)

    def _import(self, _pattern: int, nodes: list[Node], captures: Nodes) -> None:
        modules = captures.get("module", ())
        if not modules:
            return
        start, stop = modules[0].start_byte, modules[-1].end_byte
        known = self.imports.get(start)
        if known is None:
            words = self.data[start:stop].decode("utf-8", "replace").strip(_QUOTES + "<> \r\n\t")
            known = self.imports[start] = (words[:NAME], [], nodes[0].start_point[0] + 1)
            self.times[start] = import_time.kind_of_import(self.grammar, nodes[0])
        span = (nodes[0].start_byte, nodes[0].end_byte)
        before = self.statements.get(start, span)
        self.statements[start] = (min(span[0], before[0]), max(span[1], before[1]))
        for node in captures.get("imported", ()):
            name = self.name_in_node(node)
            if name and name not in known[1]:
                known[1].append(name)

    def _comment(self, _pattern: int, nodes: list[Node], captures: Nodes) -> None:
        for node in nodes:
            self.remarks.append((node.start_byte, node.end_byte))
            row, column = node.start_point
            begin = self.data[node.start_byte - column : node.start_byte]
            if column and begin.strip(b" \t\xef\xbb\xbf"):
                continue  # it follows code, which it explains
            last, after = node.end_point
            last -= bool(last > row and not after)  # some grammars count the line end in
            self.comments.setdefault(last, (row, self._words(node, captures)))

    def _docstring(self, _pattern: int, nodes: list[Node], captures: Nodes) -> None:
        self.docstrings.setdefault(nodes[0].start_byte, self._words(nodes[0], captures))

    def _words(self, node: Node, captures: Nodes) -> str:
        inside = captures.get("text")
        first = inside[0].start_byte if inside else node.start_byte
        last = inside[-1].end_byte if inside else node.end_byte
        return self.data[first : min(last, first + 2000)].decode("utf-8", "replace")

    def _attached(self, _pattern: int, nodes: list[Node], _captures: Nodes) -> None:
        for node in nodes:
            first, last = node.start_point[0], node.end_point
            row = last[0] - bool(last[0] > first and not last[1])
            # Alone on its last line it belongs to the next one, else to what follows there.
            end = self.data.find(b"\n", node.end_byte)
            alone = (
                row < last[0] or not self.data[node.end_byte : end if end >= 0 else None].strip()
            )
            known = self.attached.get(row, (first, node.start_byte, alone))
            self.attached[row] = (
                min(first, known[0]),
                min(node.start_byte, known[1]),
                alone or known[2],
            )
            self.skipped[node.start_byte] = node.end_byte

    def _exported(self, _pattern: int, nodes: list[Node], _captures: Nodes) -> None:
        self.marks.exported.update([(node.start_byte, node.end_byte) for node in nodes])

    def _private(self, _pattern: int, nodes: list[Node], _captures: Nodes) -> None:
        self.marks.private.update([(node.start_byte, node.end_byte) for node in nodes])

    def _exported_name(self, _pattern: int, nodes: list[Node], _captures: Nodes) -> None:
        self.marks.names.update([self.name_in_node(node) for node in nodes])


_TAKERS: dict[str, Callable[[Captures, int, list[Node], Nodes], None]] = {
    "omit": Captures._omit,
    "scope": Captures._scope,
    "import": Captures._import,
    "comment": Captures._comment,
    "docstring": Captures._docstring,
    "attached": Captures._attached,
    "exported": Captures._exported,
    "private": Captures._private,
    "exported.name": Captures._exported_name,
}


class ExportMarks:
    """Which definitions of a file the query for its language marked as exported or private.

    ``exported`` and ``private`` are (first byte, end) of definitions, ``names`` the exported names.
    """

    __slots__ = ("exported", "names", "private")

    def __init__(self) -> None:
        self.exported: set[tuple[int, int]] = set()  # spans of nodes
        self.private: set[tuple[int, int]] = set()
        self.names: set[str] = set()

    def is_exported(
        self,
        export_rule: str,
        name: str,
        byte_span: tuple[int, int],
        is_nested: bool,
        is_outer_exported: bool,
    ) -> bool:
        """Whether other files can see a definition, by the marks or else by the language's rule.

        ``export_rule`` is ``Language.exports``: open (all are exported), capital or underscore (by
        the first letter), listed or inherited. ``byte_span`` is the (first byte, end) of the
        definition. ``is_nested``: it is inside another one, which is exported if
        ``is_outer_exported``.
        """
        if byte_span in self.private:
            return False
        if byte_span in self.exported or (name in self.names and not is_nested):
            return True
        if export_rule == "underscore":
            hidden = name.startswith("_") and not name.endswith("__")
            return not hidden and (is_nested or not self.names)
        if export_rule == "capital":
            return name[0].isupper()
        if export_rule == "listed":
            return is_nested or not self.names
        return export_rule == "open" or (
            is_nested and is_outer_exported and export_rule == "inherited"
        )
