"""One file as the code graph sees it: its definitions, and the bindings of its names."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence

from gitmem.graph.values import IMPORTS, Definition
from gitmem.languages import registry

# (line, kind, three texts): see ``indexing.syntax.values``.
Use = tuple[int, str, str, str, str]
# Definitions that a line stands in at most: packed code has thousands in one line.
DEEPEST = 50
_SPACES = frozenset({"module", "namespace"})
CLASSES = frozenset(
    {
        "annotation",
        "class",
        "enum",
        "interface",
        "impl",
        "mixin",
        "object",
        "protocol",
        "record",
        "struct",
        "trait",
        "type",
        "union",
    }
)
CALLABLE = frozenset({"constructor", "function", "macro", "method", "test"})


class SourceFile:
    """A file for the code graph: its definitions, and the names that it uses and binds.

    ``uses`` are (line, kind, three texts), see ``indexing.syntax.values.Use``.
    """

    def __init__(
        self, path: str, language: str, definitions: Iterable[Definition], uses: Iterable[Use]
    ) -> None:
        self.path = path
        self.language = language
        self.rules = registry.language_properties(language)
        self.folder = path.rpartition("/")[0]
        self.definitions = sorted(
            definitions, key=lambda definition: (definition.start, -definition.end)
        )
        self.calls: list[Use] = []
        self.chains: dict[int, list[Use]] = {}  # line -> calls on what a call gives
        self.bases: dict[int, list[Use]] = {}
        self.imports: list[Use] = []
        self.here: dict[str, list[tuple[str, str]]] = {}  # name here -> (module, name there)
        self.everything: list[str] = []  # modules of which all names are taken
        self.exports: dict[str, str] = {}  # name for others -> name here, as scripts list them
        self.bound: dict[str, list[Use]] = {}
        self.tops: dict[str, list[Definition]] = {}
        self.members: dict[str, dict[str, list[Definition]]] = {}
        self._based: dict[str, list[Use]] | None = None
        self._blocks: list[tuple[Definition, int]] = []  # with the place of what is around
        self._starts: list[int] = []
        # Line -> ``scope``: a name is looked up once for each of its calls.
        self._scopes: dict[int, tuple[int, bool]] = {}
        self._sort()
        self.packages = [
            definition.name for definition in self.definitions if self._is_clause(definition)
        ]
        for use in uses:
            self._take(use)

    def _take(self, use: Use) -> None:
        line, kind, first, second, here = use
        if self.rules.paths and first.startswith("super"):
            first = self._from_file(line, first)
            if kind == "call":  # there `self` is a value
                first = first.removeprefix("self").removeprefix(".")
            use = (line, kind, first, second, here)
        if kind in ("call", "decorator"):
            self.calls.append(use)
            if first.endswith("()"):
                self.chains.setdefault(line, []).append(use)
        elif kind == "inherit":
            self.bases.setdefault(line, []).append(use)
        elif kind in IMPORTS:
            self.imports.append(use)
            if second in ("*", "static *"):
                self.everything.append(first)
            elif here:
                self.here.setdefault(here, []).append((first, second))
        elif kind == "export":
            self.exports[first] = second
        else:
            self.bound.setdefault(first, []).append(use)

    def _from_file(self, line: int, path: str) -> str:
        """A path of Rust as the file itself would say it: ``super`` leaves inline modules first."""
        steps = path.replace("::", ".").split(".")
        supers = next((at for at, step in enumerate(steps) if step != "super"), len(steps))
        inline = sum(definition.kind == "module" for definition in self.enclosing_definitions(line))
        own = ["self"] if supers and supers <= inline else []
        return ".".join([*own, *steps[min(supers, inline) :]])

    def _sort(self) -> None:
        spaces = {
            definition.qualified_name
            for definition in self.definitions
            if definition.kind in _SPACES
        }
        open_: list[int] = []
        for definition in self.definitions:
            if not definition.container or self._spaced(definition.container, spaces):
                self.tops.setdefault(definition.name, []).append(definition)
            if definition.container:
                self.members.setdefault(definition.container, {}).setdefault(
                    definition.name, []
                ).append(definition)
            if (
                definition.kind in CLASSES
                or definition.kind in CALLABLE
                or definition.end > definition.start
            ):
                while open_ and self._blocks[open_[-1]][0].end < definition.start:
                    open_.pop()
                self._blocks.append((definition, open_[-1] if open_ else -1))
                open_.append(len(self._blocks) - 1)
        self._starts = [definition.start for definition, _ in self._blocks]

    @staticmethod
    def _is_clause(definition: Definition) -> bool:
        """Whether a namespace is a clause without a body, for what follows, as in Scala."""
        return (
            definition.kind == "namespace"
            and not definition.container
            and definition.start == definition.end
        )

    def namespace_of(self, definition: Definition) -> str:
        """The namespace of a top-level definition, such as ``Shop.Cart``; "" for the global one."""
        return definition.container or ".".join(self.packages)

    def namespaces(self) -> list[str]:
        """The namespaces whose names the file can use, innermost first, without the global one."""
        spaces = [
            definition.qualified_name
            for definition in self.definitions
            if definition.kind in _SPACES
        ]
        inner = [".".join(self.packages), *reversed(spaces)] if self.packages else reversed(spaces)
        found: dict[str, None] = {}
        for space in inner:
            while space:
                found[space] = None
                space = space.rpartition(".")[0]
        return list(found)

    @staticmethod
    def _spaced(container: str, spaces: set[str]) -> bool:
        """Whether a container consists of namespaces only."""
        return container in spaces

    def enclosing_definitions(self, line: int) -> list[Definition]:
        """The definitions (classes, functions ...) around a line, the innermost first."""
        return [self._blocks[at][0] for at in self._numbers(line)]

    def _numbers(self, line: int) -> list[int]:
        at = bisect_right(self._starts, line) - 1
        found: list[int] = []
        while at >= 0 and len(found) < DEEPEST:
            definition, above = self._blocks[at]
            if definition.end >= line:
                found.append(at)
            at = above
        return found

    def enclosing_function_numbers(self, line: int) -> list[int]:
        """Numbers that identify the functions around a line, the innermost first."""
        return [at for at in self._numbers(line) if self._blocks[at][0].kind in CALLABLE]

    def function_scope_of_line(self, line: int) -> tuple[int, bool]:
        """(number of the innermost function around a line, -1: none; whether a class is around it).

        The latter is only said outside functions.
        """
        known = self._scopes.get(line)
        if known is None:
            numbers, inner = self._numbers(line), self.enclosing_function_numbers(line)
            in_class = bool(numbers) and self._blocks[numbers[0]][0].kind in CLASSES
            known = (inner[0], False) if inner else (-1, in_class)
            self._scopes[line] = known
        return known

    def members_named(self, class_name: str, member_name: str) -> list[Definition]:
        """The members called ``member_name`` of a class ``class_name`` such as ``App.Server``."""
        return self.members.get(class_name, {}).get(member_name, [])

    def base_class_uses(self, definition: Definition) -> Sequence[Use]:
        """The base classes of a class, as (line, kind, receiver, name, "") where it names them."""
        if self._based is None:
            self._based = {}
            for line, uses in self.bases.items():
                holder = self.subclass_declared_at_line(line)
                if holder:
                    self._based.setdefault(holder, []).extend(uses)
        return self._based.get(definition.qualified_name, ())

    def subclass_declared_at_line(self, line: int) -> str:
        """The qualified name of the class that names a base class in this line, or ""."""
        for each in self.enclosing_definitions(line):
            if each.kind in CLASSES:
                return each.qualified_name
        # `impl Trait for Type` defines nothing itself: what stands in it belongs to the type.
        at = bisect_right(self._starts, line)
        return self._blocks[at][0].container if at < len(self._blocks) else ""
