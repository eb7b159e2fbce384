"""How a memory looks in a result: the JSON that every surface shares, and its lines for people."""

import json
from collections.abc import Sequence

from gitmem.clock import iso
from gitmem.model.memory import Memory
from gitmem.model.value import dataclass
from gitmem.store import lookup
from gitmem.store.connection import Database
from gitmem.text.fence import neutralise, one_line

WIDTH = 100


@dataclass(frozen=True, slots=True)
class MemoryItem:
    """A memory in a result. Times are ISO 8601 UTC; ``handle`` is a short id that is enough."""

    id: str
    handle: str
    kind: str
    title: str
    content: str
    tags: tuple[str, ...]
    paths: tuple[str, ...]
    score: float | None
    similarity: float | None
    state: str
    status: str
    scope: str
    weight: int
    importance: float
    pinned: bool
    source: str
    agent: str
    branch: str
    commit: str
    session: str
    created_at: str
    updated_at: str
    expires_at: str | None
    superseded_by: str
    version: int
    why: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CommitItem:
    """A commit in a result."""

    commit: str
    author: str
    at: str
    subject: str


def item(
    database: Database, memory: Memory, *, score: float | None = None, why: Sequence[str] = ()
) -> MemoryItem:
    """The memory as an item of a result."""
    return MemoryItem(
        id=memory.id,
        handle=lookup.shortest(database, memory.id),
        kind=memory.kind,
        title=memory.title,
        content=memory.content,
        tags=memory.tags,
        paths=memory.paths,
        score=score,
        similarity=None,
        state=memory.state,
        status=memory.status,
        scope=memory.scope,
        weight=memory.weight,
        importance=memory.importance,
        pinned=memory.pinned,
        source=memory.source,
        agent=memory.agent,
        branch=memory.branch,
        commit=memory.commit,
        session=memory.session,
        created_at=iso(memory.created_at),
        updated_at=iso(memory.updated_at),
        expires_at=None if memory.expires_at is None else iso(memory.expires_at),
        superseded_by=memory.superseded_by,
        version=memory.version,
        why=tuple(why),
    )


def headline(found: MemoryItem) -> str:
    """One line: handle, kind, what it says, and what is unusual about it."""
    marks = [mark for mark in (found.state,) if mark != "active"]
    marks += ["pinned"] if found.pinned else []
    marks += ["global"] if found.scope == "global" else []
    tail = f"  [{', '.join(marks)}]" if marks else ""
    text = found.title or found.content
    return f"{found.handle}  {found.kind:<10} {one_line(text, WIDTH - 22 - len(tail))}{tail}"


def paragraph(found: MemoryItem, lines: int = 3) -> str:
    """The headline, then the beginning of the text, and where it belongs."""
    out = [headline(found)]
    if found.title and found.content:
        body = [line for line in neutralise(found.content).splitlines() if line.strip()]
        out += ["    " + one_line(line, WIDTH - 4) for line in body[:lines]]
        if len(body) > lines:
            out.append(f"    … {len(body) - lines} more lines: gitmem show {found.handle}")
    about = [found.created_at[:10], *(f"#{tag}" for tag in found.tags), *found.paths, *found.why]
    out.append("    " + one_line("  ".join(about), WIDTH - 4))
    return "\n".join(out)


def whole(found: MemoryItem, metadata: str = "") -> str:
    """Everything about a memory."""
    rows = [
        ("id", found.id),
        ("kind", f"{found.kind} ({found.status})" if found.status else found.kind),
        ("state", found.state + (", pinned" if found.pinned else "")),
        ("scope", found.scope),
        ("tags", " ".join(found.tags)),
        ("paths", " ".join(found.paths)),
        ("weight", f"{found.weight}, importance {found.importance:g}"),
        ("said by", f"{found.agent or 'person'} ({found.source})"),
        ("on", f"{found.branch} {found.commit[:12]}".strip()),
        ("created", found.created_at),
        ("updated", f"{found.updated_at} (version {found.version})" if found.version > 1 else ""),
        ("expires", found.expires_at or ""),
        ("replaced by", found.superseded_by),
        ("metadata", "" if metadata in ("", "{}") else metadata),
    ]
    head = [f"{name:>11}  {one_line(value, 200)}" for name, value in rows if value]
    title = [one_line(found.title, 200), ""] if found.title else []
    return "\n".join([*title, neutralise(found.content), "", *head])


def listing(found: Sequence[MemoryItem], empty: str) -> str:
    """A line for each memory, or the sentence for none."""
    return "\n".join(map(headline, found)) if found else empty


def metadata_of(memory: Memory) -> dict[str, object]:
    """The memory's metadata as an object."""
    value = json.loads(memory.metadata or "{}")
    assert isinstance(value, dict)
    return value
