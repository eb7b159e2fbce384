"""Which nodes of the code graph somebody means: a name, a name in a class or file, a path."""

from collections.abc import Iterable, Sequence
from re import compile

from gitmem.app import App
from gitmem.errors import InvalidInput, NotFound
from gitmem.files import repository_path
from gitmem.languages import language, registry
from gitmem.model.frozen import dataclass
from gitmem.store.code import chunks, graph_reads, symbols
from gitmem.store.code.graph_reads import Node
from gitmem.store.code.symbols import Symbol

_MEMBER = compile(r"(?<=\w)#")
# Definitions of one name that are taken together.
MOST = 50
# What a class is called through.
CONSTRUCTORS = ("__init__", "constructor", "__construct", "initialize", "new")


@dataclass(frozen=True, slots=True)
class Meant:
    """What was asked about: a file (``path``) or definitions, and the nodes they have."""

    said: str
    path: str
    symbols: tuple[Symbol, ...]
    nodes: tuple[Node, ...]


def find(app: App, said: str) -> Meant:
    """What somebody names, a file before a name. Raises InvalidInput and NotFound."""
    wanted = said.strip()
    if not wanted:
        raise InvalidInput("There is nothing to look for.", "Give a name or a path.")
    path = file(app, wanted)
    if path:
        return Meant(path, path, (), tuple(of_file(app, path)))
    defined = definitions(app, wanted)
    # A package, rather than a class that is written like it with a capital.
    if not any(wanted.endswith(one.name) for one in defined) and (path := module(app, wanted)):
        return Meant(path, path, (), tuple(of_file(app, path)))
    if not defined:
        raise NotFound(
            f"Nothing named {wanted[:80]!r} is indexed.",
            "Names are written as they are defined: load, Config.load, src/config.py:load.",
        )
    return Meant(wanted, "", tuple(defined), tuple(of_symbols(app, defined)))


def definitions(app: App, said: str) -> list[Symbol]:
    """The definitions of a name; ``Class.name``, ``path:name`` and ``path::name`` narrow them."""
    head, mark, rest = said.partition("::")
    if mark and (path := file(app, head)):  # as anchors are written
        said = f"{path}:{rest}"
    place, _, name = said.replace("::", ".").rpartition(":")
    # `Store#all` is a method of Store, `Store.#all` and `#all` a private one of a script.
    parts = _MEMBER.sub(".", name).split(".")
    outer = ".".join(parts[:-1])
    # A name may be defined more often than are taken together: these narrow it before they count.
    narrowed = {"path": place, "outer": outer}
    found = symbols.by_name(app.store, app.worktree, parts[-1], MOST, **narrowed)
    found = found or symbols.by_key(app.store, app.worktree, parts[-1], MOST, **narrowed)
    if outer and not found:
        found = symbols.in_module(app.store, app.worktree, parts[-1], outer, MOST)
    # A page of the documentation that is headed by a name does not define it.
    code = [one for one in found if one.kind != "section"]
    return code or found or _behind_a_module(app, parts)


def _behind_a_module(app: App, parts: Sequence[str]) -> list[Symbol]:
    """The definitions of a name behind its module: ``shop.cart.Cart.add``, ``shop.Cart.add``.

    In the file of the module, else in a folder of its name, from where it may be exported again.
    """
    for split in range(len(parts) - 1, 0, -1):
        module, container = parts[:split], ".".join(parts[split:-1])
        inside = symbols.in_module(app.store, app.worktree, parts[-1], ".".join(module), MOST)
        if found := [one for one in inside if one.container == container]:
            return found
    for split in range(len(parts) - 1, 0, -1):
        folder, container = f"/{'/'.join(parts[:split])}/", ".".join(parts[split:-1])
        below = symbols.by_name(app.store, app.worktree, parts[-1], MOST, outer=container)
        found = [one for one in below if one.container == container and folder in f"/{one.path}"]
        if found:
            return found
    return []


def qualified(symbol: Symbol) -> str:
    """A definition's name with those around it, as nodes have it."""
    return f"{symbol.container}.{symbol.name}" if symbol.container else symbol.name


def of_symbols(app: App, found: Iterable[Symbol]) -> list[Node]:
    """The nodes of some definitions, of a class those of its constructors too."""
    ends: list[tuple[str, str]] = []
    for one in found:
        name = qualified(one)
        ends.append((one.path, name))
        ends += [(one.path, f"{name}.{other}") for other in CONSTRUCTORS]
    return graph_reads.nodes_named(app.store, app.worktree, ends)


def of_file(app: App, path: str) -> list[Node]:
    """The nodes of a file, and of its package where the language imports packages."""
    found = graph_reads.nodes_of(app.store, app.worktree, path)
    if registry.find(language(path)).packages:
        folder = path.rpartition("/")[0]
        found += graph_reads.nodes_of(app.store, app.worktree, f"{folder}/" if folder else "/")
    return found


def file(app: App, said: str) -> str:
    """The indexed file of a path, of a file's name or of a module; "" where none or several are."""
    if "\0" in said:
        return ""
    try:
        path = repository_path.relative(said, app.worktree, app.start)
    except InvalidInput:
        return ""
    if chunks.shown(app.store, app.worktree, {path}):
        return path
    if "/" in said or "." not in said:
        return ""
    ending: Sequence[str] = chunks.ending(app.store, app.worktree, [said], 2)
    return ending[0] if len(ending) == 1 else module(app, said)


def module(app: App, said: str) -> str:
    """The path of the file that a module (``shop.cart``) stands for, nearest the root; else ""."""
    if not said.replace(".", "").isidentifier():
        return ""
    files = chunks.of_module(app.store, app.worktree, said)
    depths = {
        path: path.removesuffix("/__init__.py").count("/")
        for path in files
        if graph_reads.nodes_of(app.store, app.worktree, path)
    }
    nearest = [path for path, depth in depths.items() if depth == min(depths.values())]
    return nearest[0] if len(nearest) == 1 else ""
