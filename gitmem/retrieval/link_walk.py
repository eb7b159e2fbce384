"""Walking the links of a memory: neighbours by hop, its line of descent, the way to another."""

from collections.abc import Collection, Mapping
from contextlib import suppress
from functools import partial

from gitmem.app import App
from gitmem.clock import iso
from gitmem.errors import GitmemError
from gitmem.memory import relations
from gitmem.memory.relations import COMMIT, Step
from gitmem.model.frozen import dataclass
from gitmem.model.memory import Memory
from gitmem.store.db.connection import Database
from gitmem.store.memory import link_graph, short_ids


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


# Items, and how many there are with those that a limit left out.
Walk = tuple[tuple[RelatedItem, ...], int]


def neighbours(
    app: App, database: Database, id: str, limit: int, *, depth: int, relation: str
) -> Walk:
    """What is tied to a memory, over so many links at most."""
    links_of = partial(link_graph.links_of, database)
    steps = relations.neighbours(id, links_of, depth=depth, relation=relation)
    return _items(app, database, steps[:limit]), len(steps)


def path(
    app: App, database: Database, id: str, goal: str, *, depth: int, relation: str
) -> tuple[RelatedItem, ...] | None:
    """The shortest way to another memory; None where none is so short."""
    links_of = partial(link_graph.links_of, database)
    steps = relations.path(id, goal, links_of, depth=depth, relation=relation)
    return None if steps is None else _items(app, database, steps)


def lineage(database: Database, id: str, limit: int) -> Walk:
    """What a memory replaced and what replaced it, the oldest first."""
    chain = relations.lineage(id, link_graph.replaced(database))
    known = link_graph.memories_of(database, [one for _, one in chain])
    # Of a chain too long to be shown, what is nearest to the memory stays.
    near = sorted(chain, key=lambda pair: abs(pair[0]))[:limit]
    items = tuple(
        _item(database, known, {}, one, hop=hop, relation="SUPERSEDES" if hop else "")
        for hop, one in sorted(near)
    )
    return items, len(chain)


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
    known: Mapping[str, Memory],
    commits: Mapping[str, tuple[str, str]],
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
