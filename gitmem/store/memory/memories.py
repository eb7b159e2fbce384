"""Reading memories: rows to values, history, links.

Each row carries a hash of its content; a row whose hash does not fit was damaged on the disk and is
reported, never shown as if it were whole.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence

from gitmem.errors import StoreDamaged
from gitmem.model.memory import Link, Memory, Version
from gitmem.store.db.connection import Database, Row
from gitmem.store.memory.filters import STATE_SQL, Filter

# In the order of the fields of ``Memory`` (``seq`` first here, last there).
COLUMNS = (
    "seq, id, scope, project, kind, title, content, tags, paths, weight, importance, confidence, "
    "pinned, source, agent, author, session, branch, commit_id, status, metadata, ttl_ms, "
    "expires_at, archived_at, superseded_by, created_at, updated_at, version, layer, trust, "
    "valid_from, valid_until, hash"
)
_HASH = len(COLUMNS.split(",")) - 1


def from_row(row: Row, path: str = "") -> Memory:
    """A memory from a row of ``COLUMNS``, its hash verified. Raises StoreDamaged."""
    try:
        memory = _read(row)
        whole = content_hash(memory) == row[_HASH]
    except (ValueError, TypeError):
        # Lists that are no JSON any more, a number where text was.
        whole = False
    if not whole:
        raise StoreDamaged(
            f"Memory {row[1]} in {path} does not match its hash: the file was damaged.",
            "Run `gitmem doctor`; `gitmem restore-backup` brings the last backup back.",
        )
    return memory


def _read(row: Row) -> Memory:
    return Memory(
        id=row[1],
        scope=row[2],
        project=row[3],
        kind=row[4],
        title=row[5],
        content=row[6],
        tags=tuple(json.loads(row[7])),
        paths=tuple(json.loads(row[8])),
        weight=row[9],
        importance=row[10],
        confidence=row[11],
        pinned=bool(row[12]),
        source=row[13],
        agent=row[14],
        author=row[15],
        session=row[16],
        branch=row[17],
        commit=row[18],
        status=row[19],
        metadata=row[20],
        ttl_ms=row[21],
        expires_at=row[22],
        archived_at=row[23],
        superseded_by=row[24],
        created_at=row[25],
        updated_at=row[26],
        version=row[27],
        layer=row[28],
        trust=row[29],
        valid_from=row[30],
        valid_until=row[31],
        seq=row[0],
    )


def content_hash(memory: Memory) -> bytes:
    """SHA-256 over everything a memory says (not over its row number)."""
    fields = (
        memory.id,
        memory.scope,
        memory.project,
        memory.kind,
        memory.title,
        memory.content,
        *memory.tags,
        "",
        *memory.paths,
        "",
        memory.weight,
        # A column of real numbers gives 1 back as 1.0.
        float(memory.importance),
        float(memory.confidence),
        memory.pinned,
        memory.source,
        memory.agent,
        memory.author,
        memory.session,
        memory.branch,
        memory.commit,
        memory.status,
        memory.metadata,
        memory.ttl_ms,
        memory.expires_at,
        memory.archived_at,
        memory.superseded_by,
        memory.created_at,
        memory.updated_at,
        memory.version,
        *_living(memory),
    )
    return hashlib.sha256("\x1f".join(map(str, fields)).encode("utf-8", "surrogatepass")).digest()


def _living(memory: Memory) -> list[str]:
    """Fields younger than the first rows, named, and only where they say something."""
    named = (("layer", memory.layer), ("trust", memory.trust))
    bounds = (("from", memory.valid_from), ("until", memory.valid_until))
    return [
        *(f"{name}={value}" for name, value in named if value),
        *(f"{name}={value}" for name, value in bounds if value is not None),
    ]


def get(database: Database, id: str) -> Memory | None:
    """The memory with exactly this id."""
    row = database.row(f"SELECT {COLUMNS} FROM memories WHERE id = ?", (id,))
    return None if row is None else from_row(row, database.path)


def select(
    database: Database, wanted: Filter, *, limit: int, offset: int = 0, order: str = "created_at"
) -> list[Memory]:
    """Memories that pass the filter, newest first by ``order`` (created_at or updated_at)."""
    assert order in ("created_at", "updated_at")
    clause, values = wanted.clause()
    rows = database.rows(
        f"SELECT {COLUMNS} FROM memories AS m WHERE {clause} "
        f"ORDER BY m.{order} DESC, m.seq DESC LIMIT ? OFFSET ?",
        (*values, limit, offset),
    )
    return [from_row(row, database.path) for row in rows]


def count(database: Database, wanted: Filter) -> int:
    """How many memories pass the filter."""
    clause, values = wanted.clause()
    return int(database.value(f"SELECT count(*) FROM memories AS m WHERE {clause}", (*values,)))


def by_seq(database: Database, numbers: Sequence[int], wanted: Filter) -> list[Memory]:
    """Those of the given rows that pass the filter, in no order."""
    clause, values = wanted.clause()
    marks = ",".join("?" * len(numbers))
    rows = database.rows(
        f"SELECT {COLUMNS} FROM memories AS m WHERE m.seq IN ({marks}) AND {clause}",
        (*numbers, *values),
    )
    return [from_row(row, database.path) for row in rows]


def same(database: Database, digest: str) -> Memory | None:
    """A living memory with the same normalised text, kind and scope."""
    row = database.row(
        f"SELECT {COLUMNS} FROM memories AS m WHERE digest = ? AND ({STATE_SQL['active']} "
        f"OR {STATE_SQL['proposed']}) "
        "ORDER BY seq LIMIT 1",
        (digest,),
    )
    return None if row is None else from_row(row, database.path)


def every(database: Database) -> Iterator[Memory]:
    """Every memory in order of id, a thousand at a time."""
    last = ""
    while True:
        rows = database.rows(
            f"SELECT {COLUMNS} FROM memories WHERE id > ? ORDER BY id LIMIT 1000", (last,)
        )
        if not rows:
            return
        for row in rows:
            yield from_row(row, database.path)
        last = rows[-1][1]


def history(database: Database, id: str) -> list[Version]:
    """The earlier versions of a memory, oldest first. Raises StoreDamaged."""
    rows = database.rows(
        "SELECT snapshot, at, action, agent FROM versions WHERE memory = ? ORDER BY version", (id,)
    )
    return [Version(from_snapshot(row[0], database.path), *row[1:]) for row in rows]


def to_snapshot(memory: Memory) -> str:
    """A memory as one line of JSON with stable keys, its hash among them."""
    fields = {name: getattr(memory, name) for name in Memory.__slots__ if name != "seq"}
    fields["hash"] = content_hash(memory).hex()
    return json.dumps(fields, ensure_ascii=False, sort_keys=True)


def from_snapshot(text: str, path: str = "") -> Memory:
    """The memory written by ``to_snapshot``. Raises StoreDamaged where it was changed since."""
    try:
        fields = json.loads(text)
        expected = fields.pop("hash")
        fields["tags"], fields["paths"] = tuple(fields["tags"]), tuple(fields["paths"])
        memory = Memory(**fields)
        whole = content_hash(memory).hex() == expected
    except (ValueError, TypeError, KeyError, AttributeError):
        whole = False
    if not whole:
        raise StoreDamaged(
            f"An earlier version of a memory in {path} does not match its hash: the file was "
            "damaged.",
            "Run `gitmem doctor`; `gitmem restore-backup` brings the last backup back.",
        )
    return memory


def usage(database: Database, id: str) -> tuple[int, int | None]:
    """How often a memory was handed out, and when last."""
    row = database.row("SELECT count, last_at FROM usage WHERE memory = ?", (id,))
    return (0, None) if row is None else (row[0], row[1])


def any_anchored(database: Database) -> bool:
    """Whether any memory stands on code."""
    return database.row("SELECT 1 FROM anchors LIMIT 1") is not None


def usages(database: Database, ids: Sequence[str]) -> dict[str, tuple[int, int | None]]:
    """By id how often some memories were handed out, and when last; those never are missing."""
    marks = ",".join("?" * len(ids))
    rows = database.rows(
        f"SELECT memory, count, last_at FROM usage WHERE memory IN ({marks})", (*ids,)
    )
    return {row[0]: (row[1], row[2]) for row in rows}


def links(database: Database, id: str) -> list[Link]:
    """Links from and to a memory, oldest first."""
    rows = database.rows(
        "SELECT id, source, target, relation, strength, context, created_at FROM links "
        "WHERE source = ?1 OR target = ?1 ORDER BY id",
        (id,),
    )
    return [Link(*row) for row in rows]


def every_link(database: Database) -> list[Link]:
    """All links in order of id."""
    rows = database.rows(
        "SELECT id, source, target, relation, strength, context, created_at FROM links ORDER BY id"
    )
    return [Link(*row) for row in rows]
