"""The timeline of an entity: the beginnings and ends of all its edges, and its changes."""

import os
from collections.abc import Iterable, Iterator

from gitmem.app import App
from gitmem.errors import GitmemError
from gitmem.git.lines import line_history
from gitmem.history import entity_graph, entity_lineage
from gitmem.history import target as targets
from gitmem.history.entity_graph import EntityGraph
from gitmem.history.related_items import titles_of_entities
from gitmem.memory.trust import headline_with_marks
from gitmem.model.entity import MEMORY_KINDS, EntityEdge, entity_key, split_entity_key
from gitmem.model.frozen import dataclass
from gitmem.store.memory import memories
from gitmem.store.session import sessions
from gitmem.text.fence import one_line

_MAX_COMMITS = 200  # that changed the lines of a definition


@dataclass(frozen=True, slots=True)
class EntityEvent:
    """Something that happened to a file, memory, commit or the like, at ``at`` (ms since 1970).

    ``what`` is the kind of event, ``other`` the key of what else took part (empty: nothing),
    ``text`` has details.
    """

    at: int
    what: str
    other: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class EntityTimeline:
    """The events of a file, memory or the like, newest first; ``notes`` say what is missing."""

    moments: tuple[EntityEvent, ...]
    notes: tuple[str, ...]
    graph: EntityGraph

    def titles_by_key(self, entity_keys: set[str]) -> dict[str, str]:
        """Return the title of each entity, by key: a commit's subject, a memory's title, a goal."""
        return {
            key: headline_with_marks(title.text, title.state, title.trust)
            for key, title in titles_of_entities(self.graph, entity_keys).items()
        }


def read_entity_timeline(
    app: App, key_of_entity: str, since_ms: int | None = None, until_ms: int | None = None
) -> EntityTimeline:
    """Return the events of a file, memory, commit, person or the like between two times.

    ``key_of_entity`` is ``kind:name``, such as ``file:src/app.py``; the times are in milliseconds
    since 1970, None for no limit.
    """
    kind, name = split_entity_key(key_of_entity)
    notes = list[str]()
    keys = {key_of_entity}
    moments_found: dict[EntityEvent, None] = {}
    if kind == "file":
        line = entity_lineage.find_file_lineage(app, name)
        keys |= {entity_key("file", name_of_file) for name_of_file, _ in line.names}
        for edge in line.edges:
            at = app.now if edge.since is None else edge.since  # not committed yet
            moments_found[EntityEvent(at, "renamed_from", edge.target, edge.note)] = None
        if os.path.isdir(os.path.join(app.worktree, name)):
            shown = one_line(name, 200)
            notes.append(f"A folder: `gitmem changes --path {shown}` shows what changed in it.")
        if not line.complete:
            notes.append("git was stopped after its time: earlier names may be missing.")
    graph = EntityGraph(app, definitions=False)
    for edge in graph.edges_of(keys):
        moments_found |= dict.fromkeys(_moments(edge, keys, kind))
    if key_of_entity in graph.cut:
        notes.append(f"Only the newest {entity_graph.FAN_OUT} of each kind are looked at.")
    if kind in MEMORY_KINDS:
        moments_found |= dict.fromkeys(_versions(app, name))
    elif kind == "session":
        moments_found |= dict.fromkeys(_events(app, name))
    elif kind == "symbol":
        commits, complete = _changes(app, name)
        moments_found |= dict.fromkeys(commits)
        if not complete:
            notes.append("git was stopped after its time: older changes may be missing.")
    if kind in ("file", "symbol") and (cut := entity_lineage.describe_missing_history(app)):
        notes.append(cut)
    moments = [
        moment
        for moment in moments_found
        if (since_ms is None or moment.at >= since_ms)
        and (until_ms is None or moment.at <= until_ms)
    ]
    moments.sort(key=lambda moment: (-moment.at, moment.what, moment.other, moment.text))
    return EntityTimeline(tuple(moments), tuple(notes), graph)


def _moments(edge: EntityEdge, keys: Iterable[str], kind: str) -> Iterator[EntityEvent]:
    outward = edge.source in keys
    if edge.since is None or (outward and kind in MEMORY_KINDS and edge.relation in _BORN):
        return  # known of the present only, or the provenance of a memory
    other = edge.target if outward else edge.source
    # "made_by" seen from its target is "made", other relations get a "by".
    done = edge.relation.removesuffix("_by")
    what = edge.relation if outward else done if done != edge.relation else f"{done} by"
    yield EntityEvent(edge.since, what, other, edge.note)
    if edge.until is not None:
        yield EntityEvent(edge.until, f"{what}, until now", other)


_BORN = frozenset(
    (
        *("about", "decides_for", "mentions"),
        *("written_by", "written_in", "written_on", "written_at", "scoped_to"),
    )
)


def _versions(app: App, id: str) -> Iterator[EntityEvent]:
    memory = memories.get_memory(app.store, id)
    earlier = memories.earlier_versions(app.store, id)
    if memory is None:
        return
    first = earlier[0].memory if earlier else memory
    yield EntityEvent(
        first.created_at, "added", "", f"by {first.agent or first.author or 'person'}"
    )
    for version in earlier:
        yield EntityEvent(
            version.at, version.action, "", f"by {version.agent}" if version.agent else ""
        )


def _events(app: App, id: str) -> Iterator[EntityEvent]:
    for event in sessions.events_in_period(app.store, session=id):
        yield EntityEvent(event.at, event.type, "", event.text)


def _changes(app: App, name: str) -> tuple[list[EntityEvent], bool]:
    """The commits that changed the lines of a definition, and whether git could finish."""
    try:
        target = targets.resolve_code_target(app, name)
    except GitmemError:
        return [], True
    if target.lines is None or not app.git_head.commit:
        return [], True
    log, complete = line_history.commits_changing_lines(
        app.layout.cwd, target.path, target.lines, _MAX_COMMITS
    )
    changes = [
        EntityEvent(
            commit.committed_time * 1000,
            "changed by",
            entity_key("commit", commit.sha),
            commit.subject,
        )
        for commit in log
    ]
    return changes, complete
