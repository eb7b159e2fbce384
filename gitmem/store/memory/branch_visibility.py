"""A cache of the memories that were saved at commits which a worktree's HEAD does not contain.

A row in ``elsewhere`` says no more than that. Memories that are visible everywhere, and those whose
code is in the worktree all the same, are excepted by the SQL condition
(``HiddenMemories.visible_sql_condition``), since kinds are edited and files change while HEAD
stays. ``elsewhere_of`` says for which HEAD the rows hold, and what is known for judging the next
one.
"""

from __future__ import annotations

from collections.abc import Iterable

from gitmem.model.frozen import dataclass
from gitmem.model.memory import WAITING
from gitmem.store.db.columns import json_array
from gitmem.store.db.connection import Database
from gitmem.store.db.redaction_gate import redact_text

# Rules and workflows hold on every branch.
EVERYWHERE = ("convention", "workflow")
# More commits than these are not carried from one HEAD to the next: 82 KB that each read loads.
MOST_CARRIED = 2_000
# Shorter names hold no secret, and looking for secrets loads rules that a reader does not need.
_SHORTEST_SECRET = 16


@dataclass(frozen=True, slots=True)
class HiddenMemories:
    """The memories not shown in a worktree, since they were saved on a branch it does not contain.

    Either those stored for ``worktree``, or, where nothing could be written, those with the
    ``ids``. With neither, nothing is hidden.
    """

    worktree: str = ""
    ids: tuple[str, ...] = ()

    def visible_sql_condition(self) -> tuple[str, list[object]]:
        """(SQL condition over ``memories AS m`` that a memory is not hidden, its values)."""
        everywhere = f"m.kind IN {EVERYWHERE} OR m.layer = 'working'"
        if self.ids:
            listed = "m.id NOT IN (SELECT value FROM json_each(?))"
            return f"({everywhere} OR {listed})", [json_array(self.ids)]
        if not self.worktree:
            return "1", []
        return f"({everywhere} OR NOT EXISTS ({_ROW}))", [self.worktree]


# Verdicts from before HEAD moved were dropped (``save_hidden_memories``): those left are about the
# present files.
_ROW = (
    "SELECT 1 FROM elsewhere AS e WHERE e.tree = ? AND e.memory = m.id AND NOT EXISTS "
    "(SELECT 1 FROM verdicts AS v WHERE v.memory = m.id AND v.tree = e.tree "
    "AND v.verdict IN ('fresh', 'moved') AND v.first_line IS NOT NULL)"
)


@dataclass(frozen=True, slots=True)
class VisibilitySnapshot:
    """What the cache of which memories are hidden in a worktree was computed from.

    ``seq`` and ``id`` are of the newest memory (0 and empty: none); ``mark`` changes whenever
    commits were recorded as rewritten. ``base`` is the HEAD against which the commits of memories
    were checked: ``unreached`` were not in its history, and ``missing`` are those of them that git
    does not have. ``base`` is empty where nothing was checked, or too many were unreached.
    ``sought`` is the HEAD in whose history copies of the unreached commits were last looked for.
    """

    seq: int
    id: str
    mark: str
    base: str = ""
    unreached: frozenset[str] = frozenset()
    missing: frozenset[str] = frozenset()
    sought: str = ""

    def to_text(self) -> str:
        """The snapshot as a line of words, which ``parse_visibility_snapshot`` reads."""
        base = self.base if len(self.unreached) <= MOST_CARRIED else ""
        words = [str(self.seq), self.id or "-", self.mark, base or "-", self.sought or "-"]
        if base:
            words += sorted(self.unreached - self.missing)
            words += sorted(f"!{commit}" for commit in self.missing)
        return " ".join(words)


def parse_visibility_snapshot(text: str) -> VisibilitySnapshot:
    """The snapshot in a text that ``VisibilitySnapshot.to_text`` wrote."""
    seq, id, mark, base, sought, *rest = text.split(" ")
    missing = frozenset(word[1:] for word in rest if word[0] == "!")
    unreached = missing.union(word for word in rest if word[0] != "!")
    base, sought = base.strip("-"), sought.strip("-")
    return VisibilitySnapshot(int(seq), id.strip("-"), mark, base, unreached, missing, sought)


@dataclass(frozen=True, slots=True)
class VisibilityState:
    """The cache of which memories are hidden in a worktree: ``head`` and ``branch`` it is for.

    An empty ``branch`` is a detached HEAD. ``snapshot`` is None where nothing is cached. ``seq``,
    ``id`` and ``mark`` are the present values of those in the snapshot: if they differ, memories or
    rewritten commits were added.
    """

    head: str
    branch: str
    snapshot: VisibilitySnapshot | None
    seq: int
    id: str
    mark: str


def read_visibility_state(database: Database, worktree: str) -> VisibilityState:
    """For which HEAD the cache of a worktree's hidden memories is, and what it was computed from.

    With the newest memory now, which shows whether the cache still holds.
    """
    head, branch, stamp, seq, id, mark = database.rows(
        "SELECT e.head, e.branch, e.stamp, m.seq, m.id, "
        "(SELECT value FROM meta WHERE key = 'rewritten') FROM (SELECT ? AS tree) AS t "
        "LEFT JOIN elsewhere_of AS e ON e.tree = t.tree "
        "LEFT JOIN memories AS m ON m.seq = (SELECT max(seq) FROM memories)",
        (worktree,),
    )[0]
    snapshot = None if stamp is None else parse_visibility_snapshot(stamp)
    return VisibilityState(head or "", branch or "", snapshot, seq or 0, id or "", mark or "0")


def is_newest_memory_unchanged(database: Database, snapshot: VisibilitySnapshot) -> bool:
    """Whether the snapshot's newest memory is still stored under its row number.

    If it was removed, the next memory got the same number.
    """
    if not snapshot.seq:
        return True
    row = database.row("SELECT id FROM memories WHERE seq = ?", (snapshot.seq,))
    return row is not None and row[0] == snapshot.id


def has_memory_of_other_branch(
    database: Database, branch: str, head: str, *, after_row_number: int = 0
) -> bool:
    """Whether any memory was saved on another branch and at another commit than these.

    With an empty ``branch`` (detached HEAD) every branch is another one. Only memories with row
    numbers after ``after_row_number`` count.
    """
    question = "SELECT 1 FROM memories WHERE commit_id NOT IN ('', ?) AND (branch <> ? OR ? = '')"
    # Without a bound the index of commits covers the query.
    bound, values = (" AND seq > ?", (after_row_number,)) if after_row_number else ("", ())
    return database.row(f"{question}{bound} LIMIT 1", (head, branch, branch, *values)) is not None


def commits_of_saved_memories(
    database: Database, after_row_number: int, last_row_number: int
) -> frozenset[str]:
    """The commits at which memories of rows after one and up to another were saved.

    With 0 for ``after_row_number``: those of all memories.
    """
    return frozenset(
        database.column(
            "SELECT DISTINCT commit_id FROM memories WHERE commit_id <> ''"
            + (" AND seq > ? AND seq <= ?" if after_row_number else ""),
            (after_row_number, last_row_number) if after_row_number else (),
        )
    )


def branches_awaiting_first_commit(database: Database) -> list[tuple[str, str]]:
    """(branch, placeholder) of each branch on which memories were saved before its first commit.

    The placeholder, "+" and more, is stored as their commit until then.
    """
    return database.rows(
        "SELECT DISTINCT branch, commit_id FROM memories WHERE commit_id >= ? AND commit_id < ? "
        "AND NOT EXISTS (SELECT 1 FROM rewritten WHERE old = commit_id)",
        (WAITING, chr(ord(WAITING) + 1)),
    )


def commits_with_memories(database: Database, commits: Iterable[str]) -> frozenset[str]:
    """Those of ``commits`` at which a memory was saved, or which replaced another commit."""
    return frozenset(
        database.column(
            "SELECT value FROM json_each(?) WHERE EXISTS (SELECT 1 FROM memories "
            "WHERE commit_id = value) OR EXISTS (SELECT 1 FROM rewritten WHERE new = value)",
            (json_array(commits),),
        )
    )


def memories_saved_at_commits(
    database: Database, commits: Iterable[str]
) -> list[tuple[str, str, str]]:
    """(id, branch, commit) of each memory that was saved at one of these commits, newest first."""
    return database.rows(
        "SELECT m.id, m.branch, m.commit_id FROM json_each(?) AS j "
        "CROSS JOIN memories AS m ON m.commit_id = j.value ORDER BY m.seq DESC",
        (json_array(commits),),
    )


def commits_of_branches(database: Database, branches: Iterable[str], limit: int) -> list[str]:
    """Commits of some branches at which memories or events were stored, newest first."""
    return database.column(
        "SELECT commit_id FROM (SELECT commit_id, branch, created_at AS at FROM memories "
        "UNION ALL SELECT commit_id, branch, at FROM events) WHERE commit_id <> '' "
        "AND branch IN (SELECT value FROM json_each(?)) "
        "GROUP BY commit_id ORDER BY max(at) DESC LIMIT ?",
        (json_array(branches), limit),
    )


def save_hidden_memories(
    database: Database,
    worktree: str,
    head: str,
    branch: str,
    snapshot: VisibilitySnapshot,
    hidden_ids: Iterable[str],
    now_ms: int,
) -> None:
    """Store which memories are not shown in a worktree at this HEAD. In a caller's transaction.

    ``snapshot`` is what that was computed from. Where HEAD or the branch has changed, the stored
    verdicts on code that these memories cite are deleted.
    """
    listed = json_array(hidden_ids)
    in_list = "(SELECT value FROM json_each(?))"
    old = database.row("SELECT head, branch FROM elsewhere_of WHERE tree = ?", (worktree,))
    if old != (head, _harmless(branch)):
        database.run(
            f"DELETE FROM verdicts WHERE tree = ? AND memory IN {in_list}", (worktree, listed)
        )
    database.run(
        f"DELETE FROM elsewhere WHERE tree = ? AND memory NOT IN {in_list}", (worktree, listed)
    )
    database.run(
        "INSERT OR IGNORE INTO elsewhere (tree, memory) SELECT ?, value FROM json_each(?)",
        (worktree, listed),
    )
    database.run(
        "INSERT OR REPLACE INTO elsewhere_of (tree, head, branch, stamp, at) VALUES (?,?,?,?,?)",
        # A branch named like a secret is not stored, so the rows are computed anew each time.
        (worktree, head, _harmless(branch), snapshot.to_text(), now_ms),
    )


def _harmless(branch: str) -> str:
    """The branch's name without secrets."""
    return branch if len(branch) < _SHORTEST_SECRET else redact_text(branch)


def hidden_memory_ids(
    database: Database, hidden: HiddenMemories, memory_ids: Iterable[str]
) -> frozenset[str]:
    """Those of ``memory_ids`` that ``hidden`` hides."""
    clause, values = hidden.visible_sql_condition()
    return frozenset(
        database.column(
            f"SELECT m.id FROM memories AS m WHERE m.id IN (SELECT value FROM json_each(?)) "
            f"AND NOT {clause}",
            (json_array(memory_ids), *values),
        )
    )


def ids_of_unverified_hidden_memories(database: Database, worktree: str, limit: int) -> list[str]:
    """Ids of at most ``limit`` hidden memories that cite lines not yet compared with a worktree."""
    return database.column(
        "SELECT e.memory FROM elsewhere AS e WHERE e.tree = ? AND EXISTS "
        "(SELECT 1 FROM anchors AS a WHERE a.memory = e.memory AND a.first_line IS NOT NULL) "
        "AND NOT EXISTS (SELECT 1 FROM verdicts AS v WHERE v.memory = e.memory "
        "AND v.tree = e.tree) ORDER BY e.memory DESC LIMIT ?",
        (worktree, limit),
    )


def has_hidden_memories(database: Database, worktree: str) -> bool:
    """Whether any memory is stored as hidden in a worktree, as its branch is not part of it."""
    return database.row("SELECT 1 FROM elsewhere WHERE tree = ? LIMIT 1", (worktree,)) is not None


def worktrees_with_hidden_memories(database: Database) -> list[str]:
    """The worktrees, sorted, that have a cache of which memories are hidden in them."""
    return database.column("SELECT tree FROM elsewhere_of ORDER BY tree")


def delete_hidden_memories(database: Database, worktrees: Iterable[str]) -> None:
    """Delete what is stored of memories hidden in these worktrees. In a caller's transaction."""
    for tree in worktrees:
        database.run("DELETE FROM elsewhere WHERE tree = ?", (tree,))
        database.run("DELETE FROM elsewhere_of WHERE tree = ?", (tree,))
