"""How far each worktree is indexed; apart from its files, since every reader asks this alone."""

from __future__ import annotations

from gitmem.model.frozen import dataclass
from gitmem.store.db import projects
from gitmem.store.db.connection import Database

_DIFFERING = "differing "


@dataclass(frozen=True, slots=True)
class FilePieces:
    """An indexed file: into how many pieces it was cut, its lines and bytes."""

    path: str
    language: str
    pieces: int
    lines: int
    bytes: int


@dataclass(frozen=True, slots=True)
class TreeState:
    """How far a worktree is indexed: HEAD, a stamp of git's index, and ``state``.

    That is ``building``, ``whole``, or ``failed`` where a run ended before the index was whole.
    """

    head: str
    stamp: str
    state: str
    at: int


def state(database: Database, tree: str) -> TreeState | None:
    """How far a worktree is indexed, None where it never was."""
    row = database.row("SELECT head, stamp, state, at FROM trees WHERE tree = ?", (tree,))
    return None if row is None else TreeState(*row)


def set_state(database: Database, tree: str, state: TreeState) -> None:
    """Say how far a worktree is indexed; written last."""
    database.run(
        "INSERT OR REPLACE INTO trees (tree, head, stamp, state, at) VALUES (?,?,?,?,?)",
        (tree, state.head, state.stamp, state.state, state.at),
    )


def forget(database: Database, tree: str) -> None:
    """Take out what is known of a worktree beside its paths. In the caller's transaction."""
    for table in ("trees", "graph_trees"):
        database.run(f"DELETE FROM {table} WHERE tree = ?", (tree,))
    database.run("DELETE FROM meta WHERE key = ?", (f"{_DIFFERING}{tree}",))


def trees(database: Database) -> list[str]:
    """The worktrees that are or were indexed."""
    return database.column("SELECT tree FROM trees ORDER BY tree")


def count_pieces(database: Database, tree: str) -> int:
    """How many pieces of files a worktree shows."""
    question = "SELECT count(*) FROM paths p JOIN chunks c ON c.blob = p.blob WHERE p.tree = ?"
    return int(database.value(question, (tree,)))


def holds_commit(database: Database, sha: str) -> bool:
    """Whether a commit is indexed."""
    return bool(database.value("SELECT EXISTS (SELECT 1 FROM commits WHERE sha = ?)", (sha,)))


# --- what a worktree shows otherwise than the commit it is indexed at ---------------------------


def differing(database: Database, tree: str) -> str:
    """The note of ``indexing.differing_files`` about a worktree, empty where there is none."""
    return projects.meta(database, f"{_DIFFERING}{tree}") or ""


def note_differing(database: Database, tree: str, text: str) -> None:
    """Keep the note. In the caller's transaction."""
    projects.set_meta(database, f"{_DIFFERING}{tree}", text)


def forget_differing(database: Database) -> None:
    """Take out the notes of all worktrees: their next runs look at every file."""
    database.run("DELETE FROM meta WHERE key GLOB ?", (f"{_DIFFERING}*",))
