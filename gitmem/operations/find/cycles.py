"""Which files import each other in a circle."""

from gitmem.app import App
from gitmem.graph import circles
from gitmem.impact import index_note
from gitmem.model.frozen import dataclass
from gitmem.operations.registry import READ, Annotated, Arg, Operation
from gitmem.store.code import graph_reads
from gitmem.text.fence import one_line

_WIDTH = 110
_SHOWN = 30


@dataclass(frozen=True, slots=True)
class Cycles:
    """Where to look."""

    path: Annotated[
        str, Arg("Only cycles through this file or folder", positional=True, place="path")
    ] = ""
    limit: Annotated[int, Arg("At most so many", short="-n", least=1, most=1000)] = 20


@dataclass(frozen=True, slots=True)
class CycleItem:
    """Files that import each other, how many they are, and one shortest way round."""

    length: int
    files: tuple[str, ...]
    way: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ImportCycles:
    """Groups of files that reach each other by imports, the largest first; ``total`` of them."""

    cycles: tuple[CycleItem, ...]
    total: int
    note: str


def cycles(app: App, request: Cycles) -> ImportCycles:
    """Show which files import each other in a circle.

    An import in a function or for types alone counts too: it is a dependence all the same.
    """
    edges = graph_reads.file_imports(app.store, app.worktree) if app.has_store else []
    groups = circles.cycles(edges)
    path = "" if request.path == "." else request.path.rstrip("/")
    if path:
        groups = [
            group
            for group in groups
            if any(one == path or one.startswith(path + "/") for one in group)
        ]
    return ImportCycles(
        cycles=tuple(
            CycleItem(len(group), tuple(group), tuple(circles.shortest(group, edges)))
            for group in groups[: request.limit]
        ),
        total=len(groups),
        note=index_note.of(app) if app.has_store else "",
    )


def view(result: ImportCycles) -> str:
    """A paragraph for each group: its files, and a way round."""
    lines = [result.note] if result.note else []
    lines.append(f"{result.total} import cycles" if result.total else "No import cycles.")
    for one in result.cycles:
        lines.append(one_line(f"{one.length} files: {' -> '.join(one.way)}", 3 * _WIDTH))
        if one.length + 1 > len(one.way):
            lines += [f"    {one_line(path, _WIDTH)}" for path in one.files[:_SHOWN]]
        if one.length > _SHOWN:
            lines.append(f"    and {one.length - _SHOWN} more")
    return "\n".join(lines)


CYCLES = Operation(
    name="cycles",
    request=Cycles,
    run=cycles,
    view=view,
    effect=READ,
    example="gitmem cycles src",
    tool="cycles",
)
