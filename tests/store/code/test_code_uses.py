"""What a file uses, as it comes back from its one row."""

from __future__ import annotations

import pytest

from gitmem.store.code import code_uses, indexed_files
from gitmem.store.db.connection import Database

PLAIN = [(1, "import", "os.path", "join", ""), (7, "call", "join", "", "path")]


@pytest.mark.parametrize("apart", ["\t", "\n", "\r", "\t\t\n", "a\r\nb"])
def test_what_keeps_fields_apart_is_a_blank_inside_of_one(database: Database, apart: str) -> None:
    odd = [*PLAIN, (9, "value", f"x{apart}y", apart, f"{apart}z")]
    with database.write():
        for number, uses in enumerate([PLAIN, odd, []]):
            blob = indexed_files.add_blob(
                database,
                blob_id=f"{number:040x}",
                chunker="c",
                chunks=(),
                line_count=1,
                byte_count=1,
            )
            if uses:
                code_uses.add_name_uses(database, blob, iter(uses))
    blank = apart.translate(str.maketrans("\t\n\r", "   "))
    assert code_uses.name_uses_of_blob(database, 1) == PLAIN
    assert code_uses.name_uses_of_blob(database, 2) == [
        *PLAIN,
        (9, "value", f"x{blank}y", blank, f"{blank}z"),
    ]
    assert code_uses.name_uses_of_blob(database, 3) == []
