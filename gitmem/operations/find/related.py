"""What a memory is linked to: neighbours by hop, its lineage, the path to another memory."""

from gitmem.app import App
from gitmem.errors import InvalidInput
from gitmem.memory.relations import DEEPEST
from gitmem.memory.trust import mark
from gitmem.model.frozen import dataclass
from gitmem.model.kinds import EVERY_RELATION, one_of
from gitmem.operations import shared_fields as shared
from gitmem.operations.registry import READ, Annotated, Arg, Operation
from gitmem.retrieval import link_walk
from gitmem.retrieval.link_walk import RelatedItem
from gitmem.store.memory import short_ids
from gitmem.text.fence import whole_line


@dataclass(frozen=True, slots=True)
class Relate:
    """From which memory to walk, how far, and along what."""

    id: shared.Id
    depth: Annotated[
        int | None,
        Arg("At most this many links away (default: 1; with --to 4)", least=1, most=DEEPEST),
    ] = None
    relation: Annotated[str, Arg("Only links of this kind: SOLVES, CAUSES, ...")] = ""
    to: Annotated[str, Arg("The shortest path to this memory", metavar="ID")] = ""
    lineage: Annotated[bool, Arg("What it replaced and what replaced it, oldest first")] = False
    limit: shared.Limit = 50


@dataclass(frozen=True, slots=True)
class Related:
    """What was found; ``total`` counts what --limit left out too.

    ``walk`` is ``neighbours``, ``lineage`` or ``path``, ``depth`` how many links were followed at
    most (0: all); ``found`` is false where there is no path.
    """

    id: str
    title: str
    walk: str
    depth: int
    items: tuple[RelatedItem, ...]
    total: int
    found: bool
    to: str


def related(app: App, request: Relate) -> Related:
    """Show what a memory is linked to, and how.

    Follows links in both directions, up to four hops. With --lineage, the chain of what
    replaced what; with --to, the shortest path to another memory.
    """
    if request.lineage and (request.to or request.relation or request.depth):
        raise InvalidInput(
            "--lineage follows SUPERSEDES to both ends.", "Omit --to, --relation and --depth."
        )
    relation = request.relation.upper().replace("-", "_")
    if relation:
        one_of("--relation", relation, EVERY_RELATION)
    database, memory = short_ids.find(app.stores(), request.id)
    title = memory.headline
    if request.lineage:
        items, total = link_walk.lineage(database, memory.id, request.limit)
        return Related(memory.id, title, "lineage", 0, items, total, True, "")
    depth = request.depth or (DEEPEST if request.to else 1)
    if not request.to:
        items, total = link_walk.neighbours(
            app, database, memory.id, request.limit, depth=depth, relation=relation
        )
        return Related(memory.id, title, "neighbours", depth, items, total, True, "")
    goal = short_ids.find(app.stores(), request.to)[1].id
    way = link_walk.path(app, database, memory.id, goal, depth=depth, relation=relation)
    items = way or ()
    return Related(memory.id, title, "path", depth, items, len(items), way is not None, goal)


def view(result: Related) -> str:
    """A line for each link, indented by hop; or a sentence where there is nothing."""
    if result.walk == "path" and not result.found:
        return f"No path within {result.depth} links from {result.id} to {result.to}."
    if not result.items:
        return f"Nothing is linked to {result.id}. Link it to something: gitmem link A B"
    line = _descent if result.walk == "lineage" else _link_line
    lines = [whole_line(f"{result.id}  {result.title}")] if result.walk != "lineage" else []
    lines += map(line, result.items)
    if result.total > len(result.items):
        lines.append(f"… {result.total - len(result.items)} more: --limit {result.total}")
    return "\n".join(lines)


def _link_line(item: RelatedItem) -> str:
    arrow = f"{item.relation} ->" if item.direction == "out" else f"<- {item.relation}"
    context = f"  ({whole_line(item.context)})" if item.context else ""
    return "  " * item.hop + f"{arrow} {_named(item)}  {item.strength:g}{context}"


def _descent(item: RelatedItem) -> str:
    until = f" to {item.until[:10]}" if item.until else ""
    here = "*" if item.hop == 0 else " "
    return f"{here} {(item.since or '')[:10]}{until}  {_named(item)}"


def _named(item: RelatedItem) -> str:
    marks = [item.state if item.state != "active" else "", mark(item.trust)]
    tail = f"  [{', '.join(filter(None, marks))}]" if any(marks) else ""
    return f"{item.handle} {item.kind:<10} {whole_line(item.title)}{tail}".rstrip()


RELATED = Operation(
    "related", related, view, READ, "01M6ZK3P --depth 2", tool="related", shows_times=True
)
