"""What memories stand on, and what was last found about it in each worktree.

Anchors are canonical: somebody said them. Verdicts are a cache that may be lost: each has a stamp
of what it was made from, which the caller compares.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gitmem.model.anchor import Anchor, Verdict
from gitmem.model.frozen import dataclass
from gitmem.store.code.indexed_files import as_path, as_text
from gitmem.store.db.columns import columns, insert
from gitmem.store.db.connection import Database, Row
from gitmem.store.memory.filters import STATE_SQL

_NAMES = ("memory", *columns(Anchor.__slots__))
_COLUMNS = ", ".join(_NAMES)


@dataclass(frozen=True, slots=True)
class Kept:
    """An anchor without its fingerprint, and the verdict that was kept on it, if any.

    ``stamp`` is what the verdict was made from, as the caller wrote it.
    """

    memory: str
    anchor: Anchor
    verdict: Verdict | None
    stamp: str


def replace(database: Database, memory_id: str, anchors: Iterable[Anchor]) -> None:
    """Let a memory stand on these anchors, and on no others. In a transaction of the caller."""
    # Imported here: readers need neither, and a search pays for every import.
    from gitmem.store.db.redaction_gate import clean, clean_json  # noqa: PLC0415
    from gitmem.store.memory.memory_writes import next_counter  # noqa: PLC0415

    forget(database, memory_id)
    database.connection.execute("DELETE FROM anchors WHERE memory = ?", (memory_id,))
    for anchor in anchors:
        database.connection.execute(
            insert("anchors", (*_NAMES, "device", "counter")),
            (
                memory_id,
                anchor.number,
                clean(as_text(anchor.cited)),
                clean(as_text(anchor.path)),
                anchor.first_line,
                anchor.last_line,
                clean(anchor.symbol),
                clean(anchor.blob),
                clean(anchor.commit),
                clean_json(anchor.print),
                anchor.at,
                database.device,
                next_counter(database),
            ),
        )


def of(database: Database, memory_ids: Iterable[str]) -> dict[str, list[Anchor]]:
    """Memory id -> its anchors in order; memories without any are left out."""
    anchors: dict[str, list[Anchor]] = {}
    for row in database.rows(
        f"SELECT {_COLUMNS} FROM anchors WHERE memory IN (SELECT value FROM json_each(?)) "
        "ORDER BY memory, number",
        (_array(memory_ids),),
    ):
        anchors.setdefault(row[0], []).append(_anchor(row))
    return anchors


def citing(database: Database, paths: Iterable[str]) -> list[tuple[str, Anchor]]:
    """(memory id, anchor) of all that cite one of some paths, or what is in one of the folders."""
    citations: dict[tuple[str, int], tuple[str, Anchor]] = {}
    for path in map(as_text, paths):
        folder = path.rstrip("/") + "/"
        for row in database.rows(
            f"SELECT {_COLUMNS} FROM anchors WHERE path = ? OR (path >= ? AND path < ?)",
            (path.rstrip("/"), folder, folder[:-1] + "0"),  # "0" is what follows "/"
        ):
            citations[row[0], row[1]] = (row[0], _anchor(row))
    return [citations[at] for at in sorted(citations)]


def any_there(database: Database) -> bool:
    """Whether any memory stands on code."""
    return database.value("SELECT 1 FROM anchors LIMIT 1") is not None


def memories(database: Database) -> list[str]:
    """The ids of all memories that stand on something, ordered by what they cite first."""
    return database.column("SELECT memory FROM anchors GROUP BY memory ORDER BY min(path), memory")


# --- verdicts -----------------------------------------------------------------------------------


def cached(database: Database, tree: str, memory_ids: Iterable[str]) -> dict[str, list[Kept]]:
    """Memory id -> its anchors with what was last found in a worktree; one question for all.

    Memories without anchors are left out. The anchors lack their fingerprints.
    """
    judged: dict[str, list[Kept]] = {}
    for row in database.rows(
        "SELECT a.memory, a.number, a.cited, a.path, a.first_line, a.last_line, a.symbol, a.blob, "
        "a.commit_id, a.at, v.verdict, v.path, v.first_line, v.last_line, v.stamp "
        "FROM anchors a LEFT JOIN verdicts v "
        "ON v.memory = a.memory AND v.number = a.number AND v.tree = ? "
        "WHERE a.memory IN (SELECT value FROM json_each(?)) ORDER BY a.memory, a.number",
        (tree, _array(memory_ids)),
    ):
        memory, number, cited, path, first, last, symbol, blob, commit, at = row[:10]
        anchor = Anchor(
            number, as_path(cited), as_path(path), first, last, symbol, blob, commit, "", at
        )
        last_verdict = None
        if row[10] is not None:
            last_verdict = Verdict(
                number, anchor.cited, row[10], as_path(row[11]), row[12], row[13]
            )
        judged.setdefault(memory, []).append(Kept(memory, anchor, last_verdict, row[14] or ""))
    return judged


def keep(database: Database, tree: str, rows: Iterable[tuple[str, Verdict, str]], now: int) -> None:
    """Keep verdicts: (memory id, verdict, stamp). In a transaction of the caller.

    Those of anchors that were replaced meanwhile are not kept. Paths stand as those of the index.
    """
    database.connection.executemany(
        "INSERT OR REPLACE INTO verdicts (memory, number, tree, verdict, path, first_line, "
        "last_line, stamp, at) SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9 WHERE EXISTS "
        "(SELECT 1 FROM anchors WHERE memory = ?1 AND number = ?2 AND cited = ?10)",
        [
            (
                memory,
                verdict.number,
                tree,
                verdict.verdict,
                as_text(verdict.path),
                verdict.first_line,
                verdict.last_line,
                stamp,
                now,
                as_text(verdict.cited),
            )
            for memory, verdict, stamp in rows
        ],
    )


def forget(database: Database, memory_id: str) -> None:
    """Drop what was found about a memory, in every worktree. In a transaction of the caller."""
    database.connection.execute("DELETE FROM verdicts WHERE memory = ?", (memory_id,))


def trees(database: Database) -> list[str]:
    """The worktrees in which something was found."""
    return database.column("SELECT DISTINCT tree FROM verdicts")


def forget_trees(database: Database, keep: Iterable[str]) -> None:
    """Drop what was found in worktrees that are no longer there. In a transaction."""
    database.connection.execute(
        "DELETE FROM verdicts WHERE tree NOT IN (SELECT value FROM json_each(?))", (_array(keep),)
    )


def count_with(database: Database, tree: str, verdicts: Iterable[str]) -> int:
    """How many memories in use cite something that was last found to be so in a worktree.

    Those that belong elsewhere count only where what they stand on is here all the same.
    """
    # The few verdicts first: most are fresh, and their memories need not be read.
    count: int = database.value(
        "SELECT count(DISTINCT v.memory) FROM verdicts AS v JOIN memories AS m ON m.id = v.memory "
        "WHERE v.verdict IN (SELECT value FROM json_each(?)) AND v.tree = ? "
        f"AND ({STATE_SQL['active']} OR {STATE_SQL['proposed']}) AND NOT EXISTS "
        "(SELECT 1 FROM elsewhere AS e WHERE e.tree = v.tree AND e.memory = v.memory)",
        (_array(verdicts), tree),
    )
    return count


# --- where the index says that something is -----------------------------------------------------


def blob_at(database: Database, tree: str, path: str) -> str:
    """The blob id that the index knows at a path of a worktree, empty where none."""
    blob: str | None = database.value(
        "SELECT b.oid FROM paths p JOIN blobs b ON b.id = p.blob WHERE p.tree = ? AND p.path = ?",
        (tree, as_text(path)),
    )
    return blob or ""


def showing(database: Database, tree: str, blob: str) -> list[str]:
    """The paths of a worktree that show a blob."""
    rows = database.rows(
        "SELECT p.path FROM blobs b CROSS JOIN paths p ON p.blob = b.id AND +p.tree = ? "
        "WHERE b.oid = ? ORDER BY p.path",
        (tree, blob),
    )
    return [as_path(row[0]) for row in rows]


def _anchor(row: Row) -> Anchor:
    return Anchor(row[1], as_path(row[2]), as_path(row[3]), *row[4:])


def _array(words: Iterable[str]) -> str:
    given: Sequence[str] = list(words)
    if all(word.isascii() and word.isalnum() for word in given):
        return '["' + '","'.join(given) + '"]' if given else "[]"
    import json  # noqa: PLC0415 - ids of git and of ours need no escaping

    return json.dumps(given)
