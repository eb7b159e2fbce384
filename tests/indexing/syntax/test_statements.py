"""Files cut into statements: the pieces are the file, whatever it holds."""

from __future__ import annotations

from time import process_time

from hypothesis import given
from hypothesis import strategies as st

from gitmem.indexing.syntax import statements

WORDS = st.sampled_from(
    [
        b"CREATE ",
        b"alias a=b",
        b"f() {",
        b"$$",
        b"$a$",
        b"/*",
        b"*/",
        b"'",
        b'"',
        b"--",
        b"\n",
        b"<<E",
    ]
)
TEXTS = st.lists(st.one_of(WORDS, st.binary(max_size=8)), max_size=40).map(b"".join)


@given(data=TEXTS, grammar=st.sampled_from(["bash", "sql"]))
def test_the_pieces_follow_one_another_and_are_the_whole_file(data: bytes, grammar: str) -> None:
    pieces = list(statements.statement_spans(grammar, data))
    assert b"".join(data[piece.start_byte : piece.end_byte] for piece in pieces) == data
    assert all(piece.start_byte < piece.end_byte for piece in pieces)
    for piece in pieces:
        above = data[: piece.start_byte]
        assert piece.start_point.row == above.count(b"\n")
        assert piece.start_point.column == piece.start_byte - 1 - above.rfind(b"\n")


@given(data=TEXTS)
def test_bodies_made_texts_keep_every_line_where_it_is(data: bytes) -> None:
    texts = statements.blank_sql_bodies("sql", data)
    assert len(texts) == len(data)
    assert [at for at, item in enumerate(texts) if item == 10] == [
        at for at, item in enumerate(data) if item == 10
    ]


def test_what_is_opened_again_and_again_and_never_closed_costs_no_square_of_time() -> None:
    before = process_time()
    for word in (b"/*x", b"$a1$b$c2$ ", b"'", b'"', b"<<E ", b"CREATE\n"):
        for grammar in ("bash", "sql"):
            list(statements.statement_spans(grammar, word * (60_000 // len(word))))
    assert process_time() - before < 2
