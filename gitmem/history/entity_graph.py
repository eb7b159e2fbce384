"""The graph of a project's entities over time, read from the store whenever it is needed.

Its edges come from memories, links, indexed commits, sessions and definitions. Memories of other
branches, sub-projects or sessions are left out.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TypeVar

from gitmem.app import App
from gitmem.errors import InvalidInput
from gitmem.memory import citations
from gitmem.memory.relations import COMMIT
from gitmem.model.entity import (
    MEMORY_KINDS,
    EntityEdge,
    entity_key,
    memory_entity_key,
    split_entity_key,
)
from gitmem.model.frozen import replace
from gitmem.model.memory import Link, Memory
from gitmem.model.session import Session
from gitmem.retrieval import request_filters
from gitmem.store.code import commit_ends, commits, symbols
from gitmem.store.code.commits import IndexedCommit
from gitmem.store.code.symbols import Symbol
from gitmem.store.db.columns import json_array
from gitmem.store.memory import link_graph, memories, memory_ends, memory_search, rewritten_commits
from gitmem.store.memory.expiry import UNACCEPTED
from gitmem.store.memory.filters import MemoryFilter
from gitmem.store.session import session_ends, sessions
from gitmem.text import issues

T = TypeVar("T")
_AT_ONCE = 5_000  # commits in one query
FAN_OUT = 200  # edges of an entity and a kind that are followed, the newest


class EntityGraph:
    """The graph of what a project consists of (memories, files, commits, people ...) at a time.

    Such an entity has a key ``kind:name``. ``at`` is the time in milliseconds since 1970 (None:
    any). ``cut`` maps entities with too many edges to their number, of which only the newest are
    followed. ``memories``, ``commits`` and ``sessions`` are those read so far; ``definitions`` says
    whether the definitions in files belong to the graph.
    """

    def __init__(self, app: App, at: int | None = None, *, definitions: bool = True) -> None:
        self.app = app
        self.store = app.store
        self.at = at
        self.cut: dict[str, int] = {}
        self.memories: dict[str, Memory] = {}
        self.commits: dict[str, IndexedCommit] = {}
        self.sessions: dict[str, Session] = {}
        self._definitions = definitions and at is None
        self._hidden: set[str] = set()

    def edges_of(self, keys: Collection[str]) -> list[EntityEdge]:
        """Return the edges (relations) from or to any of these entities at the graph's time."""
        names: dict[str, list[str]] = {}
        for entity in sorted(keys):
            kind, name = split_entity_key(entity)
            names.setdefault("memory" if kind in MEMORY_KINDS else kind, []).append(name)
        edges = dict.fromkeys(self._of_memories(names))
        edges |= dict.fromkeys(self._of_commits(names))
        edges |= dict.fromkeys(self._of_sessions(names))
        edges |= dict.fromkeys(self._of_files(names))
        return [
            edge
            for edge in edges
            if (edge.source in keys or edge.target in keys) and edge_existed_at(edge, self.at)
        ]

    def count_edges(self, entity_key: str, edges_read: int) -> int:
        """Return how many edges an entity has in all, of which ``edges_read`` were read."""
        return max(edges_read, self.cut.get(entity_key, 0)) if edges_read >= FAN_OUT else edges_read

    def _of_memories(self, names: dict[str, list[str]]) -> Iterator[EntityEdge]:
        ids = dict.fromkeys(names.get("memory", []))
        for column, kind in (
            *(("agent", "agent"), ("author", "author"), ("session", "session")),
            *(("branch", "branch"), ("commit_id", "commit"), ("project", "project")),
        ):
            if kind in names:
                pairs = memory_ends.memories_by_column(self.store, column, names[kind])
                ids |= dict.fromkeys(self._newest(kind, pairs))
        of_symbols = dict.fromkeys(name.partition("::")[0] for name in names.get("symbol", ()))
        for path in (*names.get("file", ()), *of_symbols):
            pairs = [(path, id) for id in memory_ends.memories_about_path(self.store, path)]
            ids |= dict.fromkeys(self._newest("file", pairs))
        ids |= dict.fromkeys(
            memory_ends.memories_of_errors_fixed_by_commits(self.store, names.get("commit", ()))
        )
        ids |= dict.fromkeys(self._memories_naming(names.get("issue", ())))
        commits = [COMMIT + sha for sha in names.get("commit", ())]
        links = link_graph.links_of_memories(self.store, [*names.get("memory", ()), *commits])
        ends = [end for link in links for end in (link.source, link.target)]
        linked = (end for end in ends if not end.startswith(COMMIT))
        self._load([*ids, *linked], requested_ids=names.get("memory", ()))
        for id in ids:
            if id in self.memories:
                yield from edges_of_memory(self.memories[id])
        kinds = {id: memory.kind for id, memory in self.memories.items()}
        for link in links:
            edge = edge_of_link(link, kinds)
            if edge is not None:
                yield edge

    def _memories_naming(self, issues: Iterable[str]) -> Iterator[str]:
        """Ids of memories whose words may name the issues; their edges decide."""
        for issue in issues:
            every = MemoryFilter(states=(), now=None)
            words = f'"{issue.lstrip("#")}"'
            rows = memory_search.best_matching_memories(self.store, words, every, FAN_OUT)
            for memory in memories.memories_by_row_number(
                self.store, [row for row, _ in rows], every
            ):
                yield memory.id

    def _load(self, ids: Iterable[str], requested_ids: Iterable[str]) -> None:
        """Read memories that were not read yet; those that are not visible here are left out.

        So are proposals that nobody accepted, unless they are in ``requested_ids``.
        """
        new = [
            id for id in dict.fromkeys(ids) if id not in self.memories | dict.fromkeys(self._hidden)
        ]
        if not new:
            return
        here = request_filters.memory_filter_for_store(
            self.app, self.store, MemoryFilter(states=())
        )
        listed = "m.id IN (SELECT value FROM json_each(?))"
        among = (
            f"{listed} AND (NOT {UNACCEPTED} OR {listed})",
            [json_array(new), json_array(requested_ids)],
        )
        filter = replace(here, extra_conditions=(*here.extra_conditions, among))
        loaded = memories.select_memories(self.store, filter, limit=len(new))
        self.memories |= {memory.id: memory for memory in loaded}
        self._hidden |= set(new) - self.memories.keys()

    def _of_commits(self, names: dict[str, list[str]]) -> Iterator[EntityEdge]:
        numbers = commit_ends.row_numbers_of_commits(self.store, names.get("commit", ()))
        for kind, ask in (
            ("author", commit_ends.commits_of_authors),
            ("issue", commit_ends.commits_naming_issues),
            ("file", commit_ends.commits_changing_paths),
        ):
            if kind in names:
                numbers += self._newest(kind, ask(self.store, names[kind]))
        row_numbers = list(dict.fromkeys(numbers))
        for start in range(0, len(row_numbers), _AT_ONCE):
            part = row_numbers[start : start + _AT_ONCE]
            for commit in commits.commits_by_row_number(self.store, part).values():
                self.commits[commit.sha] = commit
                yield from edges_of_indexed_commit(commit)
        for old, new, how, at in rewritten_commits.rewrites_of_commits(
            self.store, names.get("commit", ())
        ):
            yield EntityEdge(
                entity_key("commit", new), "replaces", entity_key("commit", old), at, None, how
            )

    def _of_sessions(self, names: dict[str, list[str]]) -> Iterator[EntityEdge]:
        ids = dict.fromkeys(names.get("session", ()))
        for column, kind in (
            *(("agent", "agent"), ("branch", "branch"), ("worktree", "worktree")),
            *(("head_start", "commit"), ("head_end", "commit")),
        ):
            if kind in names:
                pairs = session_ends.sessions_by_column(self.store, column, names[kind])
                ids |= dict.fromkeys(self._newest(kind, pairs))
        opening = session_ends.sessions_viewing_files(self.store, names.get("file", ()))
        ids |= dict.fromkeys(self._newest("file", opening))
        viewed = session_ends.viewed_files_by_session(self.store, ids)
        for session in sessions.sessions_by_ids(self.store, list(ids)):
            self.sessions[session.id] = session
            yield from edges_of_session(session, viewed.get(session.id, ()))

    def _of_files(self, names: dict[str, list[str]]) -> Iterator[EntityEdge]:
        """The definitions in files, as indexed now; those of the past are not known."""
        if not self._definitions:
            return
        for path in names.get("file", ()):
            defined = symbols.symbols_of_path(self.store, self.app.worktree, path)
            pairs = [(path, entity_name_of_symbol(symbol)) for symbol in defined]
            for name in dict.fromkeys(self._newest("file", pairs)):
                yield EntityEdge(
                    entity_key("file", path), "defines", entity_key("symbol", name), None
                )
        for name in names.get("symbol", ()):
            path = name.partition("::")[0]
            yield EntityEdge(entity_key("file", path), "defines", entity_key("symbol", name), None)

    def _newest(self, kind: str, pairs: Iterable[tuple[str, T]]) -> list[T]:
        """At most ``FAN_OUT`` items for each name, the newest; names with more go into ``cut``."""
        counts: dict[str, int] = {}
        newest = []
        for name, item in pairs:
            counts[name] = counts.get(name, 0) + 1
            if counts[name] <= FAN_OUT:
                newest.append(item)
        for name, count in counts.items():
            if count > FAN_OUT:
                at = entity_key(kind, name)
                self.cut[at] = max(count, self.cut.get(at, 0))
        return newest


def edges_of_indexed_commit(indexed_commit: IndexedCommit) -> Iterator[EntityEdge]:
    """Yield edges (relations) from an indexed commit to its files, author and named issues."""
    message = f"{indexed_commit.subject}\n{indexed_commit.body}"
    return edges_of_commit(
        indexed_commit.sha, indexed_commit.author, indexed_commit.at, message, indexed_commit.paths
    )


def entity_name_of_symbol(symbol: Symbol) -> str:
    """Return the name that a definition has in the graph: ``src/app.py::Server.start``."""
    return entity_name_of_definition(symbol.path, symbol.container, symbol.name)


def entity_name_of_definition(path: str, container: str, name: str) -> str:
    """Return the name that a definition has in the graph: ``src/app.py::Server.start``.

    ``container`` is what it is in, such as ``class Server``, or empty.
    """
    return f"{path}::{'.'.join((*container.split()[-1:], name))}"


def entity_key_of_memory(memory: Memory) -> str:
    """Return the key of a memory in the graph, such as ``decision:01AB...``."""
    return memory_entity_key(memory.kind, memory.id)


def edges_of_memory(memory: Memory) -> Iterator[EntityEdge]:
    """Yield edges (relations) from a memory to its author, session, commit, code and issues."""
    here = memory_entity_key(memory.kind, memory.id)
    since = memory.in_force_since_ms
    ends = [at for at in (memory.valid_until, memory.archived_at) if at is not None]
    until = min(ends, default=None)
    about = "decides_for" if memory.kind == "decision" else "about"
    issue_names = issues.issue_references(f"{memory.title}\n{memory.content}")
    for relation, target in (
        *((about, place) for place in entity_keys_of_citations(memory.paths)),
        *(("mentions", entity_key("issue", issue)) for issue in issue_names),
    ):
        yield EntityEdge(here, relation, target, since, until)
    for relation, kind, name in (
        ("written_by", "agent", memory.agent),
        ("written_by", "author", memory.author),
        ("written_in", "session", memory.session),
        ("written_on", "branch", memory.branch),
        ("written_at", "commit", memory.saved_commit),
        ("scoped_to", "project", memory.project if memory.scope == "project" else ""),
    ):
        if name:
            yield EntityEdge(here, relation, entity_key(kind, name), memory.created_at)


def entity_keys_of_citations(cited_texts: Iterable[str]) -> list[str]:
    """Return the keys of the files and symbols that citations such as ``a.py::f`` name.

    A symbol adds the key of its file; malformed citations are skipped.
    """
    keys: dict[str, None] = {}
    for text in cited_texts:
        try:
            cited = citations.parse_citation(text)
        except InvalidInput:
            continue
        keys[entity_key("file", cited.path.rstrip("/"))] = None
        if cited.symbol:
            keys[entity_key("symbol", f"{cited.path}::{cited.symbol}")] = None
    return list(keys)


def edges_of_commit(
    sha: str, author: str, committed_ms: int, message: str, paths: Iterable[str]
) -> Iterator[EntityEdge]:
    """Yield edges (relations) from a commit to its files, author, and issues in its message."""
    here = entity_key("commit", sha)
    for path in paths:
        yield EntityEdge(here, "changed", entity_key("file", path), committed_ms)
    if author:
        yield EntityEdge(here, "made_by", entity_key("author", author), committed_ms)
    for issue in issues.issue_references(message):
        yield EntityEdge(here, "mentions", entity_key("issue", issue), committed_ms)


def edges_of_session(
    session: Session, viewed_paths_and_times: Iterable[tuple[str, int]]
) -> Iterator[EntityEdge]:
    """Yield the edges from a session to its agent, branch, worktree, commits and viewed files.

    ``viewed_paths_and_times`` are (path, milliseconds since 1970) pairs.
    """
    here = entity_key("session", session.id)
    for relation, kind, name, at in (
        ("uses_agent", "agent", session.agent, session.started_at),
        ("worked_on", "branch", session.branch, session.started_at),
        ("worked_in", "worktree", session.worktree, session.started_at),
        ("began_at", "commit", session.head_start, session.started_at),
        ("ended_at", "commit", session.head_end, session.ended_at or session.last_at),
    ):
        if name:
            yield EntityEdge(here, relation, entity_key(kind, name), at)
    for path, at in viewed_paths_and_times:
        yield EntityEdge(here, "opened", entity_key("file", path), at)


def edge_of_link(link: Link, kinds_by_id: Mapping[str, str]) -> EntityEdge | None:
    """Return a link between memories as an edge of the graph; None if it leads to none known.

    ``kinds_by_id`` maps the ids of known memories to their kinds.
    """
    ends = []
    for end in (link.source, link.target):
        if end.startswith(COMMIT):
            ends.append(end)
        elif end in kinds_by_id:
            ends.append(memory_entity_key(kinds_by_id[end], end))
    if len(ends) < 2:
        return None
    return EntityEdge(
        ends[0],
        link.relation.lower(),
        ends[1],
        link.created_at,
        None,
        link.context,
        link.strength,
    )


def edge_existed_at(edge: EntityEdge, time_ms: int | None) -> bool:
    """Return whether an edge existed at a time, in milliseconds since 1970 (None: at any)."""
    if time_ms is None:
        return True
    return (
        edge.since is not None
        and edge.since <= time_ms
        and (edge.until is None or time_ms < edge.until)
    )
