"""What a search asks of indexed files."""

from __future__ import annotations

import pytest

from gitmem.store.code import chunks, indexed_files
from gitmem.store.db.connection import Database
from tests.store.code.test_indexed_files import HERE, THERE, blob
from tests.support.tables import table


@pytest.fixture
def filled(database: Database) -> Database:
    """src/cart.py of two pieces, shown by two paths here; web/cart.js of one; one elsewhere."""
    cart = blob(database, "a" * 40, "first", "second")
    other = blob(database, "b" * 40, "third")
    away = blob(database, "c" * 40, "fourth")
    odd = blob(database, "d" * 40, "fifth")
    with database.write():
        indexed_files.set_blobs_of_paths(
            database, HERE, [("src/cart.py", cart, "python"), ("a/copy.py", cart, "x")]
        )
        indexed_files.set_blobs_of_paths(database, HERE, [("web/cart.js", other, "javascript")])
        indexed_files.set_blobs_of_paths(database, HERE, [("odd/b\udce9_%.py", odd, "python")])
        indexed_files.set_blobs_of_paths(database, THERE, [("there.py", away, "python")])
    return database


def numbers(database: Database) -> dict[str, int]:
    return dict(database.rows("SELECT text, id FROM chunks"))


def test_heads_are_those_that_the_tree_shows_under_their_first_path(filled: Database) -> None:
    known = numbers(filled)
    found = chunks.chunk_metadata_by_row_number(filled, HERE, [*known.values(), 999_999])
    assert {item.path for item in found.values()} == {
        "a/copy.py",
        "web/cart.js",
        "odd/b\udce9_%.py",
    }
    assert known["fourth"] not in found
    second = found[known["second"]]
    assert (second.start_line, second.end_line, second.lines) == (11, 20, 10)
    assert chunks.chunk_metadata_by_row_number(filled, HERE, []) == {}


def test_a_line_is_in_one_piece(filled: Database) -> None:
    known = numbers(filled)
    for line, text in ((1, "first"), (10, "first"), (11, "second"), (20, "second")):
        head = chunks.chunk_at_line(filled, HERE, "src/cart.py", line)
        assert head is not None and (head.id, head.path) == (known[text], "src/cart.py")
    assert chunks.chunk_at_line(filled, HERE, "src/cart.py", 21) is None
    assert chunks.chunk_at_line(filled, THERE, "src/cart.py", 1) is None


def test_pieces_by_the_lines_where_they_start(filled: Database) -> None:
    starting = chunks.chunk_texts_by_line(filled, HERE, "src/cart.py", [1, 11, 12])
    assert starting == {1: "first", 11: "second"}
    assert chunks.chunk_texts_by_line(filled, THERE, "src/cart.py", [1]) == {}
    assert chunks.chunk_texts_by_line(filled, HERE, "src/cart.py", []) == {}


def test_the_first_piece_and_texts(filled: Database) -> None:
    head = chunks.first_chunk(filled, HERE, "src/cart.py")
    assert head is not None and chunks.chunk_texts(filled, [head.id]) == {head.id: "first"}
    assert chunks.first_chunk(filled, HERE, "gone.py") is None
    assert chunks.chunk_texts(filled, []) == {}


def test_files_that_the_tree_shows(filled: Database) -> None:
    queries = ["src/cart.py", "there.py", "odd/b\udce9_%.py", "gone.py"]
    found = chunks.indexed_files_by_path(filled, HERE, queries)
    assert set(found) == {"src/cart.py", "odd/b\udce9_%.py"}
    assert (found["src/cart.py"].language, found["src/cart.py"].lines) == ("python", 10)


def test_files_by_their_last_part(filled: Database) -> None:
    assert chunks.paths_with_file_names(filled, HERE, ["cart.py", "cart.js"]) == [
        "src/cart.py",
        "web/cart.js",
    ]
    assert chunks.paths_with_file_names(filled, HERE, ["art.py", "%", "_%.py", "there.py"]) == []
    assert chunks.paths_with_file_names(filled, HERE, ["b\udce9_%.py"]) == ["odd/b\udce9_%.py"]


@table(
    ("given", "expected"),
    [
        (["cart.py"], ["src/cart.py"]),
        (["./src/cart.py"], ["src/cart.py"]),
        (["/home/me/shop/src/cart.py"], ["src/cart.py"]),
        (["art.py", "lib/cart.py", "there.py"], []),
        (["cart.js", "src/cart.py"], ["src/cart.py", "web/cart.js"]),
        (["%", "_", ""], []),
        ([], []),
    ],
)
def test_files_whose_path_ends_so(filled: Database, given: list[str], expected: list[str]) -> None:
    assert chunks.paths_with_suffixes(filled, HERE, given, 10) == expected


def test_no_more_than_asked_for(filled: Database) -> None:
    assert len(chunks.paths_with_suffixes(filled, HERE, ["cart.js", "cart.py"], 1)) == 1


def test_how_many_there_are(database: Database) -> None:
    assert chunks.approximate_chunk_count(database) == 0
    for number, texts in enumerate((("first", "second"), ("third",)), 1):
        blob(database, str(number) * 40, *texts)
        assert chunks.approximate_chunk_count(database) == len(numbers(database))
