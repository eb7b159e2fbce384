"""Anchors, the code that memories cite, and the last verdict on each in each worktree.

Anchors are canonical: somebody stated them. Verdicts are a cache that may be lost. Each carries a
stamp of what it was computed from, which the caller compares.
"""

from __future__ import annotations

from collections.abc import Iterable

from gitmem.model.anchor import VERDICTS, CitedCodeVerdict, CodeAnchor
from gitmem.model.frozen import dataclass
from gitmem.store.code.indexed_files import decode_path_from_database, encode_path_for_database
from gitmem.store.db.columns import columns_of_dataclass_fields, insert_statement, json_array
from gitmem.store.db.connection import Database, Row
from gitmem.store.memory.filters import STATE_SQL

_NAMES = ("memory", *columns_of_dataclass_fields(CodeAnchor.__slots__))
_COLUMNS = ", ".join(_NAMES)


@dataclass(frozen=True, slots=True)
class AnchorWithCachedVerdict:
    """A place in the code that a memory cites, and the last verdict on whether that code changed.

    The verdict is None if there is none yet. ``stamp`` is a text for what the verdict was computed
    from, as the caller wrote it. ``print`` of the anchor (the cited place) is empty.
    """

    memory: str
    anchor: CodeAnchor
    verdict: CitedCodeVerdict | None
    stamp: str


def replace_anchors(database: Database, memory_id: str, anchors: Iterable[CodeAnchor]) -> None:
    """Replace the stored places in the code that a memory cites. In a transaction of the caller."""
    # Imported here: readers need neither, and a search pays for every import.
    from gitmem.store.db.redaction_gate import redact_json, redact_text  # noqa: PLC0415
    from gitmem.store.memory.memory_writes import advance_logical_clock  # noqa: PLC0415

    delete_cached_anchor_verdicts(database, memory_id)
    database.connection.execute("DELETE FROM anchors WHERE memory = ?", (memory_id,))
    for anchor in anchors:
        database.connection.execute(
            insert_statement("anchors", (*_NAMES, "device", "counter")),
            (
                memory_id,
                anchor.number,
                redact_text(encode_path_for_database(anchor.cited)),
                redact_text(encode_path_for_database(anchor.path)),
                anchor.first_line,
                anchor.last_line,
                redact_text(anchor.symbol),
                redact_text(anchor.blob),
                redact_text(anchor.commit),
                redact_json(anchor.print),
                anchor.at,
                database.device,
                advance_logical_clock(database),
            ),
        )


def anchors_by_memory(database: Database, memory_ids: Iterable[str]) -> dict[str, list[CodeAnchor]]:
    """A dict: memory's id -> the places in the code that it cites, in order; only ids with any."""
    anchors: dict[str, list[CodeAnchor]] = {}
    for row in database.rows(
        f"SELECT {_COLUMNS} FROM anchors WHERE memory IN (SELECT value FROM json_each(?)) "
        "ORDER BY memory, number",
        (json_array(memory_ids),),
    ):
        anchors.setdefault(row[0], []).append(_anchor(row))
    return anchors


def anchors_at_paths(database: Database, paths: Iterable[str]) -> list[tuple[str, CodeAnchor]]:
    """(memory's id, cited place) for each citation of these files, or of files in these folders."""
    citations: dict[tuple[str, int], tuple[str, CodeAnchor]] = {}
    for path in map(encode_path_for_database, paths):
        folder = path.rstrip("/") + "/"
        for row in database.rows(
            f"SELECT {_COLUMNS} FROM anchors WHERE path = ? OR (path >= ? AND path < ?)",
            (path.rstrip("/"), folder, folder[:-1] + "0"),  # "0" is what follows "/"
        ):
            citations[row[0], row[1]] = (row[0], _anchor(row))
    return [citations[at] for at in sorted(citations)]


def anchored_memory_ids(database: Database) -> list[str]:
    """The ids of all memories that cite a place in the code, sorted by the first cited path."""
    return database.column("SELECT memory FROM anchors GROUP BY memory ORDER BY min(path), memory")


# --- verdicts -----------------------------------------------------------------------------------


def cached_anchor_verdicts(
    database: Database, worktree: str, memory_ids: Iterable[str]
) -> dict[str, list[AnchorWithCachedVerdict]]:
    """A dict: memory's id -> each place in the code that it cites, with the last verdict on it.

    The verdicts are those in a worktree: whether the code changed. Memories without cited places
    are left out.
    """
    verdicts: dict[str, list[AnchorWithCachedVerdict]] = {}
    for row in database.rows(
        "SELECT a.memory, a.number, a.cited, a.path, a.first_line, a.last_line, a.symbol, a.blob, "
        "a.commit_id, a.at, v.verdict, v.path, v.first_line, v.last_line, v.stamp "
        "FROM anchors a LEFT JOIN verdicts v "
        "ON v.memory = a.memory AND v.number = a.number AND v.tree = ? "
        "WHERE a.memory IN (SELECT value FROM json_each(?)) ORDER BY a.memory, a.number",
        (worktree, json_array(memory_ids)),
    ):
        memory, number, cited, path, first, last, symbol, blob, commit, at = row[:10]
        anchor = CodeAnchor(
            number,
            decode_path_from_database(cited),
            decode_path_from_database(path),
            first,
            last,
            symbol,
            blob,
            commit,
            "",
            at,
        )
        verdict = None
        if row[10] is not None:
            verdict = CitedCodeVerdict(
                number, anchor.cited, row[10], decode_path_from_database(row[11]), row[12], row[13]
            )
        verdicts.setdefault(memory, []).append(
            AnchorWithCachedVerdict(memory, anchor, verdict, row[14] or "")
        )
    return verdicts


def cache_anchor_verdicts(
    database: Database,
    worktree: str,
    ids_verdicts_stamps: Iterable[tuple[str, CitedCodeVerdict, str]],
    now_ms: int,
) -> None:
    """Store verdicts on cited code as (memory's id, verdict, stamp). In a caller's transaction.

    A stamp is any text for what the verdict was computed from. Verdicts on citations that were
    replaced meanwhile are dropped.
    """
    database.connection.executemany(
        "INSERT OR REPLACE INTO verdicts (memory, number, tree, verdict, path, first_line, "
        "last_line, stamp, at) SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9 WHERE EXISTS "
        "(SELECT 1 FROM anchors WHERE memory = ?1 AND number = ?2 AND cited = ?10)",
        [
            (
                memory,
                verdict.number,
                worktree,
                verdict.verdict,
                encode_path_for_database(verdict.path),
                verdict.first_line,
                verdict.last_line,
                stamp,
                now_ms,
                encode_path_for_database(verdict.cited),
            )
            for memory, verdict, stamp in ids_verdicts_stamps
        ],
    )


def delete_cached_anchor_verdicts(database: Database, memory_id: str) -> None:
    """Delete the verdicts on a memory's cited code in all worktrees. In a caller's transaction."""
    database.connection.execute("DELETE FROM verdicts WHERE memory = ?", (memory_id,))


def worktrees_with_anchor_verdicts(database: Database) -> list[str]:
    """The worktrees with stored verdicts on whether cited code changed."""
    return database.column("SELECT DISTINCT tree FROM verdicts")


def delete_anchor_verdicts_of_other_worktrees(
    database: Database, worktrees_to_keep: Iterable[str]
) -> None:
    """Delete the verdicts on cited code in all worktrees but some. In a caller's transaction."""
    database.connection.execute(
        "DELETE FROM verdicts WHERE tree NOT IN (SELECT value FROM json_each(?))",
        (json_array(worktrees_to_keep),),
    )


def count_memories_with_anchor_verdict(
    database: Database, worktree: str, verdict_names: Iterable[str]
) -> int:
    """How many memories in use cite code with one of these verdicts (changed, gone ...).

    The verdicts are those stored for a worktree. Memories of branches that it does not contain do
    not count.
    """
    query = _WITH_VERDICT.format("count(DISTINCT v.memory)")
    count: int = database.value(query, (json_array(verdict_names), worktree))
    return count


# The few that are not in use, not the many that are: their rows need not be read.
_IN_USE = (
    f"a.memory NOT IN (SELECT id FROM memories AS m WHERE NOT ({STATE_SQL['active']} "
    f"OR {STATE_SQL['proposed']})) "
    "AND a.memory NOT IN (SELECT memory FROM elsewhere WHERE tree = ?1)"
)
_JOINED = "v.memory = a.memory AND v.number = a.number AND v.tree = ?1"
_NOT_JUDGED = f"NOT EXISTS (SELECT 1 FROM verdicts AS v WHERE {_JOINED})"


def _any_not_judged(database: Database, worktree: str) -> bool:
    """Whether an anchor may have no verdict: looking for each of them costs more."""
    judged = "SELECT count(*) FROM verdicts WHERE tree = ?"
    return bool(database.value(f"SELECT (SELECT count(*) FROM anchors) > ({judged})", (worktree,)))


def memory_counts_by_freshness(database: Database, worktree: str) -> dict[str, int]:
    """A dict: verdict -> how many memories in use have it as the worst verdict on code they cite.

    Verdicts are fresh, moved, unknown (or not yet judged), changed, gone. Memories of branches that
    the worktree does not contain do not count.
    """
    total = "SELECT count(DISTINCT a.memory) FROM anchors AS a WHERE "
    anchored_count: int = database.value(total + _IN_USE, (worktree,))
    ranks = " ".join(f"WHEN '{word}' THEN {rank}" for rank, word in enumerate(VERDICTS))
    worse = (
        f"SELECT v.memory, CASE v.verdict {ranks} END AS rank FROM verdicts AS v "
        "WHERE v.tree = ?1 AND v.verdict <> 'fresh'"
    )
    if _any_not_judged(database, worktree):
        unknown = VERDICTS.index("unknown")
        worse += f" UNION ALL SELECT a.memory, {unknown} FROM anchors AS a WHERE {_NOT_JUDGED}"
    rows = database.rows(
        "SELECT worst, count(*) FROM (SELECT memory, max(rank) AS worst FROM "
        f"({worse}) GROUP BY memory) AS a WHERE {_IN_USE} GROUP BY 1 ORDER BY 1",
        (worktree,),
    )
    counts = {VERDICTS[rank]: count for rank, count in rows}
    fresh = anchored_count - sum(counts.values())
    return {"fresh": fresh, **counts} if fresh else counts


def citation_counts_by_path(database: Database, worktree: str) -> dict[str, dict[str, int]]:
    """A dict: cited path -> (verdict -> how many memories in use cite the path with it).

    Verdicts are moved, unknown (or not yet judged), changed, gone; ``all`` counts all memories, the
    unchanged ones too. Memories of branches that the worktree does not contain do not count.
    """
    questions = [
        "SELECT a.path, 'all', count(DISTINCT a.memory) FROM anchors AS a "
        f"WHERE {_IN_USE} GROUP BY 1",
        "SELECT a.path, v.verdict, count(DISTINCT a.memory) FROM verdicts AS v CROSS JOIN anchors "
        f"AS a ON {_JOINED} WHERE v.tree = ?1 AND v.verdict <> 'fresh' AND {_IN_USE} GROUP BY 1, 2",
    ]
    if _any_not_judged(database, worktree):
        questions.append(
            "SELECT a.path, 'unknown', count(DISTINCT a.memory) FROM anchors AS a "
            f"WHERE {_NOT_JUDGED} AND {_IN_USE} GROUP BY 1"
        )
    counts: dict[str, dict[str, int]] = {}
    for question in questions:
        for path, word, count in database.rows(question, (worktree,)):
            words = counts.setdefault(decode_path_from_database(path), {})
            words[word] = words.get(word, 0) + count
    return counts


def memory_ids_with_anchor_verdict(
    database: Database, worktree: str, verdict_names: Iterable[str]
) -> list[str]:
    """The ids of those that ``count_memories_with_anchor_verdict`` counts, the newest first."""
    query = _WITH_VERDICT.format("DISTINCT v.memory") + " ORDER BY v.memory DESC"
    return database.column(query, (json_array(verdict_names), worktree))


# The few verdicts first: most are fresh, and their memories need not be read.
_WITH_VERDICT = (
    "SELECT {} FROM verdicts AS v JOIN memories AS m ON m.id = v.memory "
    "WHERE v.verdict IN (SELECT value FROM json_each(?)) AND v.tree = ? "
    f"AND ({STATE_SQL['active']} OR {STATE_SQL['proposed']}) AND NOT EXISTS "
    "(SELECT 1 FROM elsewhere AS e WHERE e.tree = v.tree AND e.memory = v.memory)"
)


# --- paths and blobs of the index ---------------------------------------------------------------


def blob_id_at(database: Database, worktree: str, path: str) -> str:
    """The git blob id of the content indexed at a path of a worktree; empty if not indexed."""
    blob: str | None = database.value(
        "SELECT b.oid FROM paths p JOIN blobs b ON b.id = p.blob WHERE p.tree = ? AND p.path = ?",
        (worktree, encode_path_for_database(path)),
    )
    return blob or ""


def paths_of_blob(database: Database, worktree: str, blob_id: str) -> list[str]:
    """The indexed paths of a worktree, sorted, with the content of this git blob id."""
    rows = database.rows(
        "SELECT p.path FROM blobs b CROSS JOIN paths p ON p.blob = b.id AND +p.tree = ? "
        "WHERE b.oid = ? ORDER BY p.path",
        (worktree, blob_id),
    )
    return [decode_path_from_database(row[0]) for row in rows]


def _anchor(row: Row) -> CodeAnchor:
    return CodeAnchor(
        row[1], decode_path_from_database(row[2]), decode_path_from_database(row[3]), *row[4:]
    )
