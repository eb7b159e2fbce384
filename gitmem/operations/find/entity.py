"""The temporal graph of the project: neighbours, lineage and timeline of an entity, paths."""

from collections.abc import Iterable, Mapping

from gitmem.app import App
from gitmem.clock import iso
from gitmem.history import entity_graph, entity_lineage, entity_names, entity_timeline
from gitmem.history.entity_graph import EntityGraph
from gitmem.history.entity_titles import Title, titles
from gitmem.model.frozen import dataclass
from gitmem.operations.find.entity_view import (
    Entities,
    EntityItem,
    EntityMoments,
    LeftOut,
    MomentItem,
    view,
    view_moments,
)
from gitmem.operations.registry import READ, Annotated, Arg, Operation
from gitmem.retrieval import request_filters
from gitmem.timeline import entity_walks
from gitmem.timeline.entity_walks import DEEPEST, Step

_ENTITY = "A path, an id, a commit, #12, a name that is defined; or its kind and name: author:Ada"
_AS_OF = "As it was at this time or revision: 2025-03-01, v1.2"


@dataclass(frozen=True, slots=True)
class ShowEntity:
    """Around which entity, how far, and along what."""

    entity: Annotated[str, Arg(_ENTITY, positional=True)]
    depth: Annotated[int, Arg("At most this many edges away", least=1, most=DEEPEST)] = 1
    relation: Annotated[str, Arg("Only edges of this kind: changed, decides_for, ...")] = ""
    direction: Annotated[
        str, Arg("Only edges that point away from it, or to it", choices=("out", "in", "both"))
    ] = "both"
    as_of: Annotated[str, Arg(_AS_OF)] = ""
    limit: Annotated[
        int, Arg("Of each relation at most this many", short="-n", least=1, most=100)
    ] = 5


@dataclass(frozen=True, slots=True)
class EntityTimeline:
    """Of which entity, up to when."""

    entity: Annotated[str, Arg(_ENTITY, positional=True)]
    as_of: Annotated[str, Arg("Up to this time or revision")] = ""
    limit: Annotated[int, Arg("At most this many", short="-n", least=1, most=1000)] = 30


@dataclass(frozen=True, slots=True)
class EntityLineage:
    """Of which entity."""

    entity: Annotated[str, Arg("A memory, a file or a commit", positional=True)]


@dataclass(frozen=True, slots=True)
class EntityPath:
    """From where to where."""

    source: Annotated[str, Arg(_ENTITY, positional=True, metavar="A")]
    target: Annotated[str, Arg("The other entity", positional=True, metavar="B")]
    depth: Annotated[int, Arg("At most this many edges", least=1, most=DEEPEST)] = DEEPEST
    as_of: Annotated[str, Arg(_AS_OF)] = ""


def show_entity(app: App, request: ShowEntity) -> Entities:
    """Show what a file, issue, commit, person is tied to.

    Also a definition, a session, an agent, a branch or a memory. Of each relation the newest are
    told, and how many more there are. Nothing is followed from an author, agent, branch, worktree
    or the project: they are tied to nearly everything.
    """
    at = request_filters.moment(app, request.as_of)
    start = entity_names.resolve(app, request.entity)
    graph = EntityGraph(app, at)
    steps, left_out, early = entity_walks.neighbours(
        start,
        graph.edges_of,
        depth=request.depth,
        relation=request.relation.lower().replace("-", "_"),
        direction=request.direction,
        most=request.limit,
    )
    cut = tuple(
        LeftOut(via, relation, direction, graph.counted(via, total))
        for (via, relation, direction), total in sorted(left_out.items())
    )
    note = "Too much lies around it: the walk ended early." if early else _past(at)
    return _entities(graph, start, "neighbours", request.depth, steps, cut, note=note)


def entity_path(app: App, request: EntityPath) -> Entities:
    """Show the shortest way between two entities.

    It is four edges long at most and leads through no author, agent, branch, worktree or project.
    Of what lies at one end of an entity the newest 200 are followed; where that may have hidden a
    way, it is said.
    """
    at = request_filters.moment(app, request.as_of)
    start = entity_names.resolve(app, request.source)
    goal = entity_names.resolve(app, request.target)
    graph = EntityGraph(app, at)
    steps = entity_walks.path(start, goal, graph.edges_of, depth=request.depth)
    note = _past(at)
    if steps is None and graph.cut:
        note = f"Of each kind only the newest {entity_graph.FAN_OUT} edges were followed. {note}"
    return _entities(
        graph, start, "path", request.depth, steps or (), found=steps is not None, to=goal,
        note=note.strip(),
    )  # fmt: skip


def entity_lineage_of(app: App, request: EntityLineage) -> Entities:
    """Show what an entity was before, and became.

    The oldest first: of a memory what superseded what, of a file its names, of a commit amends,
    rebases and squashes.
    """
    start = entity_names.resolve(app, request.entity)
    line = entity_lineage.of(app, start)
    graph = EntityGraph(app)
    steps = [Step(hop, one.source, one.target, one) for hop, one in enumerate(line.edges, 1)]
    late = "" if line.complete else "git was stopped after its time: earlier names may be missing."
    cut = entity_lineage.cut_off(app) if start.startswith("file:") else ""
    note = " ".join(filter(None, (late, cut)))
    return _entities(graph, start, "lineage", 0, steps, note=note)


def entity_timeline_of(app: App, request: EntityTimeline) -> EntityMoments:
    """Show what happened to an entity.

    Commits, sessions and memories, the newest first. A file is followed through its renames, a
    definition through the changes of its lines.
    """
    at = request_filters.moment(app, request.as_of)
    start = entity_names.resolve(app, request.entity)
    graph = EntityGraph(app, at)
    past = entity_timeline.of(graph, start)
    shown = past.moments[: request.limit]
    named = titles(graph, [start, *(one.other for one in shown if one.other)])
    items = []
    for one in shown:
        title = named.get(one.other, Title(""))
        text = title.text or one.text
        items.append(MomentItem(iso(one.at), one.what, one.other, title.handle, text))
    notes = [past.note]
    if start in graph.cut:
        most = entity_graph.FAN_OUT
        notes.append(f"Only the newest {most} of each kind are looked at.")
    return EntityMoments(
        start, named[start].text, tuple(items), len(past.moments), " ".join(filter(None, notes))
    )


def _past(at: int | None) -> str:
    return "" if at is None else "What files define is known of now only, and left out."


def _entities(
    graph: EntityGraph,
    start: str,
    walk: str,
    depth: int,
    steps: Iterable[Step],
    left_out: tuple[LeftOut, ...] = (),
    *,
    found: bool = True,
    to: str = "",
    note: str = "",
) -> Entities:
    walked = tuple(steps)
    named = titles(graph, [start, *(one.key for one in walked), *(one.via for one in walked)])
    items = tuple(_item(one, named) for one in walked)
    return Entities(start, named[start].text, walk, depth, items, left_out, found, to, note)


def _item(step: Step, named: Mapping[str, Title]) -> EntityItem:
    title, edge = named[step.key], step.edge
    return EntityItem(
        step.hop, edge.relation, step.direction, step.via, step.key, title.handle, title.text,
        title.state, title.trust, _time(edge.since), _time(edge.until), edge.note,
    )  # fmt: skip


def _time(at: int | None) -> str:
    return "" if at is None else iso(at)


SHOW = Operation(
    name="entity show",
    run=show_entity,
    view=view,
    effect=READ,
    sample="src/app.py --depth 2",
    tool="entity_neighbors",
    shows_times=True,
)
TIMELINE = Operation(
    name="entity timeline",
    run=entity_timeline_of,
    view=view_moments,
    effect=READ,
    sample="src/app.py",
    tool="entity_timeline",
    shows_times=True,
)
LINEAGE = Operation(
    name="entity lineage",
    run=entity_lineage_of,
    view=view,
    effect=READ,
    sample="src/app.py",
    tool="entity_lineage",
    shows_times=True,
)
PATH = Operation(
    name="entity path",
    run=entity_path,
    view=view,
    effect=READ,
    sample='"#12" src/app.py',
    tool="entity_path",
    shows_times=True,
)
