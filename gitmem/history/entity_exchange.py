"""The whole temporal graph as JSON, the same bytes for the same store; and links taken from one.

What commits, sessions and the index tell is read again everywhere: of a file only the links between
memories are taken, which cannot be derived.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from gitmem.app import App
from gitmem.capture.importer import Intake, Problem
from gitmem.capture.supersede import supersede
from gitmem.errors import Conflict, InvalidInput
from gitmem.history import entity_edges, entity_graph
from gitmem.model.entity import MEMORY_KINDS, Edge, key, parted
from gitmem.model.frozen import dataclass
from gitmem.model.kinds import RELATIONS
from gitmem.model.memory import Link
from gitmem.store.code import commit_ends, defined_names
from gitmem.store.db.redaction_gate import clean
from gitmem.store.memory import link_graph, memories
from gitmem.store.session import session_ends

FORMAT, VERSION = "gitmem-entities", 1
_LINKS = {one.lower(): one for one in RELATIONS}


@dataclass(frozen=True, slots=True)
class Document:
    """The lines of the JSON, and how many entities and edges they hold."""

    lines: tuple[str, ...]
    entities: int
    edges: int


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of the edges of a file: links ``added``, links that were there (``unchanged``),
    and ``derived`` ones, which are read from commits, sessions and the index instead."""

    added: int
    unchanged: int
    derived: int
    problems: tuple[Problem, ...]


def document(app: App) -> Document:
    """All entities and edges of a project as one JSON object, an entity or edge a line."""
    titles = dict[str, str]()
    edges = dict.fromkeys(_edges(app, titles))
    ends = {end for edge in edges for end in (edge.source, edge.target)} | titles.keys()
    entities = [_entity(one, titles.get(one, "")) for one in sorted(ends)]
    told = [_edge(one) for one in sorted(edges, key=_order)]
    head = {"format": FORMAT, "version": VERSION, "project": app.identity.key}
    lines = [
        _text(head)[:-1] + ',"entities":[',
        *_rows(entities),
        '],"edges":[',
        *_rows(told),
        "]}",
    ]
    return Document(tuple(lines), len(entities), len(told))


def _rows(values: list[dict[str, Any]]) -> Iterator[str]:
    for place, one in enumerate(values):
        yield _text(one) + ("," if place + 1 < len(values) else "")


def _text(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _edges(app: App, titles: dict[str, str]) -> Iterator[Edge]:
    """Every edge; the titles of what was read on the way go into ``titles``."""
    kinds = dict[str, str]()
    for memory in memories.every(app.store):
        kinds[memory.id] = memory.kind
        titles[entity_graph.key_of(memory)] = clean(memory.headline)
        yield from entity_edges.of_memory(memory)
    for link in memories.every_link(app.store):
        edge = entity_edges.of_link(link, kinds)
        if edge is not None:
            yield edge
    for commit in commit_ends.every(app.store):
        titles[key("commit", commit.sha)] = commit.subject
        yield from entity_graph.commit_edges(commit)
    every = session_ends.every(app.store)
    viewed = session_ends.viewed(app.store, [one.id for one in every])
    for session in every:
        titles[key("session", session.id)] = clean(session.goal or session.summary)
        yield from entity_edges.of_session(session, viewed.get(session.id, ()))
    for path, container, name in defined_names.every(app.store, app.worktree):
        symbol = entity_graph.name_in(path, container, name)
        yield Edge(key("file", path), "defines", key("symbol", symbol), None)


def _order(edge: Edge) -> tuple[str, str, str, int, int, str]:
    return edge.source, edge.relation, edge.target, edge.since or 0, edge.until or 0, edge.note


def _entity(named: str, title: str) -> dict[str, Any]:
    kind, name = parted(named)
    return {"key": _printable(named), "kind": kind, "name": _printable(name), "title": title}


def _edge(edge: Edge) -> dict[str, Any]:
    return {
        "source": _printable(edge.source),
        "relation": edge.relation,
        "target": _printable(edge.target),
        "since": edge.since,
        "until": edge.until,
        "note": clean(edge.note) if edge.note else "",
    }


def _printable(name: str) -> str:
    """A name that UTF-8 can hold: a path may be of bytes that are no text."""
    return name.encode("utf-8", "backslashreplace").decode("utf-8")


def take(app: App, text: str, *, own: bool, dry_run: bool) -> Taken:
    """Take the links of such a document whose memories are here. Taking it twice changes nothing.

    Without ``own`` a link may start at a foreign memory only, as with ``gitmem import``. Raises
    InvalidInput for what is no such document.
    """
    edges = _read(text)
    problems = list[Problem]()
    counts = {"added": 0, "unchanged": 0, "derived": 0}
    with app.store.write():
        for number, edge in enumerate(edges, 1):
            link = _link(app, edge)
            if link is None:
                counts["derived"] += 1
                continue
            try:
                counts[_take(app, link, own=own, dry_run=dry_run)] += 1
            except Conflict as error:
                problems.append(Problem(number, f"{error.message} {error.hint}".strip()))
    return Taken(counts["added"], counts["unchanged"], counts["derived"], tuple(problems))


def _read(text: str) -> list[dict[str, Any]]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise InvalidInput(
            "This is no export of entities.", "Give the file that `gitmem entity export` wrote."
        )
    if found.get("version") != VERSION:
        raise InvalidInput(
            f"This export has version {str(found.get('version'))[:20]}, and {VERSION} is known.",
            "Export it again with this version of gitmem.",
        )
    edges = found.get("edges")
    return [one for one in edges if isinstance(one, dict)] if isinstance(edges, list) else []


def _link(app: App, edge: Mapping[str, Any]) -> Link | None:
    """The link that an edge says; None where it is none between memories or to a commit."""
    source, target = str(edge.get("source", "")), str(edge.get("target", ""))
    relation = _LINKS.get(str(edge.get("relation", "")), "")
    kind, id = parted(source)
    other, end = parted(target)
    if not relation or kind not in MEMORY_KINDS or other not in (*MEMORY_KINDS, "commit"):
        return None
    note, since = edge.get("note"), edge.get("since")
    return Link(
        app.new_id(),
        id,
        target if other == "commit" else end,
        relation,
        0.5,
        note if isinstance(note, str) else "",
        since if isinstance(since, int) and 0 <= since <= app.now else app.now,
    )


def _take(app: App, link: Link, *, own: bool, dry_run: bool) -> str:
    """Store one link; ``added`` or ``unchanged``. Raises Conflict."""
    ends = [one for one in (link.source, link.target) if not one.startswith(entity_edges.COMMIT)]
    here = link_graph.memories_of(app.store, ends)
    if len(here) < len(set(ends)):
        raise Conflict("A memory that it links is not here.", "Run `gitmem import` first.")
    if link.source == link.target:
        raise Conflict("A memory cannot be linked to itself.")
    if link_graph.link_between(app.store, link.source, link.target, link.relation):
        return "unchanged"
    problems, counts = list[Problem](), {"links": 0}
    Intake(app, own, dry_run, counts, problems, set(), set(), [], "project").take([(0, link)])
    if problems:
        raise Conflict(problems[0].error)
    target = here.get(link.target)
    replaced = link.relation == "SUPERSEDES" and target is not None and not target.superseded_by
    if replaced and target is not None and not dry_run:
        supersede(app, app.store, target, link.source, context=link.context)
    return "added"
