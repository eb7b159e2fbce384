"""One changed bit in what an index run made is found."""

from __future__ import annotations

from gitmem.embedding import base
from gitmem.store.code import code_integrity, commits, indexed_files, vectors
from gitmem.store.code.commits import IndexedCommit
from gitmem.store.code.indexed_files import NewChunk
from gitmem.store.db.connection import Database
from gitmem.store.db.content_hash import hash_text
from tests.support.secrets import SECRET

FLIPS = {
    "UPDATE vectors SET q8 = CAST(x'01' || substr(q8, 2) AS BLOB)": "1 vector is damaged",
    "UPDATE vectors SET crc = crc + 1": "1 vector is damaged",
    "UPDATE vector_bits SET bits = x'00'": "1 vector is damaged",
    "DELETE FROM vector_bits": "1 vector is damaged",
    "UPDATE chunks SET text = replace(text, 'cart', 'cars')": "1 indexed chunk is damaged",
    "UPDATE chunks SET symbol = 'x'": "1 indexed chunk is damaged",
    "UPDATE commits SET body = 'x' WHERE id = 1": "1 indexed commit is damaged",
}


def fill(database: Database) -> None:
    text = "def cart(): pass"
    with database.write():
        indexed_files.add_blob(
            database,
            blob_id="a" * 40,
            chunker="lines",
            chunks=[NewChunk(1, 1, "", "cart", text, hash_text(f"cart\n{text}"))],
            line_count=1,
            byte_count=9,
        )
        commits.add_commits(
            database,
            [
                IndexedCommit("b" * 40, "Ada", 1, "Add it", "Why", (), hash_text("Add it\nWhy")),
                IndexedCommit("c" * 40, "Ada", 2, SECRET, "", (), hash_text(SECRET)),
            ],
        )
        q8 = base.quantise_vector([0.5, -0.25] * 4)
        vectors.add_vectors(
            database, "m", "chunk", [(hash_text(f"cart\n{text}"), q8, base.sign_bits(q8))]
        )


def test_each_flip_is_found_and_what_is_whole_is_not(database: Database) -> None:
    fill(database)
    assert code_integrity.checksum_problems(database) == []
    for sql, output in FLIPS.items():
        database.connection.execute("SAVEPOINT before")
        database.connection.execute(sql)
        assert code_integrity.checksum_problems(database) == [output], sql
        database.connection.execute("ROLLBACK TO before")
        database.connection.execute("RELEASE before")
    assert code_integrity.checksum_problems(database) == []
