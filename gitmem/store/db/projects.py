"""The projects of a store: their keys, earlier keys as aliases, cached identities, notes in meta.

A repository's own store has one project; the user's store has all that were set up here.
"""

from __future__ import annotations

import os
from collections.abc import Collection

from gitmem.clock import DAY
from gitmem.model.frozen import dataclass
from gitmem.store.db import preflight
from gitmem.store.db.connection import Database
from gitmem.text import json_reader
from gitmem.text.digest import sha256

REMEMBERED = 16
_IDENTITIES = "identities"
_UNREDACTED = "identity"  # where earlier versions kept names as they were configured
_NEVER = 1 << 62  # milliseconds


@dataclass(frozen=True, slots=True)
class Project:
    """A project that a store knows. ``key`` identifies it, the same for all clones of a repository.

    ``source`` says where the key comes from, ``root`` is its folder. ``first_at`` and ``last_at``
    are when it was first and last used (milliseconds since 1970).
    """

    key: str
    name: str
    source: str
    root: str
    first_at: int
    last_at: int


# Notes in ``meta`` on the last scan for duplicates: its time and the counter then; and when
# the last one ended, successfully or not.
SCANNED_AT, SCANNED_COUNTER = "scanned_at", "scanned_counter"
SCAN_ENDED_AT = "scan_ended_at"
# When memories were last compared with the code that they cite.
RECHECKED_AT = "rechecked_at"
# When the server of a model failed an index run, so that texts wait for their vectors.
VECTORS_FAILED_AT = "vectors_failed_at"


# When a resident server last asked for vectors of the contextual model, and how long that counts:
# where none runs, the 30 ms of CPU for each memory are saved.
CONTEXTUAL_REQUESTED_AT, CONTEXTUAL_REQUEST_MS = "reading_asked_at", 30 * DAY


# Note of further clones of a repository: projects with a key whose row another clone has.
CLONES = "clones"


def registered_projects(database: Database) -> list[Project]:
    """All projects recorded in this store, the last used first; each clone counts by itself."""
    rows = [*_rows(database), *_clones(database)]
    return sorted(rows, key=lambda row: (-row.last_at, row.key))


def _rows(database: Database) -> list[Project]:
    rows = database.rows("SELECT key, name, source, root, first_at, last_at FROM projects")
    return [Project(*row) for row in rows]


def _clones(database: Database) -> list[Project]:
    """The further clones; a damaged note counts as none, and `gitmem init` enters them again."""
    try:
        noted = json_reader.loads(get_meta(database, CLONES) or "[]")
    except ValueError:
        return []
    kinds = (str, str, str, str, int, int)
    return [
        Project(*row)
        for row in (noted if isinstance(noted, list) else ())
        if isinstance(row, list) and list(map(type, row)) == list(kinds)
    ]


def _note_clones(database: Database, clones: list[Project]) -> None:
    import json  # noqa: PLC0415 - 2 ms, paid where several clones are known

    rows = [[getattr(clone, name) for name in Project.__match_args__] for clone in clones]
    set_meta(database, CLONES, json.dumps(rows))


def is_root_registered(database: Database | None, root: str) -> bool:
    """Whether the user's own store records a project in the folder ``root``; False for None."""
    return database is not None and any(
        project.root == root for project in registered_projects(database)
    )


def register_project(
    database: Database,
    *,
    key: str,
    name: str,
    key_source: str,
    root: str,
    now_ms: int,
    is_only_project: bool = False,
) -> list[str]:
    """Record a project under its key; returns the earlier keys that this one replaces.

    Memories under those keys belong to the new key from now on. With ``is_only_project``, for a
    repository's own store, every other key is an earlier one; otherwise the keys with the same root
    are, and another clone with the same key stays known while its store exists. ``key_source`` says
    where the key comes from.
    """
    earlier = database.rows(
        "SELECT key, first_at FROM projects WHERE (root = ? OR ?) AND key <> ?",
        (root, is_only_project, key),
    )
    first = min([now_ms, *(row[1] for row in earlier)])
    if not is_only_project:
        first = min(first, _make_way(database, key, root))
    replaced = []
    for old, _ in earlier:
        database.run("DELETE FROM projects WHERE key = ?", (old,))
        if not is_only_project and _pass_on(database, old):
            continue  # another clone still has it
        replaced.append(old)
        from gitmem.store.db.redaction_gate import redact_text  # noqa: PLC0415 - a key changes seldom

        database.run(
            "INSERT OR REPLACE INTO project_aliases (alias, key, since) VALUES (?, ?, ?)",
            (redact_text(old), key, now_ms),
        )
        database.run("UPDATE project_aliases SET key = ? WHERE key = ?", (key, old))
    database.run("DELETE FROM project_aliases WHERE alias = ?", (key,))
    _insert(database, Project(key, name, key_source, root, first, now_ms))
    return replaced


def _make_way(database: Database, key: str, root: str) -> int:
    """Move the row of a key to the note of clones, for a project at ``root``.

    Returns since when that project is known.
    """
    clones = _clones(database)
    other_clones = [clone for clone in clones if clone.root != root]
    displaced = [row for row in _rows(database) if row.key == key and row.root != root]
    for row in displaced:
        if preflight.store_exists(os.path.join(row.root, preflight.FOLDER, preflight.FILE_NAME)):
            other_clones.append(row)
            database.run("DELETE FROM projects WHERE key = ?", (key,))
    if other_clones != clones:
        _note_clones(database, other_clones)
    return min((clone.first_at for clone in clones if clone.root == root), default=_NEVER)


def forget_project(database: Database, root: str) -> bool:
    """Forget the project with this root; returns whether it was known.

    If another clone has the same key, the project's row is kept for that clone; otherwise the
    earlier keys are forgotten too.
    """
    clones = _clones(database)
    other_clones = [clone for clone in clones if clone.root != root]
    if other_clones != clones:
        _note_clones(database, other_clones)
    mine = [row.key for row in _rows(database) if row.root == root]
    for key in mine:
        database.run("DELETE FROM projects WHERE key = ?", (key,))
        if not _pass_on(database, key):
            database.run("DELETE FROM project_aliases WHERE key = ?", (key,))
    return bool(mine) or len(other_clones) < len(clones)


def _pass_on(database: Database, key: str) -> bool:
    """Give the row of a key to another clone that has it; whether there is one."""
    clones = _clones(database)
    heirs = [clone for clone in clones if clone.key == key]
    if not heirs:
        return False
    heir = max(heirs, key=lambda clone: clone.last_at)
    _note_clones(database, [clone for clone in clones if clone != heir])
    _insert(database, heir)
    return True


def _insert(database: Database, project: Project) -> None:
    """Insert or update a project under its key; ``first_at`` of a known one stays."""
    database.run(
        "INSERT INTO projects (key, name, source, root, first_at, last_at) VALUES (?,?,?,?,?,?) "
        "ON CONFLICT (key) DO UPDATE SET name = excluded.name, source = excluded.source, "
        "root = excluded.root, last_at = excluded.last_at",
        tuple(getattr(project, name) for name in Project.__match_args__),
    )


def former_project_keys(database: Database, key: str) -> list[str]:
    """The keys that a project had before this one, sorted."""
    return database.column("SELECT alias FROM project_aliases WHERE key = ? ORDER BY alias", (key,))


def current_key_of_former_key(database: Database, former_key: str) -> str:
    """The present key of the project that had this key before; empty if none had."""
    return str(
        database.value("SELECT key FROM project_aliases WHERE alias = ?", (former_key,)) or ""
    )


def cached_project_identity(
    database: Database, identity_signature: str
) -> tuple[str, str, str] | None:
    """The cached (key, key's source, name) of a project; None if they are not cached.

    ``identity_signature`` is a text that changes with what they depend on (``git.identity``).
    """
    identity_signature = _shortened(identity_signature)
    for signature, key, source, name in _identities(database):
        if signature == identity_signature:
            return key, source, name
    return None


def _identities(database: Database) -> list[list[str]]:
    """[signature, key, source, name] of each cached identity; a damaged note counts as none."""
    try:
        identities = json_reader.loads(get_meta(database, _IDENTITIES) or "[]")
    except ValueError:
        return []
    return [
        entry
        for entry in (identities if isinstance(identities, list) else ())
        if isinstance(entry, list) and list(map(type, entry)) == [str] * 4
    ]


def cache_project_identity(
    database: Database, identity_signature: str, key: str, key_source: str, name: str
) -> None:
    """Cache the key, the key's source and the name of a project, among the 16 last such entries.

    ``identity_signature`` is as in ``cached_project_identity``. Opens no transaction.
    """
    import json  # noqa: PLC0415 - 2 ms, paid where a project was not known before

    identity_signature = _shortened(identity_signature)
    entries = [entry for entry in _identities(database) if entry[0] != identity_signature]
    entries = [[identity_signature, key, key_source, name], *entries][:REMEMBERED]
    set_meta(database, _IDENTITIES, json.dumps(entries))
    database.run("DELETE FROM meta WHERE key = ?", (_UNREDACTED,))


def _shortened(signature: str) -> str:
    # It is only compared, and its text would hold the names of branches, secrets among them.
    return sha256(signature.encode("utf-8", "surrogatepass")).hexdigest()[:32]


# Key in ``meta`` of the lines that introduce the project at the first session.
SUMMARY = "project_summary"


def get_meta_values(database: Database, keys: Collection[str]) -> dict[str, str]:
    """A dict: key -> value, of those of ``keys`` that are set in the table ``meta`` (notes)."""
    marks = ",".join("?" * len(keys))
    return dict(database.rows(f"SELECT key, value FROM meta WHERE key IN ({marks})", (*keys,)))


def get_meta(database: Database, key: str) -> str | None:
    """The value of a key in the table ``meta`` (small notes of the store); None if not set."""
    value = database.value("SELECT value FROM meta WHERE key = ?", (key,))
    return None if value is None else str(value)


def set_meta(database: Database, key: str, value: str) -> None:
    """Set the value of a key in the table ``meta`` (small notes of the store)."""
    database.run("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", (key, value))


def require_sealed_log_lines(database: Database, log_name: str) -> None:
    """Record that from now on lines of a log without a seal (proof of origin) are not accepted.

    ``log_name`` is ``seals.SPOOL`` or ``seals.SESSIONS``. Does nothing in a read-only store.
    """
    if not database.read_only:
        with database.write():
            set_meta(database, log_name, "1")


def last_contextual_vectors_request_ms(database: Database) -> int:
    """When a server last needed vectors by the contextual model (milliseconds); 0: never."""
    return int(get_meta(database, CONTEXTUAL_REQUESTED_AT) or 0)


def needs_contextual_vectors(database: Database, setting_value: str, now_ms: int) -> bool:
    """Whether to make vectors of memories by the contextual model (for whole sentences) now.

    ``setting_value`` is ``always``, ``server`` (if a server needed them in the last 30 days) or
    another, which means no.
    """
    if setting_value != "server":
        return setting_value == "always"
    at = last_contextual_vectors_request_ms(database)
    return bool(at) and now_ms - at < CONTEXTUAL_REQUEST_MS
