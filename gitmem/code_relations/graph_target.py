"""Finding the nodes of the code graph for a query: a name, a name in a class or file, a path."""

from collections.abc import Iterable, Sequence
from re import compile

from gitmem.app import App
from gitmem.errors import InvalidInput, NotFound
from gitmem.files import repository_path
from gitmem.languages import language, registry
from gitmem.model.frozen import dataclass
from gitmem.store.code import chunks, graph_reads, symbols
from gitmem.store.code.graph_reads import GraphNode
from gitmem.store.code.symbols import Symbol

_MEMBER = compile(r"(?<=\w)#")
# Definitions of one name that are taken together.
MOST = 50
# What a class is called through.
CONSTRUCTORS = ("__init__", "constructor", "__construct", "initialize", "new")


@dataclass(frozen=True, slots=True)
class GraphTarget:
    """The file (``path``, else "") or definitions (``symbols``) that a query means.

    ``nodes`` are their entries in the stored graph of imports and calls.
    """

    name: str
    path: str
    symbols: tuple[Symbol, ...]
    nodes: tuple[GraphNode, ...]


def find_graph_target(app: App, query: str) -> GraphTarget:
    """The file, else the definitions, that a query names, as a GraphTarget.

    Raises InvalidInput for an empty query, NotFound where nothing has that name.
    """
    name = query.strip()
    if not name:
        raise InvalidInput(
            "No name or path was given.", "Give the name of a class or function, or a path."
        )
    path = find_indexed_file(app, name)
    if path:
        return GraphTarget(path, path, (), tuple(graph_nodes_of_file(app, path)))
    defined = find_definitions(app, name)
    # A package, rather than a class that is written like it with a capital.
    if not any(name.endswith(symbol.name) for symbol in defined) and (
        path := find_module_file(app, name)
    ):
        return GraphTarget(path, path, (), tuple(graph_nodes_of_file(app, path)))
    if not defined:
        raise NotFound(
            f"Nothing named {name[:80]!r} is indexed.",
            "Names are written as they are defined: load, Config.load, src/config.py:load.",
        )
    return GraphTarget(name, "", tuple(defined), tuple(graph_nodes_of_definitions(app, defined)))


def find_definitions(app: App, query: str) -> list[Symbol]:
    """The definitions that a name means; empty if there is none.

    ``Class.name``, ``path:name`` and ``path::name`` mean only that one.
    """
    head, mark, rest = query.partition("::")
    if mark and (path := find_indexed_file(app, head)):  # as anchors are written
        query = f"{path}:{rest}"
    place, _, name = query.replace("::", ".").rpartition(":")
    # `Store#all` is a method of Store, `Store.#all` and `#all` a private one of a script.
    parts = _MEMBER.sub(".", name).split(".")
    outer = ".".join(parts[:-1])
    # A name may be defined more often than are taken together: these narrow it before they count.
    narrowed = {"path": place, "container": outer}
    found = symbols.definitions_by_name(app.store, app.worktree, parts[-1], MOST, **narrowed)
    found = found or symbols.definitions_in_any_spelling(
        app.store, app.worktree, parts[-1], MOST, **narrowed
    )
    if outer and not found:
        found = symbols.definitions_in_module(app.store, app.worktree, parts[-1], outer, MOST)
    # A page of the documentation that is headed by a name does not define it.
    code = [symbol for symbol in found if symbol.kind != "section"]
    return code or found or _behind_a_module(app, parts)


def _behind_a_module(app: App, parts: Sequence[str]) -> list[Symbol]:
    """The definitions of a name behind its module: ``shop.cart.Cart.add``, ``shop.Cart.add``.

    In the file of the module, else in a folder of its name, from where it may be exported again.
    """
    for split in range(len(parts) - 1, 0, -1):
        module, container = parts[:split], ".".join(parts[split:-1])
        inside = symbols.definitions_in_module(
            app.store, app.worktree, parts[-1], ".".join(module), MOST
        )
        if found := [symbol for symbol in inside if symbol.container == container]:
            return found
    for split in range(len(parts) - 1, 0, -1):
        folder, container = f"/{'/'.join(parts[:split])}/", ".".join(parts[split:-1])
        below = symbols.definitions_by_name(
            app.store, app.worktree, parts[-1], MOST, container=container
        )
        found = [
            symbol
            for symbol in below
            if symbol.container == container and folder in f"/{symbol.path}"
        ]
        if found:
            return found
    return []


def qualified_symbol_name(symbol: Symbol) -> str:
    """The name of a definition after those of the enclosing ones: ``App.run``."""
    return f"{symbol.container}.{symbol.name}" if symbol.container else symbol.name


def graph_nodes_of_definitions(app: App, symbols: Iterable[Symbol]) -> list[GraphNode]:
    """The entries of definitions, of a class also its constructors, in the graph of imports."""
    ends: list[tuple[str, str]] = []
    for symbol in symbols:
        name = qualified_symbol_name(symbol)
        ends.append((symbol.path, name))
        ends += [(symbol.path, f"{name}.{other}") for other in CONSTRUCTORS]
    return graph_reads.nodes_by_name(app.store, app.worktree, ends)


def graph_nodes_of_file(app: App, path: str) -> list[GraphNode]:
    """The entries of a file, and of its package if there are such, in the graph of imports."""
    found = graph_reads.nodes_of_file(app.store, app.worktree, path)
    if registry.language_properties(language(path)).packages:
        folder = path.rpartition("/")[0]
        found += graph_reads.nodes_of_file(app.store, app.worktree, f"{folder}/" if folder else "/")
    return found


def find_indexed_file(app: App, query: str) -> str:
    """The indexed path that a path, file name or module names; "" if none or several are meant."""
    if "\0" in query:
        return ""
    try:
        path = repository_path.to_repository_path(query, app.worktree, app.start)
    except InvalidInput:
        return ""
    if chunks.indexed_files_by_path(app.store, app.worktree, {path}):
        return path
    if "/" in query or "." not in query:
        return ""
    ending: Sequence[str] = chunks.paths_with_suffixes(app.store, app.worktree, [query], 2)
    return ending[0] if len(ending) == 1 else find_module_file(app, query)


def find_module_file(app: App, query: str) -> str:
    """The path of the file of a module (``shop.cart``), nearest the root; "" if none or several."""
    if not query.replace(".", "").isidentifier():
        return ""
    files = chunks.paths_of_module(app.store, app.worktree, query)
    depths = {
        path: path.removesuffix("/__init__.py").count("/")
        for path in files
        if graph_reads.nodes_of_file(app.store, app.worktree, path)
    }
    nearest = [path for path, depth in depths.items() if depth == min(depths.values())]
    return nearest[0] if len(nearest) == 1 else ""
