"""Entities of a project and their relations: nodes and edges of its temporal graph.

An entity is named by a key, ``kind:name``: ``file:src/app.py``, ``commit:<id>``, ``issue:#12``,
``symbol:src/app.py::Server.start``, ``author:Ada``, ``agent:codex``, ``branch:main``,
``session:<id>``, ``decision:<id>``. Memories of other kinds than decision, skill, task and error
are ``memory:<id>``.
"""

from __future__ import annotations

from gitmem.model.frozen import dataclass

MEMORY_KINDS = ("memory", "decision", "skill", "task", "error")
KINDS = (
    *("project", "worktree", "branch", "session", "agent", "author"),
    *("file", "symbol", "commit", "issue"),
    *MEMORY_KINDS,
)
# Kinds to which nearly everything is related: a path through one of these says nothing.
HUBS = frozenset(("project", "worktree", "branch", "agent", "author"))


@dataclass(frozen=True, slots=True)
class EntityEdge:
    """A relation between two entities, from ``since`` until ``until`` (milliseconds).

    ``since`` is None if only the present is known, as for definitions in a file; ``until`` is None
    while the relation lasts. ``note`` is a comment, such as why two memories are linked;
    ``strength``, 0 to 1, is how strong a link is.
    """

    source: str
    relation: str
    target: str
    since: int | None
    until: int | None = None
    note: str = ""
    strength: float = 1.0


def entity_key(kind: str, name: str) -> str:
    """The key of an entity with this kind and name."""
    return f"{kind}:{name}"


def split_entity_key(key: str) -> tuple[str, str]:
    """The kind and the name in an entity's key."""
    kind, _, name = key.partition(":")
    return kind, name


def memory_entity_key(kind: str, id: str) -> str:
    """The key of a memory as an entity, by its kind."""
    return entity_key(kind if kind in MEMORY_KINDS else "memory", id)
