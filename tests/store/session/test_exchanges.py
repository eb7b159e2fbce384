"""A conversation is replaced whole, deleted with its words and vectors, and stored redacted."""

from __future__ import annotations

from pathlib import Path

from gitmem.model.exchange import Conversation, Exchange, ToolCall
from gitmem.model.frozen import replace
from gitmem.store.code import vectors
from gitmem.store.db import schema
from gitmem.store.db.connection import Database
from gitmem.store.db.content_hash import hash_text
from gitmem.store.file import canonical_copy, salvage
from gitmem.store.session import exchanges
from tests.support.secrets import SECRET, leaked
from tests.support.stores import START, make_store

ID = "01HZY0000000000000000000T1"
OTHER = "01HZY0000000000000000000T2"


def conversation(id: str = ID, source: str = "/home/me/.codex/s.jsonl") -> Conversation:
    return Conversation(id, "codex", f"s-{id}", "/repo", START, START + 9, "main", "", source)


def exchange(number: int, user: str, assistant: str = "Done.", id: str = ID) -> Exchange:
    call = ToolCall("Edit", ("src/pool.py",), "ok")
    return Exchange(id, number, user, assistant, (call,), START + number, "", "m-1")


def store(database: Database, *lines: str, id: str = ID, source: str = "a.jsonl") -> None:
    turns = [exchange(at, line, id=id) for at, line in enumerate(lines, 1)]
    with database.write():
        exchanges.replace_conversation(database, conversation(id, source), turns, "1:2")


def matching(database: Database, word: str) -> list[int]:
    return database.column("SELECT rowid FROM exchange_text WHERE exchange_text MATCH ?", (word,))


def embed(database: Database) -> None:
    waiting = vectors.texts_without_vector(database, "m", "exchange", 99)
    vectors.add_vectors(
        database, "m", "exchange", [(text.hash, b"\1\2", b"\3") for text in waiting]
    )


def counts(database: Database) -> list[int]:
    return [
        database.value(f"SELECT count(*) FROM {table}")
        for table in ("conversations", "exchanges", "exchange_paths", "vectors", "vector_bits")
    ]


def test_what_was_stored_is_read_again(tmp_path: Path) -> None:
    database = make_store(tmp_path / "memory.db")
    store(database, "Why is the pool flaky?", "Raise its limit.")
    assert exchanges.read_exchanges(database, ID) == [
        exchange(1, "Why is the pool flaky?"),
        exchange(2, "Raise its limit."),
    ]
    assert exchanges.read_exchanges(database, ID, 2)[0].number == 2
    (row,) = matching(database, "flaky")
    assert exchanges.exchanges_by_row(database, [row])[row].number == 1
    assert exchanges.conversation_ids_and_stamps_by_source(database, "codex") == {
        "a.jsonl": (ID, "1:2")
    }
    assert exchanges.conversations_by_prefix(database, "s-01HZ") == [conversation(source="a.jsonl")]


def test_a_second_reading_replaces_the_first_whole(tmp_path: Path) -> None:
    database = make_store(tmp_path / "memory.db")
    store(database, "About zebras", "And lions", "Stays")
    embed(database)
    (text,) = vectors.texts_without_vector(database, "none", "exchange", 1, b"")[:1]
    store(database, "Stays")
    assert counts(database) == [1, 1, 1, 1, 1]
    assert not matching(database, "zebras")
    assert not vectors.count_texts_without_vector(database, "m", ("exchange",)), text


def test_a_deleted_conversation_leaves_no_word_and_no_vector(tmp_path: Path) -> None:
    database = make_store(tmp_path / "memory.db")
    store(database, "About zebras", "Said twice")
    store(database, "Said twice", id=OTHER, source="b.jsonl")
    embed(database)
    with database.write():
        assert exchanges.delete_conversations(database, [ID]) == 1
        exchanges.merge_exchange_text_index(database)
    # The text that the other has too keeps its vector.
    assert counts(database) == [1, 1, 1, 1, 1]
    database.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
    assert b"zebra" not in Path(database.path).read_bytes()


def test_no_secret_is_stored(tmp_path: Path) -> None:
    database = make_store(tmp_path / "memory.db")
    turn = Exchange(ID, 1, f"use {SECRET}", SECRET, (ToolCall(SECRET, (SECRET,), ""),), 0, SECRET)
    with database.write():
        exchanges.replace_conversation(database, conversation(), [turn], "1")
    database.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    assert not leaked(Path(database.path).read_bytes())


def test_a_row_that_another_store_wrote_is_not_read(tmp_path: Path) -> None:
    database = make_store(tmp_path / "memory.db")
    store(database, "Really said")
    database.run("UPDATE exchanges SET user = 'Never said'")
    assert exchanges.read_exchanges(database, ID) == []
    assert ("exchanges", f"{ID} 1") in database.foreign


def test_no_id_of_a_host_is_taken_for_a_note_of_the_store(tmp_path: Path) -> None:
    database = make_store(tmp_path / "memory.db")
    for number, name in enumerate(("store", "seal", "device", "counter")):
        id = f"{ID[:-1]}{number}"
        made = replace(conversation(id, f"{number}.jsonl"), session=name, branch=name)
        with database.write():
            exchanges.replace_conversation(database, made, [exchange(1, name, id=id)], name)
    database.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    salvaged = salvage.salvage_rows(Path(database.path).read_bytes())
    for name in ("store", "seal", "device", "counter"):
        expected = database.value("SELECT value FROM meta WHERE key = ?", (name,))
        assert salvaged.meta_value(name) == expected, name


def test_the_index_is_made_again(tmp_path: Path) -> None:
    database = make_store(tmp_path / "memory.db")
    store(database, "About zebras")
    database.run("DELETE FROM exchange_text")
    with database.write():
        exchanges.rebuild_exchange_text_index(database)
    assert matching(database, "zebras")
    assert matching(database, "paths: pool")
    assert schema.schema_fingerprint(database.connection) == schema.FINGERPRINT


def test_vectors_of_exchanges_are_no_waste(tmp_path: Path) -> None:
    database = make_store(tmp_path / "memory.db")
    store(database, "About zebras")
    embed(database)
    assert vectors.delete_unused_vectors(database, ["m"]) == 0
    assert counts(database)[-2:] == [1, 1]


def test_what_is_embedded_is_what_the_hash_is_of(tmp_path: Path) -> None:
    database = make_store(tmp_path / "memory.db")
    long = "ä" * (exchanges.OF_USER + 9)
    with database.write():
        exchanges.replace_conversation(database, conversation(), [exchange(1, long, long)], "1")
    (text,) = vectors.texts_without_vector(database, "m", "exchange", 9)
    assert text.text == exchanges.exchange_text_to_embed(long, long)
    assert hash_text(text.text) == text.hash


def test_a_copy_outside_the_file_holds_no_transcript(tmp_path: Path) -> None:
    database = make_store(tmp_path / "memory.db")
    store(database, "About zebras")
    canonical_copy.write_canonical_copy(database.path, str(tmp_path / "copy.db"))
    assert b"zebra" not in (tmp_path / "copy.db").read_bytes()
