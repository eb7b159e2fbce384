"""What one worktree lends another: which files, and at what cost."""

from __future__ import annotations

from gitmem.store.code import indexed_files, shared_paths
from gitmem.store.code.indexed_files import WorktreeIndexState
from gitmem.store.db.connection import Database

HERE, THERE = "/work/here", "/work/there"
# SQLite reports after so many of its steps: what a statement costs on any machine.
STEP = 50


def whole(database: Database, tree: str, files: int) -> dict[str, str]:
    """Let a worktree show so many files; path -> blob id."""
    with database.write():
        shown = []
        for number in range(files):
            oid = f"{number:040x}"
            blob = indexed_files.find_blob_row_number(
                database, oid, "lines/1"
            ) or indexed_files.add_blob(
                database, blob_id=oid, chunker="lines/1", chunks=(), line_count=1, byte_count=1
            )
            shown.append((f"src/file{number}.txt", blob, "text"))
        indexed_files.set_blobs_of_paths(database, tree, shown)
        indexed_files.set_worktree_index_state(
            database, tree, WorktreeIndexState("", "", "whole", 1)
        )
    return {f"src/file{number}.txt": f"{number:040x}" for number in range(files)}


def steps(database: Database, expected: dict[str, str]) -> int:
    """How much work SQLite has with lending these files to a new worktree."""
    counted = 0

    def count() -> bool:
        nonlocal counted
        counted += 1
        return False

    database.connection.set_progress_handler(count, STEP)
    with database.write():
        # A tree of its own for each number of files: what one has is not lent again.
        assert shared_paths.link_paths_to_indexed_blobs(
            database, f"{HERE}/{len(expected)}", expected
        ) == len(expected)
    database.connection.set_progress_handler(None)
    return counted


def test_what_lending_costs_grows_as_the_files_do(database: Database) -> None:
    few, many = 40, 400
    cheap = steps(database, whole(database, THERE, few))
    assert cheap
    dear = steps(database, whole(database, THERE, many))
    assert dear < 2 * many // few * cheap


def test_only_what_is_alike_in_path_and_content_is_lent(database: Database) -> None:
    expected = whole(database, THERE, 3)
    expected["src/file1.txt"] = "f" * 40
    expected["moved/file2.txt"] = expected.pop("src/file2.txt")
    with database.write():
        assert shared_paths.link_paths_to_indexed_blobs(database, HERE, expected) == 1
    assert list(indexed_files.blob_ids_and_chunkers_by_path(database, HERE)) == ["src/file0.txt"]
