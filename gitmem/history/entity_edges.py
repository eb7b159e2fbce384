"""The edges that memories, commits, sessions and links add to the entity graph. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from gitmem.errors import InvalidInput
from gitmem.memory import citations
from gitmem.memory.relations import COMMIT
from gitmem.model.entity import Edge, key, memory_key
from gitmem.model.memory import Link, Memory
from gitmem.model.session import Session
from gitmem.text import issues


def edges_of_memory(memory: Memory) -> Iterator[Edge]:
    """The edges of a memory: its provenance, the code that it cites, the issues that it names."""
    here = memory_key(memory.kind, memory.id)
    since = memory.begins
    ends = [at for at in (memory.valid_until, memory.archived_at) if at is not None]
    until = min(ends, default=None)
    about = "decides_for" if memory.kind == "decision" else "about"
    named = issues.issues_in(f"{memory.title}\n{memory.content}")
    for relation, target in (
        *((about, place) for place in places(memory.paths)),
        *(("mentions", key("issue", issue)) for issue in named),
    ):
        yield Edge(here, relation, target, since, until)
    for relation, kind, name in (
        ("written_by", "agent", memory.agent),
        ("written_by", "author", memory.author),
        ("written_in", "session", memory.session),
        ("written_on", "branch", memory.branch),
        ("written_at", "commit", memory.written_at),
        ("scoped_to", "project", memory.project if memory.scope == "project" else ""),
    ):
        if name:
            yield Edge(here, relation, key(kind, name), memory.created_at)


def places(paths: Iterable[str]) -> list[str]:
    """The keys of the files and symbols in some citations, without repeats.

    A symbol gives its file, too.
    """
    keys: dict[str, None] = {}
    for text in paths:
        try:
            cited = citations.parse(text)
        except InvalidInput:
            continue
        keys[key("file", cited.path.rstrip("/"))] = None
        if cited.symbol:
            keys[key("symbol", f"{cited.path}::{cited.symbol}")] = None
    return list(keys)


def edges_of_commit(
    sha: str, author: str, at: int, message: str, paths: Iterable[str]
) -> Iterator[Edge]:
    """The edges of a commit: its files, its author, and the issues in its message."""
    here = key("commit", sha)
    for path in paths:
        yield Edge(here, "changed", key("file", path), at)
    if author:
        yield Edge(here, "made_by", key("author", author), at)
    for issue in issues.issues_in(message):
        yield Edge(here, "mentions", key("issue", issue), at)


def edges_of_session(session: Session, viewed: Iterable[tuple[str, int]]) -> Iterator[Edge]:
    """The edges of a session: agent, branch, worktree, first and last commit, viewed files."""
    here = key("session", session.id)
    for relation, kind, name, at in (
        ("uses_agent", "agent", session.agent, session.started_at),
        ("worked_on", "branch", session.branch, session.started_at),
        ("worked_in", "worktree", session.worktree, session.started_at),
        ("began_at", "commit", session.head_start, session.started_at),
        ("ended_at", "commit", session.head_end, session.ended_at or session.last_at),
    ):
        if name:
            yield Edge(here, relation, key(kind, name), at)
    for path, at in viewed:
        yield Edge(here, "opened", key("file", path), at)


def edge_of_link(link: Link, kinds: Mapping[str, str]) -> Edge | None:
    """The edge for a link; None if a memory at one of its ends is unknown.

    ``kinds`` maps memory ids to kinds.
    """
    ends = []
    for end in (link.source, link.target):
        if end.startswith(COMMIT):
            ends.append(end)
        elif end in kinds:
            ends.append(memory_key(kinds[end], end))
    if len(ends) < 2:
        return None
    return Edge(
        ends[0],
        link.relation.lower(),
        ends[1],
        link.created_at,
        None,
        link.context,
        link.strength,
    )


def is_in_force(edge: Edge, at: int | None) -> bool:
    """Whether an edge existed at a time, or ever for None.

    An edge without a beginning exists only now.
    """
    if at is None:
        return True
    return edge.since is not None and edge.since <= at and (edge.until is None or at < edge.until)
