"""Which memories were born on commits that a worktree's HEAD does not have: a cache for reads.

A row in ``elsewhere`` says this and no more: what is seen everywhere, and what stands in the files
all the same, is excepted by the condition itself (``Hidden.clause``), since kinds are edited and
files change while HEAD stays. ``elsewhere_of`` tells for which HEAD the rows hold, and what the
next HEAD can be judged from.
"""

from __future__ import annotations

from collections.abc import Iterable

from gitmem.model.frozen import dataclass
from gitmem.model.memory import WAITING
from gitmem.store.db.connection import Database
from gitmem.store.db.redaction_gate import clean
from gitmem.store.memory.rewritten_commits import array

# A rule and a way of working hold wherever somebody works.
EVERYWHERE = ("convention", "workflow")
# More than these are not carried from one HEAD to the next: 82 KB that each read would load.
MOST_CARRIED = 2_000
# To look for secrets loads rules that a reader has no other use for.
_SHORTEST_SECRET = 16


@dataclass(frozen=True, slots=True)
class Hidden:
    """What is not to be seen in a worktree.

    Either the rows kept for ``tree``, or, where nothing could be written, the memories ``ids``.
    Neither: everything is seen.
    """

    tree: str = ""
    ids: tuple[str, ...] = ()

    def clause(self) -> tuple[str, list[object]]:
        """The condition under which a memory is here, as SQL over ``memories AS m``; its values."""
        everywhere = f"m.kind IN {EVERYWHERE} OR m.layer = 'working'"
        if self.ids:
            listed = "m.id NOT IN (SELECT value FROM json_each(?))"
            return f"({everywhere} OR {listed})", [array(self.ids)]
        if not self.tree:
            return "1", []
        return f"({everywhere} OR NOT EXISTS ({_ROW}))", [self.tree]


# Verdicts of before HEAD moved were dropped (``keep``): those that are there tell of these files.
_ROW = (
    "SELECT 1 FROM elsewhere AS e WHERE e.tree = ? AND e.memory = m.id AND NOT EXISTS "
    "(SELECT 1 FROM verdicts AS v WHERE v.memory = m.id AND v.tree = e.tree "
    "AND v.verdict IN ('fresh', 'moved') AND v.first_line IS NOT NULL)"
)


@dataclass(frozen=True, slots=True)
class Seen:
    """What was known when the rows of a worktree were made.

    ``seq`` and ``id`` are of the newest memory (0 and empty: none), ``mark`` is that of
    ``rewritten``. ``base`` is the HEAD that was asked about every birth commit and all that took
    their places: ``unreached`` were not in its history, of them ``missing`` not in git. Empty
    where nothing was asked, or too many were unreached. ``sought`` is the HEAD in whose history
    copies of the unreached were looked for last.
    """

    seq: int
    id: str
    mark: str
    base: str = ""
    unreached: frozenset[str] = frozenset()
    missing: frozenset[str] = frozenset()
    sought: str = ""

    def text(self) -> str:
        """As one line of words."""
        base = self.base if len(self.unreached) <= MOST_CARRIED else ""
        words = [str(self.seq), self.id or "-", self.mark, base or "-", self.sought or "-"]
        if base:
            words += sorted(self.unreached - self.missing)
            words += sorted(f"!{commit}" for commit in self.missing)
        return " ".join(words)


def read_seen(text: str) -> Seen:
    """What ``Seen.text`` wrote."""
    seq, id, mark, base, sought, *rest = text.split(" ")
    missing = frozenset(word[1:] for word in rest if word[0] == "!")
    unreached = missing.union(word for word in rest if word[0] != "!")
    base, sought = base.strip("-"), sought.strip("-")
    return Seen(int(seq), id.strip("-"), mark, base, unreached, missing, sought)


@dataclass(frozen=True, slots=True)
class State:
    """For which HEAD the rows of a worktree hold (``branch`` empty: detached), and what is new.

    ``seen`` is None where there are no rows. ``seq``, ``id`` and ``mark`` are those of now.
    """

    head: str
    branch: str
    seen: Seen | None
    seq: int
    id: str
    mark: str


def state(database: Database, tree: str) -> State:
    """How a worktree's rows stand to what is stored now, in one question."""
    head, branch, stamp, seq, id, mark = database.rows(
        "SELECT e.head, e.branch, e.stamp, m.seq, m.id, "
        "(SELECT value FROM meta WHERE key = 'rewritten') FROM (SELECT ? AS tree) AS t "
        "LEFT JOIN elsewhere_of AS e ON e.tree = t.tree "
        "LEFT JOIN memories AS m ON m.seq = (SELECT max(seq) FROM memories)",
        (tree,),
    )[0]
    snapshot = None if stamp is None else read_seen(stamp)
    return State(head or "", branch or "", snapshot, seq or 0, id or "", mark or "0")


def still_there(database: Database, snapshot: Seen) -> bool:
    """Whether the newest memory of then still has its number: the next one would take it over."""
    if not snapshot.seq:
        return True
    row = database.row("SELECT id FROM memories WHERE seq = ?", (snapshot.seq,))
    return row is not None and row[0] == snapshot.id


def others(database: Database, branch: str, head: str, *, since: int = 0) -> bool:
    """Whether a memory after the number ``since`` was born on another branch and commit."""
    question = "SELECT 1 FROM memories WHERE commit_id NOT IN ('', ?) AND (branch <> ? OR ? = '')"
    # Without a bound the index of commits holds all that is asked for.
    bound, values = (" AND seq > ?", (since,)) if since else ("", ())
    return database.row(f"{question}{bound} LIMIT 1", (head, branch, branch, *values)) is not None


def births(database: Database, since: int, until: int) -> frozenset[str]:
    """The commits at which the memories of some numbers were born (after, up to)."""
    return frozenset(
        database.column(
            "SELECT DISTINCT commit_id FROM memories WHERE commit_id <> ''"
            + (" AND seq > ? AND seq <= ?" if since else ""),
            (since, until) if since else (),
        )
    )


def waiting(database: Database) -> list[tuple[str, str]]:
    """(branch, birth) of what still waits for the first commit of its branch."""
    return database.rows(
        "SELECT DISTINCT branch, commit_id FROM memories WHERE commit_id >= ? AND commit_id < ? "
        "AND NOT EXISTS (SELECT 1 FROM rewritten WHERE old = commit_id)",
        (WAITING, chr(ord(WAITING) + 1)),
    )


def concerned(database: Database, commits: Iterable[str]) -> frozenset[str]:
    """Those commits at which a memory was born, or that took the place of another."""
    return frozenset(
        database.column(
            "SELECT value FROM json_each(?) WHERE EXISTS (SELECT 1 FROM memories "
            "WHERE commit_id = value) OR EXISTS (SELECT 1 FROM rewritten WHERE new = value)",
            (array(commits),),
        )
    )


def born(database: Database, commits: Iterable[str]) -> list[tuple[str, str, str]]:
    """(id, branch, commit) of the memories born at some commits, the newest first."""
    return database.rows(
        "SELECT m.id, m.branch, m.commit_id FROM json_each(?) AS j "
        "CROSS JOIN memories AS m ON m.commit_id = j.value ORDER BY m.seq DESC",
        (array(commits),),
    )


def known_of(database: Database, branches: Iterable[str], limit: int) -> list[str]:
    """Commits at which some branches were seen: where memories were born, where events came."""
    import json  # noqa: PLC0415 - the names of branches need escaping; the drain asks

    return database.column(
        "SELECT commit_id FROM (SELECT commit_id, branch, created_at AS at FROM memories "
        "UNION ALL SELECT commit_id, branch, at FROM events) WHERE commit_id <> '' "
        "AND branch IN (SELECT value FROM json_each(?)) "
        "GROUP BY commit_id ORDER BY max(at) DESC LIMIT ?",
        (json.dumps(list(branches)), limit),
    )


def keep(
    database: Database,
    tree: str,
    head: str,
    branch: str,
    snapshot: Seen,
    ids: Iterable[str],
    now: int,
) -> None:
    """Let these memories be the ones elsewhere. In a transaction of the caller.

    Where HEAD or the branch is another than before, what was found about their anchors told of
    other files, and is dropped.
    """
    listed = array(ids)
    in_list = "(SELECT value FROM json_each(?))"
    old = database.row("SELECT head, branch FROM elsewhere_of WHERE tree = ?", (tree,))
    if old != (head, _harmless(branch)):
        database.run(f"DELETE FROM verdicts WHERE tree = ? AND memory IN {in_list}", (tree, listed))
    database.run(
        f"DELETE FROM elsewhere WHERE tree = ? AND memory NOT IN {in_list}", (tree, listed)
    )
    database.run(
        "INSERT OR IGNORE INTO elsewhere (tree, memory) SELECT ?, value FROM json_each(?)",
        (tree, listed),
    )
    database.run(
        "INSERT OR REPLACE INTO elsewhere_of (tree, head, branch, stamp, at) VALUES (?,?,?,?,?)",
        # A branch that is named like a secret is not kept, and so is looked at anew each time.
        (tree, head, _harmless(branch), snapshot.text(), now),
    )


def _harmless(branch: str) -> str:
    """The branch's name without secrets; what is shorter than any of them is as it is."""
    return branch if len(branch) < _SHORTEST_SECRET else clean(branch)


def among(database: Database, hidden: Hidden, ids: Iterable[str]) -> frozenset[str]:
    """Those of some memories that are hidden."""
    clause, values = hidden.clause()
    return frozenset(
        database.column(
            f"SELECT m.id FROM memories AS m WHERE m.id IN (SELECT value FROM json_each(?)) "
            f"AND NOT {clause}",
            (array(ids), *values),
        )
    )


def unverified(database: Database, tree: str, limit: int) -> list[str]:
    """Memories elsewhere that stand on lines of which nobody looked whether they are here too."""
    return database.column(
        "SELECT e.memory FROM elsewhere AS e WHERE e.tree = ? AND EXISTS "
        "(SELECT 1 FROM anchors AS a WHERE a.memory = e.memory AND a.first_line IS NOT NULL) "
        "AND NOT EXISTS (SELECT 1 FROM verdicts AS v WHERE v.memory = e.memory "
        "AND v.tree = e.tree) ORDER BY e.memory DESC LIMIT ?",
        (tree, limit),
    )


def any_in(database: Database, tree: str) -> bool:
    """Whether a worktree has memories elsewhere."""
    return database.row("SELECT 1 FROM elsewhere WHERE tree = ? LIMIT 1", (tree,)) is not None


def trees(database: Database) -> list[str]:
    """The worktrees that have rows."""
    return database.column("SELECT tree FROM elsewhere_of ORDER BY tree")


def forget_trees(database: Database, gone: Iterable[str]) -> None:
    """Drop the rows of some worktrees. In a transaction of the caller."""
    for tree in gone:
        database.run("DELETE FROM elsewhere WHERE tree = ?", (tree,))
        database.run("DELETE FROM elsewhere_of WHERE tree = ?", (tree,))
