"""Blobs, their chunks, and the paths that show them."""

from __future__ import annotations

import apsw
import pytest

from gitmem.store.code import chunks, code_search, indexed_files
from gitmem.store.code.indexed_files import NewChunk, WorktreeIndexState
from gitmem.store.db.connection import Database
from gitmem.store.db.content_hash import hash_text
from gitmem.store.memory import derived_rows

HERE, THERE = "/work/here", "/work/there"


def blob(
    database: Database, oid: str, *texts: str, cutter: str = "code/1", skipped: str = ""
) -> int:
    pieces = [
        NewChunk(number * 10 + 1, number * 10 + 10, "", "", text, hash_text(text))
        for number, text in enumerate(texts)
    ]
    with database.write():
        return indexed_files.add_blob(
            database,
            blob_id=oid,
            chunker=cutter,
            chunks=pieces,
            line_count=10,
            byte_count=7,
            refusal_reason=skipped,
        )


def show(database: Database, tree: str, **entries: int) -> None:
    with database.write():
        rows = [(f"src/{name}.py", number, "python") for name, number in entries.items()]
        indexed_files.rewrite_full_text_rows(
            database, indexed_files.set_blobs_of_paths(database, tree, rows)
        )


def hide(database: Database, tree: str, *names: str) -> None:
    with database.write():
        paths = [f"src/{name}.py" for name in names]
        indexed_files.rewrite_full_text_rows(
            database, indexed_files.remove_paths(database, tree, paths)
        )


def finds(database: Database, word: str) -> int:
    return code_search.count_full_text_matches(database, "chunk", word, 100)


def test_nothing_is_found_before_a_path_shows_it(database: Database) -> None:
    number = blob(database, "a" * 40, "redis port")
    assert finds(database, "redis") == 0
    show(database, HERE, cache=number)
    assert finds(database, "redis") == 1
    assert finds(database, "path: cache") == 1


def test_parts_of_identifiers_are_found(database: Database) -> None:
    show(database, HERE, cache=blob(database, "a" * 40, "getUserName(http_server)"))
    for word in ("getusername", "user", "http_server", "server"):
        assert finds(database, word) == 1


def test_a_blob_is_found_by_all_its_paths_and_hidden_with_the_last(database: Database) -> None:
    number = blob(database, "a" * 40, "redis")
    show(database, HERE, one=number, two=number)
    assert finds(database, "path: one") == finds(database, "path: two") == 1
    hide(database, HERE, "one")
    assert finds(database, "path: one") == 0
    assert finds(database, "redis") == 1
    hide(database, HERE, "two")
    assert finds(database, "redis") == 0


def test_a_path_that_shows_something_else_lets_the_old_go(database: Database) -> None:
    old, new = blob(database, "a" * 40, "alpha"), blob(database, "b" * 40, "beta")
    show(database, HERE, x=old)
    show(database, HERE, x=new)
    assert [finds(database, word) for word in ("alpha", "beta")] == [0, 1]
    assert indexed_files.blob_ids_and_chunkers_by_path(database, HERE) == {
        "src/x.py": ("b" * 40, "code/1")
    }


def test_trees_do_not_see_each_other(database: Database) -> None:
    number = blob(database, "a" * 40, "redis")
    show(database, HERE, mine=number)
    show(database, THERE, yours=number)
    (chunk,) = database.rows("SELECT id FROM chunks")[0]
    assert chunks.chunk_metadata_by_row_number(database, HERE, [chunk])[chunk].path == "src/mine.py"
    assert (
        chunks.chunk_metadata_by_row_number(database, THERE, [chunk])[chunk].path == "src/yours.py"
    )
    assert chunks.chunk_metadata_by_row_number(database, "/elsewhere", [chunk]) == {}


def test_a_chunk_comes_with_the_first_of_its_paths(database: Database) -> None:
    number = blob(database, "a" * 40, "redis", "port")
    show(database, HERE, b=number, a=number)
    found = chunks.chunk_metadata_by_row_number(database, HERE, [1, 2, 99])
    texts = chunks.chunk_texts(database, list(found))
    assert [
        (item.path, item.start_line, texts[item.id], item.language) for item in found.values()
    ] == [
        ("src/a.py", 1, "redis", "python"),
        ("src/a.py", 11, "port", "python"),
    ]
    fitting = indexed_files.paths_and_languages_by_chunk(
        database, HERE, lambda path, _: path.endswith("b.py")
    )
    assert fitting == {1: ("src/b.py", "python"), 2: ("src/b.py", "python")}
    assert indexed_files.paths_and_languages_by_chunk(database, HERE, lambda *_: False) == {}


@pytest.mark.parametrize("name", ["caf\udce9.py", "two\nlines.py", "größe.py", "\U0001f642.py"])
def test_any_name_comes_back_as_it_was(database: Database, name: str) -> None:
    number = blob(database, "a" * 40, "redis")
    with database.write():
        indexed_files.rewrite_full_text_rows(
            database, indexed_files.set_blobs_of_paths(database, HERE, [(name, number, "")])
        )
    assert chunks.chunk_metadata_by_row_number(database, HERE, [1])[1].path == name
    assert indexed_files.paths_and_languages_by_chunk(
        database, HERE, lambda path, _: path == name
    ) == {1: (name, "")}
    assert set(indexed_files.blob_ids_and_chunkers_by_path(database, HERE)) == {name}
    with database.write():
        assert indexed_files.remove_paths(database, HERE, [name]) == {number}


def test_the_same_content_cut_in_the_same_way_is_one_blob(database: Database) -> None:
    blob(database, "a" * 40, "x")
    blob(database, "a" * 40, "x", cutter="note/1/500/50")
    assert set(indexed_files.blob_row_numbers_by_id_and_chunker(database)) == {
        ("a" * 40, "code/1"),
        ("a" * 40, "note/1/500/50"),
    }
    assert indexed_files.find_blob_row_number(database, "a" * 40, "code/1") == 1
    assert indexed_files.find_blob_row_number(database, "b" * 40, "code/1") is None
    with pytest.raises(apsw.ConstraintError):
        blob(database, "a" * 40, "x")


def test_what_was_not_cut_says_why(database: Database) -> None:
    number = blob(database, "a" * 40, skipped="minified")
    assert indexed_files.indexing_refusal_reasons(database) == {number: "minified"}


def test_the_state_of_a_tree(database: Database) -> None:
    assert indexed_files.worktree_index_state(database, HERE) is None
    for state in (
        WorktreeIndexState("", "", "building", 1),
        WorktreeIndexState("c" * 40, "s", "whole", 2),
    ):
        with database.write():
            indexed_files.set_worktree_index_state(database, HERE, state)
        assert indexed_files.worktree_index_state(database, HERE) == state
    assert indexed_files.indexed_worktrees(database) == [HERE]


def test_forgetting_a_tree_leaves_what_others_show(database: Database) -> None:
    shared, own = blob(database, "a" * 40, "shared"), blob(database, "b" * 40, "own")
    show(database, HERE, s=shared)
    show(database, THERE, s=shared, o=own)
    with database.write():
        for tree in (HERE, THERE):
            indexed_files.set_worktree_index_state(
                database, tree, WorktreeIndexState("", "", "whole", 1)
            )
        assert indexed_files.delete_other_worktrees(database, [HERE]) == 1
        assert indexed_files.delete_unreferenced_blobs(database) == 1
    assert [finds(database, word) for word in ("shared", "own")] == [1, 0]
    assert indexed_files.indexed_worktrees(database) == [HERE]
    assert database.value("SELECT count(*) FROM chunks") == 1


def test_emptying_drops_sources_and_leaves_memories_alone(database: Database) -> None:
    show(database, HERE, a=blob(database, "a" * 40, "x"))
    with database.write():
        derived_rows.delete_indexed_files_and_commits(database)
    assert indexed_files.blob_row_numbers_by_id_and_chunker(database) == {}
    assert derived_rows.derived_row_problems(database) == []
    show(database, HERE, a=blob(database, "a" * 40, "x"))
    assert finds(database, "x") == 1
