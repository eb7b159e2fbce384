"""What a memory is linked to: neighbours by hop, its lineage, the path to another memory."""

from collections.abc import Collection
from contextlib import suppress
from functools import partial
from typing import Annotated

from gitmem.app import App
from gitmem.clock import iso
from gitmem.errors import GitmemError, InvalidInput
from gitmem.memory import relations
from gitmem.memory.draft import one_of
from gitmem.memory.relations import COMMIT, DEEPEST, Step
from gitmem.memory.trust import mark
from gitmem.model.frozen import dataclass
from gitmem.model.kinds import RELATIONS
from gitmem.model.memory import Memory
from gitmem.operations.registry import READ, Arg, Operation
from gitmem.store.db.connection import Database
from gitmem.store.memory import link_graph, short_ids
from gitmem.text.fence import one_line

WIDTH = 100


@dataclass(frozen=True, slots=True)
class Relate:
    """From which memory to walk, how far, and along what."""

    id: Annotated[str, Arg("An id or a unique prefix", positional=True)]
    depth: Annotated[
        int | None,
        Arg("At most this many links away (default: 1; with --to 4)", least=1, most=DEEPEST),
    ] = None
    relation: Annotated[str, Arg("Only links of this kind: SOLVES, CAUSES, ...")] = ""
    to: Annotated[str, Arg("The shortest path to this memory", metavar="ID")] = ""
    lineage: Annotated[bool, Arg("What it replaced and what replaced it, oldest first")] = False
    limit: Annotated[int, Arg("At most this many", short="-n", least=1, most=1000)] = 50


@dataclass(frozen=True, slots=True)
class RelatedItem:
    """A memory or commit at the end of a link.

    ``hop`` counts links from the start; in a lineage it is below 0 for what was replaced. ``via``
    is the memory the link was walked from, ``direction`` ``out`` where it points away from that.
    ``state`` is that of the memory; of a commit empty, or ``gone`` where git has it no more.
    ``since`` and ``until`` bound when it was in force, of a commit when it was made.
    """

    hop: int
    relation: str
    direction: str
    via: str
    strength: float
    context: str
    id: str
    handle: str
    kind: str
    title: str
    state: str
    trust: str
    since: str | None
    until: str | None


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
        one_of("--relation", relation, RELATIONS)
    database, memory = short_ids.find(app.stores(), request.id)
    if request.lineage:
        return _lineage(database, memory, request.limit)
    links_of = partial(link_graph.links_of, database)
    depth = request.depth or (DEEPEST if request.to else 1)
    if not request.to:
        steps = relations.neighbours(memory.id, links_of, depth=depth, relation=relation)
        items = _items(app, database, steps[: request.limit])
        return Related(memory.id, memory.headline, "neighbours", depth, items, len(steps), True, "")
    goal = short_ids.find(app.stores(), request.to)[1].id
    way = relations.path(memory.id, goal, links_of, depth=depth, relation=relation)
    items, found = _items(app, database, way or []), way is not None
    return Related(memory.id, memory.headline, "path", depth, items, len(items), found, goal)


def _lineage(database: Database, memory: Memory, limit: int) -> Related:
    chain = relations.lineage(memory.id, link_graph.replaced(database))
    known = link_graph.memories_of(database, [id for _, id in chain])
    # Of a chain too long to be shown, what is nearest to the memory stays.
    near = sorted(chain, key=lambda pair: abs(pair[0]))[:limit]
    items = tuple(
        _item(database, known, {}, id, hop=hop, relation="SUPERSEDES" if hop else "")
        for hop, id in sorted(near)
    )
    return Related(memory.id, memory.headline, "lineage", 0, items, len(chain), True, "")


def _items(app: App, database: Database, steps: list[Step]) -> tuple[RelatedItem, ...]:
    ids = {step.id for step in steps}
    known = link_graph.memories_of(database, ids)
    commits = _commits(app, [id.removeprefix(COMMIT) for id in ids if id.startswith(COMMIT)])
    return tuple(
        _item(
            database,
            known,
            commits,
            step.id,
            hop=step.hop,
            relation=step.link.relation,
            direction=step.direction,
            via=step.via,
            strength=step.link.strength,
            context=step.link.context,
        )
        for step in steps
    )


def _item(
    database: Database,
    known: dict[str, Memory],
    commits: dict[str, tuple[str, str]],
    id: str,
    *,
    hop: int,
    relation: str,
    direction: str = "",
    via: str = "",
    strength: float = 1.0,
    context: str = "",
) -> RelatedItem:
    memory = known.get(id)
    since = until = None
    if memory is not None:
        handle, kind, title = short_ids.shortest(database, id), memory.kind, memory.headline
        state, trust = memory.state, memory.tier
        begin = memory.created_at if memory.valid_from is None else memory.valid_from
        since, until = iso(begin), None if memory.valid_until is None else iso(memory.valid_until)
    else:
        sha = id.removeprefix(COMMIT)
        title, since = commits.get(sha, ("", None))
        handle, kind, trust = sha[:10], "commit" if id.startswith(COMMIT) else "", ""
        state = "gone" if since is None else ""
    return RelatedItem(
        hop,
        relation,
        direction,
        via,
        strength,
        context,
        id,
        handle,
        kind,
        title,
        state,
        trust,
        since,
        until,
    )


def _commits(app: App, wanted: Collection[str]) -> dict[str, tuple[str, str]]:
    """Subject and date of each commit that git still has."""
    from gitmem.git import history  # noqa: PLC0415 - only links to commits ask git

    found = {}
    for sha in wanted:
        with suppress(GitmemError):
            for commit in history.log(app.layout.cwd, until=sha, limit=1):
                found[sha] = (commit.subject, iso(commit.committed_time * 1000))
    return found


def view(result: Related) -> str:
    """A line for each link, indented by hop; or a sentence where there is nothing."""
    if result.walk == "path" and not result.found:
        return f"No path within {result.depth} links from {result.id} to {result.to}."
    if not result.items:
        return f"Nothing is linked to {result.id}. Link it to something: gitmem link A B"
    line = _descent if result.walk == "lineage" else _link_line
    lines = [one_line(f"{result.id}  {result.title}", WIDTH)] if result.walk != "lineage" else []
    lines += map(line, result.items)
    if result.total > len(result.items):
        lines.append(f"… {result.total - len(result.items)} more: --limit {result.total}")
    return "\n".join(lines)


def _link_line(item: RelatedItem) -> str:
    arrow = f"{item.relation} ->" if item.direction == "out" else f"<- {item.relation}"
    context = f"  ({one_line(item.context, 60)})" if item.context else ""
    return "  " * item.hop + f"{arrow} {_named(item)}  {item.strength:g}{context}"


def _descent(item: RelatedItem) -> str:
    until = f" to {item.until[:10]}" if item.until else ""
    here = "*" if item.hop == 0 else " "
    return f"{here} {(item.since or '')[:10]}{until}  {_named(item)}"


def _named(item: RelatedItem) -> str:
    marks = [item.state if item.state != "active" else "", mark(item.trust)]
    tail = f"  [{', '.join(filter(None, marks))}]" if any(marks) else ""
    return f"{item.handle} {item.kind:<10} {one_line(item.title, 70)}{tail}".rstrip()


RELATED = Operation(
    name="related",
    request=Relate,
    run=related,
    view=view,
    effect=READ,
    example="gitmem related 01M6ZK3P --depth 2",
    tool="related",
)
