"""The items at the ends of links and other ties: memories, commits, files, people."""

from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress

from gitmem.app import App
from gitmem.clock import format_iso
from gitmem.errors import GitmemError
from gitmem.history.entity_graph import EntityGraph
from gitmem.memory import relations
from gitmem.memory.relations import COMMIT, WalkedEdge
from gitmem.model.entity import MEMORY_KINDS, EntityEdge, split_entity_key
from gitmem.model.frozen import dataclass
from gitmem.model.memory import Memory
from gitmem.retrieval import memory_view
from gitmem.store.code import commit_ends
from gitmem.store.db.connection import Database
from gitmem.store.memory import link_graph, short_ids
from gitmem.store.session import sessions


@dataclass(frozen=True, slots=True)
class RelatedItem:
    """A memory, commit, file or person found by following links or edges from another.

    ``hop`` counts the steps from the start; in a lineage it is below 0 for what was replaced.
    ``via`` is the item before it (in a lineage what took its place), ``direction`` is ``out`` if
    the edge points away from ``via``. ``id`` is a memory's id or ``kind:name``; ``handle`` is short
    for it. ``strength`` and ``context`` are the link's. ``state`` and ``trust`` are the memory's; a
    commit's ``state`` is ``gone`` if git lost it. ``since`` and ``until`` bound when it was in
    force; null if open.
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
    kind_as: str = ""


@dataclass(frozen=True, slots=True)
class EntityTitle:
    """How a memory, commit, file or person is shown; ``handle`` is its shortest clear name.

    ``since`` and ``until`` (ms since 1970) say when it was in force, None if not known.
    """

    handle: str
    kind: str
    text: str = ""
    state: str = ""
    trust: str = ""
    since: int | None = None
    until: int | None = None
    kind_as: str = ""


def related_items_of_walk(
    hops: Iterable[WalkedEdge], titles_by_key: Mapping[str, EntityTitle]
) -> tuple[RelatedItem, ...]:
    """Return an item for each step of a walk along edges; ``titles_by_key`` has their titles."""
    return tuple(
        _item(
            step.hop,
            step.edge.relation,
            step.key,
            titles_by_key[step.key],
            direction=step.direction,
            via=step.via,
            edge=step.edge,
            bounds=(step.edge.since, step.edge.until),
        )
        for step in hops
    )


def related_items_of_lineage(
    start_key: str,
    edges: Collection[EntityEdge],
    read_titles: Callable[[set[str]], Mapping[str, EntityTitle]],
    limit: int,
) -> tuple[tuple[RelatedItem, ...], int]:
    """Return the earlier and later forms of an item, oldest first, and how many there are.

    ``edges`` lead from the later to the earlier form, ``read_titles`` returns titles by key. At
    most ``limit`` items are returned, those nearest to ``start_key``.
    """
    chain = relations.predecessors_and_successors(
        start_key, [(edge.source, edge.target) for edge in edges]
    )
    near = sorted(sorted(chain, key=lambda pair: abs(pair[0]))[:limit])
    titles = read_titles({key for _, key in near})
    following = {edge.target: edge for edge in edges}
    began = {edge.source: edge.since for edge in edges}
    word = next((edge.relation for edge in edges), "")
    items = []
    for hop, key in near:
        edge = following.get(key)
        bounds = began.get(key), edge.since if edge else None
        via = edge.source if edge else ""
        relation = word if hop else ""
        items.append(_item(hop, relation, key, titles[key], via=via, edge=edge, bounds=bounds))
    return tuple(items), len(chain)


def _item(
    hop: int,
    relation: str,
    key: str,
    title: EntityTitle,
    *,
    direction: str = "",
    via: str,
    edge: EntityEdge | None,
    bounds: tuple[int | None, int | None],
) -> RelatedItem:
    own = title.since is not None
    since, until = (title.since, title.until) if own else bounds
    return RelatedItem(
        hop,
        relation,
        direction,
        via,
        edge.strength if edge else 1.0,
        edge.note if edge else "",
        key,
        title.handle,
        title.kind,
        title.text,
        title.state,
        title.trust,
        None if since is None else format_iso(since),
        None if until is None else format_iso(until),
        title.kind_as,
    )


def _of_memory(database: Database, memory: Memory, *, bounded: bool) -> EntityTitle:
    return EntityTitle(
        short_ids.shortest_unique_prefix(database, memory.id),
        memory.kind,
        memory.headline,
        memory.state,
        memory.trust_tier,
        memory.in_force_since_ms if bounded else None,
        memory.valid_until if bounded else None,
        memory_view.special_kind_of_memory(memory),
    )


def titles_of_linked_items(
    app: App, database: Database, memory_ids: Collection[str]
) -> dict[str, EntityTitle]:
    """Return how to show memories and linked commits (``commit:ID``), by id."""
    titles = {
        id: _of_memory(database, memory, bounded=True)
        for id, memory in link_graph.memories_by_id(database, memory_ids).items()
    }
    for id in set(memory_ids) - titles.keys():
        sha = id.removeprefix(COMMIT)
        subject, at = _commit(app, sha) if id.startswith(COMMIT) else ("", None)
        kind = "commit" if id.startswith(COMMIT) else ""
        titles[id] = EntityTitle(sha[:10], kind, subject, "gone" if at is None else "", since=at)
    return titles


def _commit(app: App, sha: str) -> tuple[str, int | None]:
    """The subject and time (ms) of a commit; "" and None where git no longer has it."""
    from gitmem.git import history  # noqa: PLC0415 - only links to commits ask git

    with suppress(GitmemError):
        for commit in history.list_commits(app.layout.cwd, until=sha, limit=1):
            return commit.subject, commit.committed_time * 1000
    return "", None


def titles_of_entities(graph: EntityGraph, entity_keys: Iterable[str]) -> dict[str, EntityTitle]:
    """Return how to show entities (memories, files, commits ...), by key ``kind:name``."""
    names: dict[str, list[str]] = {}
    for key in set(entity_keys):
        kind, name = split_entity_key(key)
        names.setdefault("memory" if kind in MEMORY_KINDS else kind, []).append(name)
    missing = [id for id in names.get("memory", ()) if id not in graph.memories]
    memories = graph.memories | link_graph.memories_by_id(graph.store, missing)
    new = [sha for sha in names.get("commit", ()) if sha not in graph.commits]
    subjects = {sha: commit.subject for sha, commit in graph.commits.items()}
    subjects |= {
        sha: text for sha, (text, _) in commit_ends.commit_titles(graph.store, new).items()
    }
    unread = [id for id in names.get("session", ()) if id not in graph.sessions]
    worked = graph.sessions | {row.id: row for row in sessions.sessions_by_ids(graph.store, unread)}
    titles_found = {}
    for key in set(entity_keys):
        kind, name = split_entity_key(key)
        if kind in MEMORY_KINDS and name in memories:
            titles_found[key] = _of_memory(graph.store, memories[name], bounded=False)
        elif kind in MEMORY_KINDS:
            titles_found[key] = EntityTitle(
                short_ids.shortest_unique_prefix(graph.store, name), kind
            )
        elif kind == "commit":
            titles_found[key] = EntityTitle(name[:10], kind, subjects.get(name, ""))
        elif kind == "session" and name in worked:
            titles_found[key] = EntityTitle(name, kind, worked[name].goal or worked[name].summary)
        else:
            titles_found[key] = EntityTitle(name, kind)
    return titles_found
