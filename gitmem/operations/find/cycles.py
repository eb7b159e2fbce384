"""Which files import each other in a circle."""

from collections.abc import Sequence

from gitmem.app import App
from gitmem.code_relations import index_note
from gitmem.graph import circles
from gitmem.graph.values import IMPORTS
from gitmem.model.frozen import dataclass
from gitmem.operations import shared_fields as shared
from gitmem.operations.registry import READ, Annotated, Arg, Operation, positional_arg
from gitmem.store.code import graph_reads
from gitmem.text.fence import one_line
from gitmem.text.quantity import omitted_count_lines, quantity

_WIDTH = 110
_SHOWN = 30


@dataclass(frozen=True, slots=True)
class ImportCyclesRequest:
    """Arguments of `gitmem cycles`: a path (empty: all); ``all`` adds imports in functions."""

    path: Annotated[
        str, positional_arg("Only cycles through this file or folder", path_kind="path")
    ] = ""
    all: Annotated[bool, Arg("Imports in functions and for types count too")] = False
    limit: shared.Limit = 20


@dataclass(frozen=True, slots=True)
class ImportCycleItem:
    """Files that import each other, their number, and a shortest circle of imports among them.

    ``while_loading`` is true if the files import each other while they are loaded; false if an
    import is inside a function or only for types.
    """

    length: int
    files: tuple[str, ...]
    way: tuple[str, ...]
    while_loading: bool


@dataclass(frozen=True, slots=True)
class ImportCycles:
    """Groups of files that import each other in a circle, the largest first.

    ``deferred`` counts the groups that exist, or are larger, only because of imports in functions
    or for types; they are listed with --all.
    """

    cycles: tuple[ImportCycleItem, ...]
    total: int
    deferred: int
    note: str


def find_import_cycles(app: App, request: ImportCyclesRequest) -> ImportCycles:
    """Show which files import each other in a circle.

    An import inside a function or only for types (`if TYPE_CHECKING:`, `import type`) causes no
    trouble when files are loaded: cycles that need such an import are only counted, and listed
    with `--all`.
    """
    loading, every = _groups(app, request, IMPORTS[:1]), _groups(app, request, IMPORTS)
    groups, edges = every if request.all else loading
    sound = {tuple(group) for group in loading[0]}
    return ImportCycles(
        cycles=tuple(
            ImportCycleItem(
                len(group),
                tuple(group),
                tuple(circles.shortest_cycle(group, edges)),
                tuple(group) in sound,
            )
            for group in groups[: request.limit]
        ),
        total=len(groups),
        deferred=sum(tuple(group) not in sound for group in every[0]),
        note=index_note.describe_index_gaps(app) if app.has_store else "",
    )


def _groups(
    app: App, request: ImportCyclesRequest, kinds: Sequence[str]
) -> tuple[list[list[str]], list[tuple[str, str]]]:
    """The groups of files through ``request.path``, and all imports of these kinds."""
    edges = (
        graph_reads.importing_and_imported_paths(app.store, app.worktree, kinds)
        if app.has_store
        else []
    )
    path = "" if request.path == "." else request.path.rstrip("/")
    groups = [
        group
        for group in circles.find_cycles(edges)
        if not path or any(file == path or file.startswith(path + "/") for file in group)
    ]
    return groups, edges


def view(result: ImportCycles) -> str:
    """Return the text to print: for each group its files, and a circle of imports among them."""
    lines = [result.note] if result.note else []
    lines.append(quantity(result.total, "import cycle") if result.total else _none(result))
    for cycle in result.cycles:
        why = "" if cycle.while_loading else " (by imports in functions or for types)"
        way = f"{cycle.length} files{why}: {' -> '.join(cycle.way)}"
        lines.append(one_line(way, 3 * _WIDTH))
        if cycle.length + 1 > len(cycle.way) or len(way) > 3 * _WIDTH:
            lines += [f"    {one_line(path, _WIDTH)}" for path in cycle.files[:_SHOWN]]
            if cycle.length > _SHOWN:
                lines.append(f"    and {cycle.length - _SHOWN} more")
    lines += omitted_count_lines(result.total - len(result.cycles), indent="")
    if result.deferred and all(cycle.while_loading for cycle in result.cycles):
        deferred = quantity(
            result.deferred, "more or larger cycle needs", "more or larger cycles need"
        )
        lines.append(f"{deferred} imports in functions or for types; --all lists them")
    return "\n".join(lines)


def _none(result: ImportCycles) -> str:
    return "No import cycles while files are loaded." if result.deferred else "No import cycles."


CYCLES = Operation("cycles", find_import_cycles, view, READ, "src", tool="cycles")
