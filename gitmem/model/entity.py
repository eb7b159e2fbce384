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
    """A relation between two things of a project, such as a file, commit, author or memory.

    ``source`` and ``target`` are keys, as of ``entity_key``. ``since`` and ``until`` are
    milliseconds since 1970; ``since`` is None if only the present is known, ``until`` while the
    relation lasts. ``note`` is a comment; ``strength``, 0 to 1, is how strong a link between
    memories is.
    """

    source: str
    relation: str
    target: str
    since: int | None
    until: int | None = None
    note: str = ""
    strength: float = 1.0


def entity_key(kind: str, name: str) -> str:
    """Return the key ``kind:name`` of a thing in a project, such as ``file:src/app.py``."""
    return f"{kind}:{name}"


def split_entity_key(key: str) -> tuple[str, str]:
    """Return the kind and the name in a key of the form ``kind:name``."""
    kind, _, name = key.partition(":")
    return kind, name


def memory_entity_key(kind: str, id: str) -> str:
    """Return the key of a memory, ``decision:ID`` for instance, or ``memory:ID`` for most kinds."""
    return entity_key(kind if kind in MEMORY_KINDS else "memory", id)
