"""The state of each worktree's index, stored apart from its files."""

from __future__ import annotations

from gitmem.model.frozen import dataclass
from gitmem.store.db import projects
from gitmem.store.db.connection import Database

_DIFFERING = "differing "


@dataclass(frozen=True, slots=True)
class IndexedFileStatistics:
    """An indexed file: its number of chunks (``pieces``), lines and bytes."""

    path: str
    language: str
    pieces: int
    lines: int
    bytes: int


@dataclass(frozen=True, slots=True)
class WorktreeState:
    """How far a worktree is indexed: ``head`` and the ``stamp`` of git's index when its run began.

    ``state`` is ``building``, ``whole``, or ``failed`` where a run ended before the index was
    whole; ``at`` is in milliseconds.
    """

    head: str
    stamp: str
    state: str
    at: int


def worktree_state(database: Database, worktree: str) -> WorktreeState | None:
    """The state of a worktree's index; None if it was never indexed."""
    row = database.row("SELECT head, stamp, state, at FROM trees WHERE tree = ?", (worktree,))
    return None if row is None else WorktreeState(*row)


def set_worktree_state(database: Database, worktree: str, state: WorktreeState) -> None:
    """Store the state of a worktree's index; an index run does it last."""
    database.run(
        "INSERT OR REPLACE INTO trees (tree, head, stamp, state, at) VALUES (?,?,?,?,?)",
        (worktree, state.head, state.stamp, state.state, state.at),
    )


def delete_worktree_state(database: Database, worktree: str) -> None:
    """Remove the state of a worktree's index. In the caller's transaction.

    Its paths stay.
    """
    for table in ("trees", "graph_trees"):
        database.run(f"DELETE FROM {table} WHERE tree = ?", (worktree,))
    database.run("DELETE FROM meta WHERE key = ?", (f"{_DIFFERING}{worktree}",))


def indexed_worktrees(database: Database) -> list[str]:
    """The worktrees that are or were indexed."""
    return database.column("SELECT tree FROM trees ORDER BY tree")


def count_chunks(database: Database, worktree: str) -> int:
    """The number of chunks of a worktree's files."""
    question = "SELECT count(*) FROM paths p JOIN chunks c ON c.blob = p.blob WHERE p.tree = ?"
    return int(database.value(question, (worktree,)))


def is_commit_indexed(database: Database, sha: str) -> bool:
    """Whether a commit is indexed."""
    return bool(database.value("SELECT EXISTS (SELECT 1 FROM commits WHERE sha = ?)", (sha,)))


# --- what a worktree shows otherwise than the commit it is indexed at ---------------------------


def read_differing_files_list(database: Database, worktree: str) -> str:
    """The stored list of the files in which a worktree differs from its commit; empty if none.

    The text is that of ``indexing.differing_files``.
    """
    return projects.get_meta(database, f"{_DIFFERING}{worktree}") or ""


def save_differing_files_list(database: Database, worktree: str, serialized_list: str) -> None:
    """Store ``serialized_list``: the files in which a worktree differs from its commit.

    The text is that of ``indexing.differing_files``. Opens no transaction.
    """
    projects.set_meta(database, f"{_DIFFERING}{worktree}", serialized_list)


def delete_all_differing_files_lists(database: Database) -> None:
    """Remove the lists of differing files, so that the next runs examine every file."""
    database.run("DELETE FROM meta WHERE key GLOB ?", (f"{_DIFFERING}*",))
