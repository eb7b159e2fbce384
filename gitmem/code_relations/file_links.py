"""The files that a file imports and those that import it, with the imported names."""

from collections.abc import Iterable, Mapping

from gitmem import languages
from gitmem.app import App
from gitmem.code_relations.graph_target import GraphTarget
from gitmem.graph import import_words
from gitmem.graph.values import IMPORTS
from gitmem.languages import UNRESOLVED
from gitmem.model.frozen import dataclass
from gitmem.store.code import chunks, graph_reads, symbols
from gitmem.store.code.graph_reads import GraphEdge, GraphNode
from gitmem.store.code.symbols import Symbol

# How sure it is that an import means the file that it seems to name.
_WORDS, _BY_WORDS = 0.4, "by its words alone: imports of this language are not resolved"


@dataclass(frozen=True, slots=True)
class LinkedFile:
    """A file that imports another or is imported: its path, and the line and names of the import.

    A path with a slash at its end is a package. ``line`` is that of the first import, in the
    importing file. ``kind`` is import, or type-import or late-import where it is not needed to load
    the file. ``through`` is a file between the two that only passes the names on, else "".
    """

    path: str
    line: int
    names: tuple[str, ...]
    confidence: float
    evidence: str
    kind: str
    through: str = ""


def imports_of_file(app: App, path: str) -> list[LinkedFile]:
    """The files of the repository that a file imports, as LinkedFile values in order of lines.

    If gitmem does not resolve imports of the file's language, files are found by the words of the
    imports alone.
    """
    language = languages.language(path)
    if language in UNRESOLVED:
        return _by_words(app, path, language)
    start = graph_reads.nodes_by_name(app.store, app.worktree, [(path, "")])
    links = graph_reads.outgoing_edges(app.store, _ids(start), IMPORTS)
    ends = graph_reads.nodes_by_id(app.store, {link.target for link in links})
    direct = _direct(links, ends)
    return _by_file([(ends[link.target], ends[link.target].name, link) for link in links], direct)


def _direct(
    links: Iterable[GraphEdge], ends: Mapping[int, GraphNode]
) -> dict[tuple[int, int], list[str]]:
    """(file's node, line) -> the files that are imported there."""
    found: dict[tuple[int, int], list[str]] = {}
    for link in links:
        if not ends[link.target].name:
            found.setdefault((link.source, link.line), []).append(ends[link.target].path)
    return found


def _by_words(app: App, path: str, language: str) -> list[LinkedFile]:
    """The files of the same language that the imports of a file match by their words."""
    known = [
        known_path
        for known_path, spoken in chunks.paths_and_languages(app.store, app.worktree)
        if spoken == language
    ]
    found: dict[str, LinkedFile] = {}
    for taken in symbols.imports_of_file(app.store, app.worktree, path):
        for place in import_words.guess_imported_files(path, [(taken.module, taken.names)], known):
            found.setdefault(place, LinkedFile(place, taken.line, (), _WORDS, _BY_WORDS, "import"))
    return list(found.values())


def importers_of_file(app: App, target: GraphTarget) -> list[LinkedFile]:
    """The files that import the target's file, as LinkedFile values sorted by path."""
    language = languages.language(target.path)
    if language in UNRESOLVED:
        return _importing_by_words(app, target.path, language)
    nodes = {node.id: node for node in target.nodes}
    links = graph_reads.incoming_edges(app.store, list(nodes), IMPORTS)
    starts = graph_reads.nodes_by_id(app.store, {link.source for link in links})
    found = [(starts[link.source], nodes[link.target].name, link) for link in links]
    taken = graph_reads.outgoing_edges(app.store, list(starts), IMPORTS)
    ends = graph_reads.nodes_by_id(app.store, {link.target for link in taken})
    users = _by_file(found, _direct(taken, ends), nodes)
    return sorted(users, key=lambda link: link.path)


def _importing_by_words(app: App, path: str, language: str) -> list[LinkedFile]:
    known = [
        known_path
        for known_path, spoken in chunks.paths_and_languages(app.store, app.worktree)
        if spoken == language
    ]
    stem = path.rpartition("/")[2].partition(".")[0]
    found: dict[str, LinkedFile] = {}
    for taken in symbols.imports_containing(app.store, app.worktree, stem):
        if languages.language(taken.path) == language and path in import_words.guess_imported_files(
            taken.path, [(taken.module, taken.names)], known
        ):
            link = LinkedFile(taken.path, taken.line, (), _WORDS, _BY_WORDS, "import")
            found.setdefault(taken.path, link)
    return list(found.values())


def external_imports(app: App, path: str) -> list[str]:
    """The modules outside the repository that a file imports, as the file names them."""
    here = {link.line for link in imports_of_file(app, path)}
    start = graph_reads.nodes_by_name(app.store, app.worktree, [(path, "")])
    here |= {link.line for link in graph_reads.outgoing_edges(app.store, _ids(start), IMPORTS)}
    found = symbols.imports_of_file(app.store, app.worktree, path)
    return list(dict.fromkeys(taken.module for taken in found if taken.line not in here))


def definitions_in_file(app: App, path: str) -> list[Symbol]:
    """The classes, functions and other definitions in a file (Symbol values), in order."""
    return symbols.symbols_of_path(app.store, app.worktree, path)


def _ids(nodes: Iterable[GraphNode]) -> list[int]:
    return [node.id for node in nodes]


def _by_file(
    links: Iterable[tuple[GraphNode, str, GraphEdge]],
    direct: Mapping[tuple[int, int], list[str]],
    targets: Mapping[int, GraphNode] | None = None,
) -> list[LinkedFile]:
    """A row for each file at the other end; ``targets``: id -> the requested ends."""
    found: dict[str, LinkedFile] = {}
    for node, name, link in sorted(links, key=lambda link: (link[2].line, link[1])):
        known = found.get(node.path)
        names = (*(known.names if known else ()), *((name,) if name else ()))
        sure = max(link.confidence, known.confidence if known else 0.0)
        # One import that loads the file outweighs those for types alone.
        first = known if known and (known.kind == "import" or link.kind != "import") else link
        target = targets[link.target].path if targets else node.path
        ways = direct.get((link.source, link.line), [])
        through = "" if not name or not ways or target in ways else ways[0]
        if known and not known.through:
            through = ""
        found[node.path] = LinkedFile(
            node.path,
            first.line,
            tuple(dict.fromkeys(names)),
            sure,
            first.evidence,
            first.kind,
            through,
        )
    return list(found.values())
