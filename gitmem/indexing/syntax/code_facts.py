"""Facts about the lines of a code file: calls, names, imports, handlers, literals.

``extract`` finds what a file defines; a fact is a single use inside it. Any bytes are fine: what
cannot be read gives no facts.
"""

from __future__ import annotations

import re
from time import process_time

from gitmem.indexing.syntax import extract, fact_nodes, grammars
from gitmem.indexing.syntax.fact_nodes import COMMENTS
from gitmem.languages import registry
from gitmem.languages.import_nodes import STRINGS
from gitmem.model.frozen import dataclass, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Node

    from gitmem.languages.record import Language

# Characters stored of a text, and of arguments.
LONGEST = 400
# Nodes of one file that are looked at: about 400 KB of code.
MOST_NODES = 600_000
_CHAIN = re.compile(r"[\w$@#]+!?(?:(?:\?\.|!?\.|::|->)[\w$#]+!?)*")
_LINKS = re.compile(r"\?\.|!?\.|::|->")
_LAST = re.compile(r"(?:\?\.|!?\.|::|->)([\w$#]+!?)$")
_GENERIC = re.compile(r"(?:::)?<[^()]*>$")
_NOTHING = frozenset(("pass_statement", "ellipsis", "empty_statement"))
_LONGEST = 400


@dataclass(frozen=True, slots=True)
class CodeFact:
    """A call, name, literal or handler in a line of code.

    ``kind`` is call, name, type, import, string, comment, number, handler, await, or the type of a
    node that was asked for. ``path`` is what is called or used (``("console", "log")``, with "" for
    a part that is not a name), ``full`` the same with names as they were before an import renamed
    them. ``text`` holds the arguments of a call, or the literal. ``inside`` names what encloses the
    fact; ``function`` is the first byte of the innermost function around it, -1 outside all
    functions. ``made``: an instance is created, as in `new Date()`; ``empty``: a handler that
    neither does anything nor has a comment that says why. Lines count from 1.
    """

    kind: str
    line: int
    path: tuple[str, ...] = ()
    full: tuple[str, ...] = ()
    text: str = ""
    inside: frozenset[str] = frozenset()
    function: int = -1
    made: bool = False
    empty: bool = False


@dataclass(frozen=True, slots=True)
class CodeFacts:
    """The facts (calls, names, literals, handlers) of a file, in the order of the file.

    ``errors``: parts of it could not be parsed.
    """

    facts: tuple[CodeFact, ...]
    errors: bool


def read_code_facts(
    language: str,
    path: str,
    data: bytes,
    extra_node_types: frozenset[str] = frozenset(),
    cpu_clock: Callable[[], float] = process_time,
) -> CodeFacts | None:
    """The CodeFacts of a file; None without a grammar.

    Also None for a file over 400 KB, and after two seconds by ``cpu_clock``. ``extra_node_types``
    are types of syntax nodes to report besides the usual ones.
    """
    name = grammars.grammar_name(path, language, data)
    tree = extract.parse_syntax_tree(name, data, cpu_clock)
    if tree is None:
        return None
    walk = _FactWalk(name, extra_node_types)
    walk.visit_nodes(tree.root_node)
    return CodeFacts(tuple(walk.facts()), tree.root_node.has_error)


def node_type_exists(language: str, node_type: str) -> bool:
    """Whether the grammar of a language has a named node of this type."""
    grammar = grammars.load_grammar(language)
    return grammar is not None and grammar.id_for_node_kind(node_type, True) is not None


def split_name_chain(text: str) -> tuple[str, ...]:
    """The names in a chain such as ``a.b``, ``a::b``, ``a?.b`` or ``a->b``.

    A part before the last name that is not a name, such as a call, becomes "".
    """
    bare = _GENERIC.sub("", "".join(text.split()).removeprefix("await"))
    if _CHAIN.fullmatch(bare):
        return tuple(_LINKS.split(bare))
    last = _LAST.search(bare)
    return ("", last[1]) if last else ("",)


class _FactWalk:
    """One pass over a tree."""

    def __init__(self, grammar: str, nodes: frozenset[str]) -> None:
        self._wanted = nodes
        self._language = language = registry.language_properties(grammar)
        self._calls, self._members = language.calls, language.members
        self._imports = language.imports if language.imported else frozenset()
        self._found: list[tuple[int, CodeFact]] = []
        self._locals: dict[str, tuple[str, ...]] = {}

    def visit_nodes(self, root: Node) -> None:
        """Collect the facts of all nodes below ``root``, outer nodes before inner ones."""
        # A node, what it is in, its innermost function, whether its chain was noted already.
        todo: list[tuple[Node, frozenset[str], int, bool]] = [(root, frozenset(), -1, False)]
        for _ in range(MOST_NODES):
            if not todo:
                return
            node, inside, function, chained = todo.pop()
            chain = self._look(node, inside, function, chained)
            kind = fact_nodes.CONTEXTS.get(node.type, "")
            if kind == "function":
                function = node.start_byte
                inside = (inside - {"async", "try", "handler", "loop"}) | {kind}
                inside |= {"async"} if _is_async(node) else set()
            elif kind == "try":
                self._try(node, inside, function, todo)
                continue
            elif kind:
                inside |= {kind}
            for child in node.children:
                todo.append((child, inside, function, chain))

    def facts(self) -> list[CodeFact]:
        """The collected facts in order of the file; renamed imports have their original names."""
        self._found.sort(key=lambda pair: pair[0])
        return [self._resolved(fact) for _, fact in self._found]

    def _try(
        self,
        node: Node,
        inside: frozenset[str],
        function: int,
        todo: list[tuple[Node, frozenset[str], int, bool]],
    ) -> None:
        """Only the body is tried: an error in a handler is caught by nobody."""
        body = node.child_by_field_name("body")
        for child in node.children:
            own = inside | {"try"} if body is not None and child.id == body.id else inside
            todo.append((child, own, function, False))

    def _look(self, node: Node, inside: frozenset[str], function: int, chained: bool) -> bool:
        """Note what a node is; whether the chain of names below it is noted with it."""
        kind = node.type
        if kind in self._calls:
            self._call(node, inside, function)
            return False
        if kind in self._members:
            if not chained:
                self._add("name", node, inside, function, split_name_chain(_text(node)))
            return True
        if kind in self._imports:
            self._take(node, inside, function)
        elif kind in fact_nodes.TYPES:
            self._add("type", node, inside, function, split_name_chain(_text(node)))
        elif kind in fact_nodes.AWAITS and node.is_named:
            self._add("await", node, inside, function)
        elif kind == "token_tree":
            self._macro_body(node, inside, function)
        elif fact_nodes.CONTEXTS.get(kind) == "handler":
            self._add("handler", node, inside, function, empty=is_exception_handler_empty(node))
        else:
            self._literal(node, kind, inside, function)
        if kind in self._wanted:
            self._found.append(
                (
                    node.start_byte,
                    CodeFact(kind, _line(node), text=_text(node), inside=inside, function=function),
                )
            )
        return False

    def _literal(self, node: Node, kind: str, inside: frozenset[str], function: int) -> None:
        if not node.is_named:
            return
        for name, kinds in _LITERALS:
            if kind in kinds:
                self._add(name, node, inside, function, text=_text(node))
        if kind in self._language.errors and is_error_branch(node, self._language):
            empty = is_error_branch_empty(node)
            self._add("handler", node, inside, function, empty=empty)

    def _call(self, node: Node, inside: frozenset[str], function: int) -> None:
        fields = self._calls[node.type]
        parts = [part for name in fields if (part := node.child_by_field_name(name)) is not None]
        text = ".".join(_text(part) for part in parts) if fields else _text(node)
        path = split_name_chain(text)
        if node.type == "macro_invocation":
            path = (*path[:-1], path[-1] + "!")
        elif node.type == "command":
            path = (text,)
        arguments = node.child_by_field_name("arguments")
        made = node.type in fact_nodes.CREATIONS
        given = _text(arguments) if arguments is not None else ""
        # Of a chain over several lines the line of the name that is called.
        line = parts[-1].end_point[0] + 1 if parts else _line(node)
        self._add("call", node, inside, function, path, given, made, line=line)
        if path == ("require",) and self._language.exports_alone:
            self._take(node, inside, function)

    def _macro_body(self, node: Node, inside: frozenset[str], function: int) -> None:
        """Calls in what a Rust macro is given: it is parsed as tokens only."""
        children = node.children
        for place, child in enumerate(children):
            if child.type != "token_tree" or not place or (child.text or b"")[:1] != b"(":
                continue
            first, parts = place - 1, [_text(children[place - 1])]
            macro = parts[0] == "!" and first > 0
            if macro:
                first, parts = first - 1, [_text(children[first - 1]) + "!"]
            if children[first].type not in ("identifier", "self"):
                continue
            while first > 1 and children[first - 1].type in (".", "::"):
                before = children[first - 2]
                parts.insert(0, _text(before) if before.type in ("identifier", "self") else "")
                first -= 2
            self._add("call", children[first], inside, function, tuple(parts), _text(child))

    def _take(self, node: Node, inside: frozenset[str], function: int) -> None:
        """Note what an import takes in: so that `run()` is known for `os.system`."""
        read = self._language.imported
        for module, name, local in read(node) if read else ():
            self._add("import", node, inside, function, (module, name), local)
            if local:
                bare, origin = module.removeprefix("node:"), self._language.origin
                own = (name,) if name else ()
                self._locals[local] = (
                    origin(bare, name) if origin else (*split_name_chain(bare), *own)
                )

    def _add(
        self,
        kind: str,
        node: Node,
        inside: frozenset[str],
        function: int,
        path: tuple[str, ...] = (),
        text: str = "",
        made: bool = False,
        empty: bool = False,
        line: int = 0,
    ) -> None:
        fact = CodeFact(kind, line or _line(node), path, path, text, inside, function, made, empty)
        self._found.append((node.start_byte, fact))

    def _resolved(self, fact: CodeFact) -> CodeFact:
        if fact.kind == "import" or not fact.path or fact.path[0] not in self._locals:
            return fact
        full = (*self._locals[fact.path[0]], *fact.path[1:])
        return replace(fact, full=full)


_LITERALS = (
    ("string", STRINGS),
    ("comment", fact_nodes.COMMENTS),
    ("number", fact_nodes.NUMBERS),
)


def _is_async(node: Node) -> bool:
    return any(
        child.type == "async"
        or (child.type == "function_modifiers" and b"async" in (child.text or b""))
        for child in node.children[:3]
    )


def _line(node: Node) -> int:
    return node.start_point[0] + 1


def _text(node: Node) -> str:
    return (node.text or b"")[: LONGEST * 4].decode("utf-8", "replace")[:LONGEST]


def is_exception_handler_empty(handler: Node) -> bool:
    """Whether a `catch` or `except` has no statement, and no comment that says why."""
    body = handler.child_by_field_name("body")
    if body is None:
        body = handler.named_children[-1] if handler.named_children else None
    if body is None:
        return False
    return _is_empty(body) and not any(child.type in COMMENTS for child in handler.children)


def is_error_branch(node: Node, language: Language) -> bool:
    """Whether a node is a branch taken on an error: `if err != nil` in Go, `Err(_) =>` in Rust."""
    field, error = language.errors[node.type]
    value = node.child_by_field_name(field)
    return value is not None and bool(re.match(error, _bare(value)))


def is_error_branch_empty(node: Node) -> bool:
    """Whether the block run on an error (see ``is_error_branch``) has no statement."""
    for field in ("consequence", "value"):
        body = node.child_by_field_name(field)
        if body is not None:
            return (body.type == "block" and _is_empty(body)) or body.type == "unit_expression"
    return False


def _is_empty(body: Node) -> bool:
    for child in body.named_children:
        statement = child.type == "expression_statement" and child.named_children
        inner = child.named_children[0] if statement else child
        if inner.type not in _NOTHING:
            return False
    return body.type.endswith("block") or body.type in _NOTHING


def _bare(node: Node) -> str:
    text = (node.text or b"")[:_LONGEST].decode("utf-8", "replace")
    return "".join(text.split())
