"""The project a store belongs to: its key, earlier keys as aliases, and what resolving it cost.

In a repository's own store there is one project; in the user's store, all that were set up here.
"""

from __future__ import annotations

from gitmem.clock import DAY
from gitmem.model.frozen import dataclass
from gitmem.store.db.connection import Database
from gitmem.text import json_reader
from gitmem.text.digest import sha256

REMEMBERED = 16


@dataclass(frozen=True, slots=True)
class Project:
    """A known project. ``source`` says what the key was taken from."""

    key: str
    name: str
    source: str
    root: str
    first_at: int
    last_at: int


# Notes in the store about the last look for duplicates: the time, and the counter then; and when a
# look last ended, however it did.
SCANNED_AT, SCANNED_COUNTER = "scanned_at", "scanned_counter"
SCAN_ENDED_AT = "scan_ended_at"
# When memories were last held against the code that they stand on.
RECHECKED_AT = "rechecked_at"


# When a server that stays last asked for the contextual model's reading of the memories here, and
# how long that holds: nobody is spared 30 ms of CPU for each memory who never runs one.
READING_ASKED_AT, READING_ASKED_MS = "reading_asked_at", 30 * DAY


def known(database: Database) -> list[Project]:
    """All known projects, the last used first."""
    rows = database.rows(
        "SELECT key, name, source, root, first_at, last_at FROM projects ORDER BY last_at DESC, key"
    )
    return [Project(*row) for row in rows]


def knows_root(database: Database | None, root: str) -> bool:
    """Whether a project was set up at ``root``, as far as the user's own store knows."""
    return database is not None and any(one.root == root for one in known(database))


def remember(
    database: Database,
    *,
    key: str,
    name: str,
    source: str,
    root: str,
    now: int,
    alone: bool = False,
) -> list[str]:
    """Record the project under its key; earlier keys become aliases.

    In a repository's own store (``alone``) every other key is an earlier one; in the user's store
    those of the same root are.

    Returns the keys that were replaced (CT-33): their memories belong to the new key from now on.
    """
    earlier = database.rows(
        "SELECT key, first_at FROM projects WHERE (root = ? OR ?) AND key <> ?", (root, alone, key)
    )
    first = min([now, *(row[1] for row in earlier)])
    for old, _ in earlier:
        database.run(
            "INSERT OR REPLACE INTO project_aliases (alias, key, since) VALUES (?, ?, ?)",
            (old, key, now),
        )
        database.run("UPDATE project_aliases SET key = ? WHERE key = ?", (key, old))
        database.run("DELETE FROM projects WHERE key = ?", (old,))
    database.run("DELETE FROM project_aliases WHERE alias = ?", (key,))
    database.run(
        "INSERT INTO projects (key, name, source, root, first_at, last_at) VALUES (?,?,?,?,?,?) "
        "ON CONFLICT (key) DO UPDATE SET name = excluded.name, source = excluded.source, "
        "root = excluded.root, last_at = excluded.last_at",
        (key, name, source, root, first, now),
    )
    return [row[0] for row in earlier]


def forget(database: Database, root: str) -> bool:
    """Strike off the project with this root and its earlier keys; whether it was known."""
    keys = database.rows("SELECT key FROM projects WHERE root = ?", (root,))
    for (key,) in keys:
        database.run("DELETE FROM project_aliases WHERE key = ?", (key,))
        database.run("DELETE FROM projects WHERE key = ?", (key,))
    return bool(keys)


def aliases(database: Database, key: str) -> list[str]:
    """Earlier keys of a project, in order of the alphabet."""
    return [
        row[0]
        for row in database.rows(
            "SELECT alias FROM project_aliases WHERE key = ? ORDER BY alias", (key,)
        )
    ]


def cached_identity(database: Database, signature: str) -> tuple[str, str, str] | None:
    """Key, source and name as once resolved under this signature of what they depend on."""
    signature = _shortened(signature)
    for known, key, source, name in _identities(database):
        if known == signature:
            return key, source, name
    return None


def _identities(database: Database) -> list[list[str]]:
    """Signature, key, source and name of each; where the note is damaged it is made anew."""
    try:
        known = json_reader.loads(meta(database, "identity") or "[]")
    except ValueError:
        return []
    return [one for one in known if _is_identity(one)] if isinstance(known, list) else []


def _is_identity(entry: object) -> bool:
    return isinstance(entry, list) and len(entry) == 4 and all(isinstance(x, str) for x in entry)


def cache_identity(database: Database, signature: str, key: str, source: str, name: str) -> None:
    """Remember a resolved identity; worktrees on other branches keep theirs beside it."""
    import json  # noqa: PLC0415 - 2 ms, paid where a project was not known before

    signature = _shortened(signature)
    entries = [entry for entry in _identities(database) if entry[0] != signature]
    entries = [[signature, key, source, name], *entries][:REMEMBERED]
    set_meta(database, "identity", json.dumps(entries))


def _shortened(signature: str) -> str:
    # It is only compared, and as text it would hold the names of branches, whatever they are.
    return sha256(signature.encode("utf-8", "surrogatepass")).hexdigest()[:32]


# Under which key the lines lie that describe the project to who comes first.
SUMMARY = "project_summary"


def meta(database: Database, key: str) -> str | None:
    """One value of the store's own notes."""
    found = database.value("SELECT value FROM meta WHERE key = ?", (key,))
    return None if found is None else str(found)


def set_meta(database: Database, key: str, value: str) -> None:
    """Set one value of the store's own notes."""
    database.run("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", (key, value))


def note_sealed(database: Database, log: str) -> None:
    """Note that from now on a log beside the store (as ``seals.SPOOL``) holds sealed lines only."""
    if not database.read_only:
        with database.write():
            set_meta(database, log, "1")


def reading_asked_at(database: Database) -> int:
    """When a server last asked that the contextual model read this store; 0 where none ever did."""
    return int(meta(database, READING_ASKED_AT) or 0)


def reading_wanted(database: Database, contextual: str, now: int) -> bool:
    """Whether the contextual model is to read the memories; ``contextual``: who asks it."""
    if contextual != "server":
        return contextual == "always"
    at = reading_asked_at(database)
    return bool(at) and now - at < READING_ASKED_MS
