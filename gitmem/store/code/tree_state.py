"""The state of each worktree's index, stored apart from its files."""

from __future__ import annotations

from gitmem.model.frozen import dataclass
from gitmem.store.db import projects
from gitmem.store.db.connection import Database

_DIFFERING = "differing "


@dataclass(frozen=True, slots=True)
class IndexedFileStatistics:
    """The size of an indexed file: the number of its chunks (``pieces``), lines and bytes."""

    path: str
    language: str
    pieces: int
    lines: int
    bytes: int


@dataclass(frozen=True, slots=True)
class WorktreeIndexState:
    """How far a worktree is indexed: its commit ``head`` and a ``stamp`` of git's index file.

    Both are as of the start of the last run. ``state`` is ``building``, ``whole``, or ``failed``
    where a run ended before the index was whole; ``at`` is in milliseconds since 1970.
    """

    head: str
    stamp: str
    state: str
    at: int


def worktree_index_state(database: Database, worktree: str) -> WorktreeIndexState | None:
    """The commit and state of a worktree's index; None if it was never indexed."""
    row = database.row("SELECT head, stamp, state, at FROM trees WHERE tree = ?", (worktree,))
    return None if row is None else WorktreeIndexState(*row)


def set_worktree_index_state(
    database: Database, worktree: str, index_state: WorktreeIndexState
) -> None:
    """Store how far a worktree is indexed, replacing what was stored."""
    database.run(
        "INSERT OR REPLACE INTO trees (tree, head, stamp, state, at) VALUES (?,?,?,?,?)",
        (worktree, index_state.head, index_state.stamp, index_state.state, index_state.at),
    )


def delete_worktree_index_state(database: Database, worktree: str) -> None:
    """Delete what is stored of how far a worktree is indexed, with its code graph.

    The rows of its files stay. Opens no transaction.
    """
    for table in ("trees", "graph_trees"):
        database.run(f"DELETE FROM {table} WHERE tree = ?", (worktree,))
    database.run("DELETE FROM meta WHERE key = ?", (f"{_DIFFERING}{worktree}",))


def indexed_worktrees(database: Database) -> list[str]:
    """The paths of all worktrees that are or were indexed, sorted."""
    return database.column("SELECT tree FROM trees ORDER BY tree")


def count_chunks(database: Database, worktree: str) -> int:
    """The number of chunks of a worktree's files."""
    question = "SELECT count(*) FROM paths p JOIN chunks c ON c.blob = p.blob WHERE p.tree = ?"
    return int(database.value(question, (worktree,)))


def is_commit_indexed(database: Database, sha: str) -> bool:
    """Whether the commit with this full id is indexed."""
    return bool(database.value("SELECT EXISTS (SELECT 1 FROM commits WHERE sha = ?)", (sha,)))


# --- what a worktree shows otherwise than the commit it is indexed at ---------------------------


def read_changed_files_list(database: Database, worktree: str) -> str:
    """The stored list of a worktree's files that differ from its commit; empty if none.

    It is one text, written and parsed by ``indexing.differing_files``.
    """
    return projects.get_meta(database, f"{_DIFFERING}{worktree}") or ""


def save_changed_files_list(database: Database, worktree: str, serialized_list: str) -> None:
    """Store the list of a worktree's files that differ from its commit. Opens no transaction.

    It is one text, written and parsed by ``indexing.differing_files``.
    """
    projects.set_meta(database, f"{_DIFFERING}{worktree}", serialized_list)


def delete_all_changed_files_lists(database: Database) -> None:
    """Delete every worktree's list of differing files, so that the next runs read all files."""
    database.run("DELETE FROM meta WHERE key GLOB ?", (f"{_DIFFERING}*",))
