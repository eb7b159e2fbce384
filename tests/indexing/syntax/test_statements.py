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
    pieces = list(statements.pieces(grammar, data))
    assert b"".join(data[one.start_byte : one.end_byte] for one in pieces) == data
    assert all(one.start_byte < one.end_byte for one in pieces)
    for one in pieces:
        above = data[: one.start_byte]
        assert one.start_point.row == above.count(b"\n")
        assert one.start_point.column == one.start_byte - 1 - above.rfind(b"\n")


@given(data=TEXTS)
def test_bodies_made_texts_keep_every_line_where_it_is(data: bytes) -> None:
    texts = statements.texts("sql", data)
    assert len(texts) == len(data)
    assert [at for at, one in enumerate(texts) if one == 10] == [
        at for at, one in enumerate(data) if one == 10
    ]


def test_what_is_opened_again_and_again_and_never_closed_costs_no_square_of_time() -> None:
    before = process_time()
    for word in (b"/*x", b"$a1$b$c2$ ", b"'", b'"', b"<<E ", b"CREATE\n"):
        for grammar in ("bash", "sql"):
            list(statements.pieces(grammar, word * (60_000 // len(word))))
    assert process_time() - before < 2
