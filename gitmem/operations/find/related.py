"""The links of a memory, file, commit or person: neighbours, lineage, and shortest paths."""

from collections.abc import Collection, Iterator
from functools import partial
from itertools import groupby

from gitmem.app import App
from gitmem.errors import InvalidInput, NotFound
from gitmem.history import entity_graph, entity_lineage, entity_names, related_items
from gitmem.history.entity_graph import EntityGraph
from gitmem.history.related_items import EntityTitle, RelatedItem
from gitmem.memory import relations
from gitmem.memory.relations import MAX_HOPS
from gitmem.memory.trust import state_and_trust_marks
from gitmem.model.entity import EntityEdge
from gitmem.model.frozen import dataclass
from gitmem.model.kinds import EVERY_RELATION, require_one_of
from gitmem.model.memory import Memory
from gitmem.operations import shared_fields as shared
from gitmem.operations.registry import READ, Annotated, Arg, Operation, positional_arg
from gitmem.retrieval import request_filters
from gitmem.store.db.connection import Database
from gitmem.store.memory import link_graph, short_ids
from gitmem.text.diagram import Diagram, DiagramArrow, DiagramBox, diagram_renderers
from gitmem.text.fence import join_lines, one_line

_FEW = 5  # links of each relation, unless they start from a memory
_WIDTH = 150


@dataclass(frozen=True, slots=True)
class RelatedRequest:
    """Arguments of `gitmem related`: where to start, how many links to follow, and which.

    ``id`` is a memory's id, a path, a commit or kind:name. ``depth`` is in links (None: 1, or 4
    with ``to``), ``direction`` out, in or both. ``to`` asks for the shortest path to another thing,
    ``lineage`` for the chain of what replaced what.
    """

    id: Annotated[
        str,
        positional_arg(
            "An id or a unique prefix; a path, a commit, #12, a name that is defined; "
            "or kind:name, as in author:Ada"
        ),
    ]
    depth: Annotated[
        int | None,
        Arg("At most this many links away (default: 1; with --to 4)", minimum=1, maximum=MAX_HOPS),
    ] = None
    relation: Annotated[str, Arg("Only links of this kind: SOLVES, CAUSES, changed, ...")] = ""
    direction: Annotated[
        str, Arg("Only links that point away from it, or to it", choices=("out", "in", "both"))
    ] = "both"
    to: Annotated[str, Arg("The shortest path to this", metavar="ID")] = ""
    lineage: Annotated[bool, Arg("What it replaced and what replaced it, oldest first")] = False
    as_of: Annotated[str, Arg("As it was at this time or revision: 2025-03-01, v1.2")] = ""
    limit: Annotated[
        int | None,
        shared.limit_arg(
            1000, "At most this many (default: 50; unless it is a memory, 5 of each relation)"
        ),
    ] = None
    format: shared.DiagramFormat = "text"


@dataclass(frozen=True, slots=True)
class PartlyListedRelation:
    """A relation of which only a part is listed: its name, direction and number of links.

    ``via`` is what the links start from.
    """

    via: str
    relation: str
    direction: str
    total: int


@dataclass(frozen=True, slots=True)
class RelatedResult:
    """What a thing is linked to; ``total`` counts all links, before --limit.

    ``left_out`` says which links are not listed. ``id`` is a memory's id, else ``kind:name``.
    ``walk`` is ``neighbours``, ``lineage`` or ``path``, ``depth`` how many links were followed at
    most (0: all); ``found`` is false if there is no path; ``note`` says what is missing.
    """

    id: str
    title: str
    walk: str
    depth: int
    items: tuple[RelatedItem, ...]
    total: int
    found: bool
    to: str
    left_out: tuple[PartlyListedRelation, ...] = ()
    note: str = ""


def find_related_items(app: App, request: RelatedRequest) -> RelatedResult:
    """Show what a memory, file, commit, issue or person is tied to, and how.

    Follows links in both directions, up to four hops. With --lineage, the chain of what replaced
    what: memories, names of a file, rewritten commits; with --to, the shortest path. From a memory
    only its own links are followed; from memory:ID, as from everything else, also relations known
    from commits, sessions and the index. Nothing is followed from an author, agent, branch,
    worktree or the project: they are linked to nearly everything.
    """
    if request.lineage and (request.to or request.relation or request.depth):
        raise InvalidInput(
            "--lineage always follows the whole chain of replacements.",
            "Omit --to, --relation and --depth.",
        )
    memory = _find_memory(app, request.id)
    goal = _find_memory(app, request.to) if memory and request.to else None
    if memory and (goal or not request.to):
        return _from_memory(app, request, *memory, goal[1].id if goal else "")
    start = entity_names.resolve_entity_key(app, request.id)
    if request.lineage:
        return _lineage(app, request, start)
    return _from_entity(app, request, start)


def _find_memory(app: App, name: str) -> tuple[Database, Memory] | None:
    """The memory with this id or prefix, and its store; None if there is none."""
    try:
        return short_ids.find_memory(app.stores(), name)
    except NotFound:
        return None


# --- a memory and its links ---------------------------------------------------------------------


def _from_memory(
    app: App, request: RelatedRequest, database: Database, memory: Memory, goal: str
) -> RelatedResult:
    titles_by_key = partial(related_items.titles_of_linked_items, app, database)
    answer = partial(RelatedResult, memory.id, memory.headline)
    most = request.limit or 50
    if request.lineage:
        edges = [
            EntityEdge(new, "SUPERSEDES", old, None)
            for new, old in link_graph.replacement_pairs(database)
        ]
        items, total = related_items.related_items_of_lineage(memory.id, edges, titles_by_key, most)
        return answer("lineage", 0, items, total, True, "")
    if request.as_of:
        raise InvalidInput(
            "--as-of does not work for the links of a memory.",
            f"To see all its relations at that time, name it memory:{memory.id[:12]}.",
        )
    relation = request.relation.upper().replace("-", "_")
    if relation:
        require_one_of("--relation", relation, EVERY_RELATION)
    depth = request.depth or (MAX_HOPS if request.to else 1)
    edges_of = partial(_links, database)
    if goal:
        way = relations.shortest_path(memory.id, goal, edges_of, max_hops=depth, relation=relation)
        steps = way or ()
        items = related_items.related_items_of_walk(
            steps, titles_by_key({step.key for step in steps})
        )
        return answer("path", depth, items, len(items), way is not None, goal)
    around = relations.walk_to_neighbours(
        memory.id, edges_of, max_hops=depth, relation=relation, direction=request.direction
    )
    shown = around.steps[:most]
    items = related_items.related_items_of_walk(shown, titles_by_key({step.key for step in shown}))
    note = _TOO_MUCH if around.early else ""
    return answer("neighbours", depth, items, len(around.steps), True, "", note=note)


def _links(database: Database, ids: Collection[str]) -> list[EntityEdge]:
    return [
        EntityEdge(link.source, link.relation, link.target, None, None, link.context, link.strength)
        for link in link_graph.links_of_memories(database, ids)
    ]


# --- everything else, by the temporal graph -----------------------------------------------------

_TOO_MUCH = "It has too many links: not all were followed."


def _from_entity(app: App, request: RelatedRequest, start: str) -> RelatedResult:
    at = request_filters.parse_time_ms(app, request.as_of)
    graph = EntityGraph(app, at)
    notes = [] if at is None else ["Definitions in files are known only for now, and left out."]
    depth = request.depth or (MAX_HOPS if request.to else 1)
    relation = request.relation.lower().replace("-", "_")
    left_out: tuple[PartlyListedRelation, ...] = ()
    goal, is_found = "", True
    if request.to:
        goal = entity_names.resolve_entity_key(app, request.to)
        way = relations.shortest_path(
            start, goal, graph.edges_of, max_hops=depth, relation=relation
        )
        steps, is_found = way or (), way is not None
        if not is_found and graph.cut:
            notes.insert(
                0, f"Of each kind only the newest {entity_graph.FAN_OUT} edges were followed."
            )
    else:
        around = relations.walk_to_neighbours(
            start,
            graph.edges_of,
            max_hops=depth,
            relation=relation,
            direction=request.direction,
            max_per_relation=request.limit or _FEW,
        )
        steps = around.steps
        left_out = tuple(
            PartlyListedRelation(*bundle, graph.count_edges(bundle[0], total))
            for bundle, total in sorted(around.left_out.items())
        )
        notes = [_TOO_MUCH] if around.early else notes
    named = related_items.titles_of_entities(graph, [start, *(step.key for step in steps)])
    items = related_items.related_items_of_walk(steps, named)
    more = sum(bundle.total - (request.limit or _FEW) for bundle in left_out)
    return RelatedResult(
        start,
        named[start].text,
        "path" if request.to else "neighbours",
        depth,
        items,
        len(items) + more,
        is_found,
        goal,
        left_out,
        " ".join(notes),
    )


def _lineage(app: App, request: RelatedRequest, start: str) -> RelatedResult:
    line = entity_lineage.find_entity_lineage(app, start)
    graph = EntityGraph(app)

    def titles_by_key(entity_keys: set[str]) -> dict[str, EntityTitle]:
        return related_items.titles_of_entities(graph, entity_keys)

    items, total = related_items.related_items_of_lineage(
        start, line.edges, titles_by_key, request.limit or 50
    )
    late = "" if line.complete else "git took too long: earlier names may be missing."
    cut = entity_lineage.describe_missing_history(app) if start.startswith("file:") else ""
    note = " ".join(filter(None, (late, cut)))
    title = titles_by_key({start})[start].text
    return RelatedResult(start, title, "lineage", 0, items, total, True, "", (), note)


def view(result: RelatedResult) -> str:
    """Return the text to print: a line for each link; a sentence if there are none."""
    notes = [f"  {result.note}"] if result.note else []
    if result.walk == "path" and not result.found:
        sentence = f"No path within {result.depth} links from {result.id} to {result.to}."
        return "\n".join(filter(None, [one_line(sentence, 2 * _WIDTH), result.note]))
    if not result.items:
        hint = "" if ":" in result.id else " Link it to something: gitmem link A B"
        return "\n".join([f"Nothing is linked to {one_line(result.id, _WIDTH)}.{hint}", *notes])
    if result.walk == "lineage":
        lines = [*notes, *map(_lineage_line, result.items)]
    else:
        head = join_lines(f"{result.id}  {result.title}".rstrip())
        lines = [head, *notes, *_link_lines(result, result.id, 1, set())]
    left = result.total - len(result.items)
    if left > 0 and not result.left_out:
        lines.append(f"… {left} more: --limit {result.total}")
    return "\n".join(lines)


def _link_lines(result: RelatedResult, via: str, hop: int, known: set[str]) -> Iterator[str]:
    """The links from one thing at a hop, and below each the links from its other end.

    ``known`` are the ends shown so far: an end of two links is expanded once.
    """
    totals = {(row.via, row.relation, row.direction): row.total for row in result.left_out}
    here = [item for item in result.items if item.via == via and item.hop == hop]
    for (relation, direction), group in groupby(here, lambda item: (item.relation, item.direction)):
        shown = 0
        for item in group:
            shown += 1
            yield "  " * hop + _link_line(item)
            if item.id not in known:
                known.add(item.id)
                yield from _link_lines(result, item.id, hop + 1, known)
        total = totals.get((via, relation, direction), 0)
        if total > shown:
            yield "  " * hop + f"… {total - shown:,} more {relation}"


def _link_line(item: RelatedItem) -> str:
    arrow = f"{item.relation} ->" if item.direction == "out" else f"<- {item.relation}"
    context = f"  ({join_lines(item.context)})" if item.context else ""
    if item.relation.isupper():  # a link between memories
        return f"{arrow} {_item_text(item)}  {item.strength:g}{context}"
    since = f"{item.since[:10]}  " if item.since else ""
    until = f"  until {item.until[:10]}" if item.until else ""
    return f"{since}{arrow} {_item_text(item)}{context}{until}"


def _lineage_line(item: RelatedItem) -> str:
    until = f" to {item.until[:10]}" if item.until else ""
    here = "*" if item.hop == 0 else " "
    why = item.context if " " in item.context else item.context[:10]  # a commit
    context = f"  ({join_lines(why)})" if why else ""
    return f"{here} {(item.since or '')[:10]}{until}  {_item_text(item)}{context}"


def _item_text(item: RelatedItem) -> str:
    marks = state_and_trust_marks(item.state, item.trust)
    tail = f"  [{', '.join(marks)}]" if marks else ""
    return (
        f"{one_line(item.handle, _WIDTH)} {item.kind:<10} {join_lines(item.title)}{tail}".rstrip()
    )


def make_relation_diagram(result: RelatedResult) -> Diagram:
    """Return a diagram: the thing asked about, and what is linked to it, an arrow for each link.

    In a lineage the arrows lead from the newer to the older.
    """
    boxes = {result.id: DiagramBox(result.id, f"{result.id} {result.title}")}
    arrows = {}
    # In a lineage every tie is the same; the thing itself has none.
    only = next((each.relation for each in result.items if each.relation), "")
    for item in result.items:
        boxes[item.id] = DiagramBox(item.id, " ".join(_item_text(item).split()))
        ends = (item.id, item.via) if item.direction == "in" else (item.via, item.id)
        if item.via:
            arrows[*ends, item.relation] = DiagramArrow(*ends, item.relation or only)
    return Diagram(tuple(boxes.values()), tuple(arrows.values()))


RELATED = Operation(
    "related",
    find_related_items,
    view,
    READ,
    "01M6ZK3P --depth 2",
    tool="related",
    shows_times=True,
    drawings=diagram_renderers(make_relation_diagram),
)
