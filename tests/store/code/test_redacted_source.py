"""The gate for what is stored of a file: nothing raw passes it, nothing redacted is changed."""

from __future__ import annotations

from gitmem.store.code import indexed_files, redacted_source, symbols
from gitmem.store.code.indexed_files import NewChunk
from gitmem.store.code.redacted_source import RedactionGate, redact_source
from gitmem.store.db.connection import Database
from gitmem.store.db.content_hash import hash_text
from tests.support.secrets import SECRET, leaked
from tests.text.secret_samples import B64, PRIVATE

RAW = f"import {SECRET}\ndef {SECRET}(x):\n    # uses {SECRET}\n    {SECRET}()\n"


def fill(
    database: Database, gate: RedactionGate | None, text: str = RAW
) -> list[tuple[object, ...]]:
    """A blob of four lines with everything that may hang on one; all that is stored of it."""
    piece = NewChunk(1, 4, f"def {SECRET}", SECRET, text, hash_text("raw"))
    with database.write():
        number = indexed_files.add_blob(
            database,
            blob_id="a" * 40,
            chunker="code/1",
            chunks=[piece],
            line_count=4,
            byte_count=9,
            redaction_gate=gate,
        )
        symbols.add_symbols(
            database,
            number,
            [(SECRET, "function", f"def {SECRET}(x)", f"uses {SECRET}", SECRET, 2, 4, True)],
            [(SECRET, "call", "4")],
            [(SECRET, f"one {SECRET}", 1)],
            gate,
        )
        indexed_files.rewrite_full_text_rows(
            database,
            indexed_files.set_blobs_of_paths(database, "/tree", [("a.py", number, "python")]),
        )
    tables = ("chunks", "symbols", "refs", "imports", "chunk_text_data")
    return [row for table in tables for row in database.rows(f"SELECT * FROM {table}")]


def test_callers_without_a_gate_are_not_believed(database: Database) -> None:
    rows = fill(database, None)
    assert len(rows) > 5
    assert not leaked(repr(rows).encode())
    assert "[redacted:github-token]" in repr(rows)


def test_raw_bytes_make_no_gate_that_believes(database: Database) -> None:
    assert not leaked(repr(fill(database, RedactionGate(RAW.encode()))).encode())


def test_what_is_not_in_the_redacted_text_is_redacted(database: Database) -> None:
    assert not leaked(repr(fill(database, RedactionGate(redact_source("x = 1\n" * 4)))).encode())


def test_a_piece_of_other_lines_is_redacted() -> None:
    text = "password\n= \n'hunter2hunter'\nx\n"
    gate = RedactionGate(redact_source(text))
    assert gate.redact_lines("x", 4, 4) == "x"
    assert leaked(gate.redact_lines(SECRET, 1, 1).encode()) is False


def test_the_vector_is_that_of_the_text_that_is_stored(database: Database) -> None:
    fill(database, None)
    ((context, symbol, text, hashed),) = database.rows(
        "SELECT context, symbol, text, hash FROM chunks"
    )
    assert hashed == hash_text(f"{context}\n{symbol}\n{text}")


def test_a_redacted_text_passes_as_it_is() -> None:
    """Also what would be redacted if it stood alone, and what is not in the line that is told."""
    text = redact_source(f"class A:\n    def token(self): ...\n# {SECRET}\nimport b.c\n")
    gate = RedactionGate(text)
    lines = text.decode().split("\n")
    for first in range(len(lines)):
        for last in range(first + 1, len(lines)):
            piece = "\n".join(lines[first:last])
            assert gate.redact_lines(piece, first + 1, last) is piece
    row = ("token", "function", "def token(self): ...", "", "A", 2, 2, True)
    assert gate.redact_definition(row) == row
    assert gate.redact_mention(("token", "call", "2,9")) == ("token", "call", "2,9")
    assert gate.redact_import(("b.c", "", 4)) == ("b.c", "", 4)
    assert gate.redact_import(("b.c", "", 400)) == ("b.c", "", 400)
    assert gate.redact_names("A token", 1, 2) == "A token"


def test_lines_keep_their_numbers() -> None:
    key = "\n".join(B64[:60] for _ in range(5))
    block = f"-----BEGIN RSA {PRIVATE}-----\n{key}\n-----END RSA {PRIVATE}-----"
    text = redact_source(f"a\nkey = '''{block}'''\nb = 1\n").decode()
    assert key.split("\n")[2] not in text
    assert text.split("\n").index("b = 1") == 8
    assert redact_source(text) == text.encode()


def test_a_path_that_holds_a_secret_is_not_stored(database: Database) -> None:
    with database.write():
        number = indexed_files.add_blob(
            database, blob_id="a" * 40, chunker="code/1", chunks=(), line_count=1, byte_count=1
        )
        entries = [(f"src/{SECRET}/a.py", number, "python"), ("src/größe.py", number, "python")]
        assert indexed_files.set_blobs_of_paths(database, "/tree", entries) == {number}
    assert list(indexed_files.blob_ids_and_chunkers_by_path(database, "/tree")) == ["src/größe.py"]


def test_only_text_that_was_redacted_is_a_redacted_source() -> None:
    assert isinstance(redact_source("x"), redacted_source.RedactedSource)
    assert not leaked(redact_source(RAW))
