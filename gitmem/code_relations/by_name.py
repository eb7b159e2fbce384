"""Finding places that may refer to a definition by its name, where the graph has no edge.

Places with an edge are known and left out. So are places that cannot refer to it: lines outside of
a local definition's scope, the definitions themselves, comments.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from re import Pattern, compile, escape

from gitmem import languages
from gitmem.app import App
from gitmem.code_relations.graph_target import qualified_symbol_name
from gitmem.git import listing
from gitmem.graph.source_file import CALLABLE, CLASSES
from gitmem.languages import registry
from gitmem.languages.index import FAMILY
from gitmem.model.frozen import dataclass
from gitmem.store.code import graph_reads, indexed_files, literal_search, symbols
from gitmem.store.code.symbols import Symbol
from gitmem.text.quantity import quantity

KINDS = ("call", "decorator", "inherit", "type")
# Lines and pieces of files that are looked at for one name.
MOST = 2_000
# Files that are not indexed and are read for one name.
MOST_UNREAD = 20
# How sure it is that a name means the definition: named where that is defined or imported, and a
# call of the same name on something unknown, shared among all definitions of that name.
_NEAR, _THROUGH, _SAME_NAME, _WORD = 0.9, 0.5, 0.4, 0.3
KNOWN = 0.7
SAME_NAME = "a call of the same name; what it is called on is not known"
_EVIDENCE = {"call": SAME_NAME, "decorator": SAME_NAME, "word": "the name alone"}
# Lines that show a name to other files.
_EXPORTS = compile(r"\s*(?:export\s*(?:type\s*)?\{|__all__\b|module\.exports\b|exports\.)")
_WORDS = compile(r"\w+")


@dataclass(frozen=True, slots=True)
class NameOccurrence:
    """A line that contains a name of a definition.

    ``kind`` is how the name is used there: call, type, inherit, decorator, else ``word``.
    ``confidence`` (0 to 1) is how surely that definition is meant, ``evidence`` why.
    """

    path: str
    line: int
    kind: str
    confidence: float
    evidence: str


@dataclass(frozen=True, slots=True)
class UnknownUses:
    """Possible uses of a definition, found by name: numbers of ``calls`` and other ``mentions``.

    ``files`` counts the files of both, ``first`` has some places as ``path:line``; ``more``: the
    search stopped early. ``unresolved``: languages whose imports and calls are not resolved.
    """

    calls: int
    mentions: int
    files: int
    first: tuple[str, ...]
    more: bool
    unresolved: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.calls or self.mentions or self.unresolved)


@dataclass(frozen=True, slots=True)
class NameOccurrences:
    """The places that name something, the surest first.

    ``more``: the search stopped before it had looked at all of them.
    """

    occurrences: tuple[NameOccurrence, ...]
    more: bool

    @property
    def sure_occurrences(self) -> list[NameOccurrence]:
        """The places that surely refer to the definition, with a confidence of 0.7 or more."""
        return [place for place in self.occurrences if place.confidence >= KNOWN]

    def combined_with(self, other: "NameOccurrences") -> "NameOccurrences":
        """The occurrences of this result and of ``other`` as one NameOccurrences."""
        return NameOccurrences((*self.occurrences, *other.occurrences), self.more or other.more)


def count_possible_uses(
    occurrences: NameOccurrences, unresolved_languages: tuple[str, ...] = ()
) -> UnknownUses:
    """How many places may use a definition, or may use something else of its name, as UnknownUses.

    These are the occurrences with a confidence below 0.7; ``unresolved_languages`` are names of
    languages.
    """
    hidden = [place for place in occurrences.occurrences if place.confidence < KNOWN]
    calls = sum(place.kind in ("call", "decorator") for place in hidden)
    return UnknownUses(
        calls,
        len(hidden) - calls,
        len({place.path for place in hidden}),
        tuple(f"{place.path}:{place.line}" for place in hidden[:5]),
        occurrences.more,
        unresolved_languages,
    )


def describe_possible_uses(
    uses: UnknownUses, calls_phrase: str = "calls of something of this name"
) -> str:
    """A sentence on the possible uses, with their number and some places; "" if none.

    ``calls_phrase`` is what it says for calls.
    """
    parts = []
    if uses.calls:
        parts.append(f"{calls_phrase}, {quantity(uses.calls, 'place')}")
    if uses.mentions:
        parts.append(f"the name otherwise (a value, a text), {quantity(uses.mentions, 'place')}")
    if not parts:
        return ""
    least = "at least " if uses.more else ""
    where = f"{least}{quantity(uses.files, 'file')}: {', '.join(uses.first)}"
    return f"unknown: {'; '.join(parts)}, in {where}"


def find_name_occurrences(app: App, definitions: Sequence[Symbol]) -> NameOccurrences:
    """The places that may refer to some definitions by name (NameOccurrences), surest first."""
    found: list[NameOccurrence] = []
    more = False
    for name in dict.fromkeys(symbol.name for symbol in definitions):
        places, cut = _NameSearch(
            app, name, [symbol for symbol in definitions if symbol.name == name]
        ).places()
        found += places
        more = more or cut
    found.sort(key=lambda place: (-place.confidence, place.path, place.line))
    return NameOccurrences(tuple(found), more)


def find_occurrences_of_file_names(
    app: App, path: str, excluded_paths: Collection[str]
) -> NameOccurrences:
    """The places that call, or name as a type, a name that only this file defines.

    They are NameOccurrences. Left out are the files in ``excluded_paths``, which are known to use
    it, and files that import the name from elsewhere.
    """
    store, tree = app.store, app.worktree
    defined = symbols.symbols_of_path(store, tree, path)
    family = _family(symbol.language for symbol in defined)
    names = symbols.names_defined_once(store, tree, {symbol.name for symbol in defined})
    found: list[NameOccurrence] = []
    taking: dict[str, Collection[str]] = {}
    for reference in symbols.mentions_of_names(store, tree, names, KINDS, MOST):
        if (
            reference.path == path
            or reference.path in excluded_paths
            or languages.language(reference.path) not in family
        ):
            continue
        if reference.name not in taking:
            taking[reference.name] = symbols.files_importing_name(store, tree, reference.name)
        if reference.path in taking[reference.name]:
            continue
        evidence = _EVIDENCE.get(reference.kind, "something of the same name")
        found += [
            NameOccurrence(reference.path, line, reference.kind, _SAME_NAME, evidence)
            for line in reference.lines
        ]
    return NameOccurrences(tuple(found), len(found) >= MOST)


class _NameSearch:
    """What is known of one name in a worktree, to judge its places."""

    def __init__(self, app: App, name: str, defined: Sequence[Symbol]) -> None:
        self.app = app
        self.name = name
        self.defined = defined
        self.every = symbols.definitions_by_name(app.store, app.worktree, name, MOST)
        self.in_file: dict[str, list[Symbol]] = {}
        for symbol in self.every:
            self.in_file.setdefault(symbol.path, []).append(symbol)
        self.share = len({(symbol.path, symbol.container) for symbol in self.every}) or 1
        self.edges = graph_reads.edges_to_name(app.store, app.worktree, name)
        ends = {(symbol.path, qualified_symbol_name(symbol)) for symbol in defined}
        # Files that import the definition by its name, or a file that holds it.
        self.importing = {path for path, _, kind, end in self.edges if kind and end in ends}
        kin = self._kin()
        self.lines = {(path, line) for path, line, _, end in self.edges if end not in kin}
        self.through = {(path, line) for path, line, _, end in self.edges if end in kin}
        self.family = _family(symbol.language for symbol in defined)
        self.word: Pattern[str] = compile(rf"(?<![\w$]){escape(name)}(?![\w$])")
        stems = {stem for symbol in defined for stem in _stems(symbol.path)}
        self.taking = {
            path
            for path, modules in symbols.files_importing_name(app.store, app.worktree, name).items()
            if path not in self.importing
            and not any(stems & set(_WORDS.findall(module)) for module in modules)
        }
        self._holders: dict[Symbol, Symbol | None] = {}
        self.members = all(map(self._is_member, defined))

    def places(self) -> tuple[list[NameOccurrence], bool]:
        """(all places with the name, whether the search stopped early)."""
        store, tree = self.app.store, self.app.worktree
        mentioned = symbols.mentions_of_name(store, tree, self.name, KINDS, MOST)
        kinds = {
            (reference.path, line): reference.kind
            for reference in sorted(
                mentioned, key=lambda reference: KINDS.index(reference.kind), reverse=True
            )
            for line in reference.lines
        }
        found: list[NameOccurrence] = []
        count = 0
        headed: set[Symbol] = set()
        for piece in literal_search.chunks_with_word(store, tree, self.name, MOST):
            count += 1
            if piece.language not in self.family:
                continue
            for line, text in enumerate(piece.text.split("\n"), piece.start_line):
                for match in self.word.finditer(text):
                    kind = kinds.get((piece.path, line), "word")
                    place = self._place(piece.path, line, kind, text, match.start(), headed)
                    if place is not None:
                        found.append(place)
                        break
        found += self._unread()
        return found, count >= MOST or len(mentioned) >= MOST

    def _unread(self) -> Iterator[NameOccurrence]:
        """Places in files that are never indexed, such as generated ones."""
        app = self.app
        for path in indexed_files.paths_refused_by_indexer(
            app.store, app.worktree, self.family, MOST_UNREAD
        ):
            if any(self._reaches(symbol, path, 1) for symbol in self.defined):
                text = (listing.read_worktree_file(app.worktree, path) or b"").decode(
                    "utf-8", "replace"
                )
                if found := self.word.search(text):
                    line = text.count("\n", 0, found.start()) + 1
                    yield NameOccurrence(path, line, "word", _WORD, "in a file that is not indexed")

    def _kin(self) -> set[tuple[str, str]]:
        """Members of this name in the base classes of the owners: a call of these may mean ours."""
        owners = [(symbol.path, symbol.container) for symbol in self.defined if symbol.container]
        front = graph_reads.nodes_by_name(self.app.store, self.app.worktree, owners)
        visited = {node.id for node in front}
        found: set[tuple[str, str]] = set()
        while front:
            links = graph_reads.outgoing_edges(
                self.app.store, [node.id for node in front], ("inherit",)
            )
            above = {link.target for link in links} - visited
            visited |= above
            front = list(graph_reads.nodes_by_id(self.app.store, above).values())
            found |= {(node.path, f"{node.name}.{self.name}") for node in front}
        return found - {(symbol.path, qualified_symbol_name(symbol)) for symbol in self.defined}

    def _place(
        self, path: str, line: int, kind: str, text: str, at: int, headed: set[Symbol]
    ) -> NameOccurrence | None:
        if (path, line) in self.lines or self._defines(path, line, headed):
            return None
        language = languages.language(path)
        if kind == "word" and text.lstrip().startswith(
            registry.language_properties(language).comments
        ):
            return None
        before = text[:at].rstrip()[-1:]
        bare = before not in (".", ":", ">", "'", '"', "`")
        if bare and (path in self.taking or self._means_another(path, line)):
            return None
        reached = [symbol for symbol in self.defined if self._reaches(symbol, path, line)]
        if not reached or (
            bare and self.members and registry.language_properties(language).qualified
        ):
            return None
        own = any(symbol.path == path for symbol in reached)
        if own and kind == "word" and _EXPORTS.match(text):
            return None
        if (path, line) in self.through:
            return NameOccurrence(
                path, line, "call", _THROUGH, "a call through a base or an interface"
            )
        if kind == "word":
            return NameOccurrence(path, line, kind, _WORD, _EVIDENCE[kind])
        if (own or path in self.importing) and not self.members and bare:
            where = "in its own file" if own else "where it is imported"
            return NameOccurrence(path, line, kind, _NEAR, f"named {where}")
        evidence = _EVIDENCE.get(kind, "something of the same name")
        return NameOccurrence(path, line, kind, round(_SAME_NAME / self.share, 3), evidence)

    def _defines(self, path: str, line: int, headed: set[Symbol]) -> bool:
        """Whether a line begins a definition of this name, or is inside a requested one."""
        for symbol in self.in_file.get(path, ()):
            if symbol.start_line <= line <= symbol.end_line:
                if symbol not in headed:
                    headed.add(symbol)
                    return True
                if symbol in self.defined:
                    return True
        return False

    def _holder(self, symbol: Symbol) -> Symbol | None:
        """The definition around another, None where there is none."""
        if symbol.container and symbol not in self._holders:
            there = symbols.symbols_of_path(self.app.store, self.app.worktree, symbol.path)
            around = [
                each
                for each in there
                if each.start_line <= symbol.start_line
                and symbol.end_line <= each.end_line
                and qualified_symbol_name(each) == symbol.container
            ]
            self._holders[symbol] = around[-1] if around else None
        return self._holders.get(symbol)

    def _around(self, symbol: Symbol) -> tuple[int, int] | None:
        """The first and last line of a local definition's scope, None where it is not local."""
        holder = self._holder(symbol)
        local = holder is not None and holder.kind in CALLABLE
        return (holder.start_line, holder.end_line) if holder and local else None

    def _is_member(self, symbol: Symbol) -> bool:
        """Whether a definition is a member, used as ``owner.name``."""
        holder = self._holder(symbol)
        inside = holder is None or holder.kind in CLASSES
        return bool(symbol.container) and symbol.kind not in CLASSES and inside

    def _reaches(self, symbol: Symbol, path: str, line: int) -> bool:
        """Whether a definition is in scope in a line."""
        if span := self._around(symbol):
            return path == symbol.path and span[0] <= line <= span[1]
        if symbol.exported or symbol.container:
            return True
        if symbol.language == "typescript":
            return path == symbol.path
        if symbol.language == "go":
            return path.rpartition("/")[0] == symbol.path.rpartition("/")[0]
        return True

    def _means_another(self, path: str, line: int) -> bool:
        """Whether the bare name means another definition there: a local one, or one of the file."""
        for symbol in self.in_file.get(path, ()):
            if symbol in self.defined:
                continue
            if span := self._around(symbol):
                if span[0] <= line <= span[1]:
                    return True
            elif not symbol.container and not any(mine.path == path for mine in self.defined):
                return True
        return False


def _family(spoken: Iterable[str]) -> frozenset[str]:
    found = frozenset(spoken)
    families = {FAMILY[name] for name in found if name in FAMILY}
    return found.union(name for name, family in FAMILY.items() if family in families)


def _stems(path: str) -> tuple[str, ...]:
    """The names by which a file may be imported: its own, and that of its folder."""
    folder, _, name = path.rpartition("/")
    return name.partition(".")[0], folder.rpartition("/")[2]
