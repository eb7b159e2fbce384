"""The canonical half of a store as a file of its own."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from gitmem.errors import ForeignFile, GitmemError, StoreDamaged, StoreTooNew
from gitmem.store.db import schema
from gitmem.store.db.connection import Database
from gitmem.store.file import canonical_copy, integrity
from gitmem.store.memory import memories, memory_writes
from gitmem.store.session import sessions
from tests.support import children
from tests.support.stores import START, edited, keep, make_store, open_store, said


@pytest.fixture
def store(tmp_path: Path) -> Database:
    """Three memories, one of them edited, an access, and a name that lies only in the log."""
    database = make_store(tmp_path / ".gitmem" / "memory.db")
    for seed in range(3):
        keep(database, said(f"Fact {seed} about redis", seed=seed))
    edited(
        database, memories.get_memory(database, said(seed=1).id), content="Fact 1, second version"
    )
    with database.write():
        memory_writes.increment_access_counts(database, [said(seed=2).id], START)
    return database


def rows(database: Database, table: str) -> list[object]:
    return list(database.rows(f"SELECT * FROM {table} ORDER BY 1, 2"))


def canonical(database: Database) -> list[str]:
    derived = tuple(schema.FULL_TEXT) + tuple(schema.DERIVED_TABLES)
    found = database.rows("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    return [name for (name,) in found if not name.startswith(derived)]


def test_it_holds_every_canonical_row_and_no_index(store: Database, tmp_path: Path) -> None:
    target = str(tmp_path / "copy.db")
    assert canonical_copy.write_canonical_copy(store.path, target) == (
        3,
        Path(target).stat().st_size,
    )
    raw = apsw.Connection(target)
    names = {name for (name,) in raw.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    raw.close()
    assert {name for name in names if not name.startswith("exchange_text")} == set(canonical(store))
    copy = open_store(target)
    for table in canonical(store):
        assert rows(copy, table) == rows(store, table), table
    copy.close()
    store.close()


def test_whoever_opens_it_has_a_whole_store(store: Database, tmp_path: Path) -> None:
    target = str(tmp_path / "copy.db")
    canonical_copy.write_canonical_copy(store.path, target)
    copy = open_store(target)
    assert integrity.structure_problems(copy) == integrity.index_problems(copy) == []
    assert integrity.damaged_memories(copy) == []
    assert [memory.content for memory in memories.all_memories(copy)] == [
        memory.content for memory in memories.all_memories(store)
    ]
    assert not sessions.events_in_period(copy)
    copy.close()
    store.close()


@children.needs_fork
def test_it_is_made_while_another_process_writes(store: Database, tmp_path: Path) -> None:
    store.close()
    with children.holding(store.path):
        assert canonical_copy.write_canonical_copy(store.path, str(tmp_path / "copy.db"))[0] == 3


def test_a_store_that_cannot_be_read_gives_none(store: Database, tmp_path: Path) -> None:
    store.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    store.close()
    with open(store.path, "r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * 8192)
    with pytest.raises(StoreDamaged):
        canonical_copy.write_canonical_copy(store.path, str(tmp_path / "copy.db"))
    with pytest.raises(GitmemError):
        canonical_copy.write_canonical_copy(
            str(tmp_path / "absent.db"), str(tmp_path / "second.db")
        )
    assert not (tmp_path / "absent.db").exists()


def test_in_memory_it_is_the_same(store: Database) -> None:
    count, content = canonical_copy.serialize_canonical_copy(store.path)
    copy = canonical_copy.open_serialized_copy(content)
    assert count == 3
    assert rows(copy, "memories") == rows(store, "memories")
    copy.close()
    store.close()


def test_what_is_struck_leaves_no_byte_and_a_tombstone(store: Database, tmp_path: Path) -> None:
    target = tmp_path / "copy.db"
    canonical_copy.write_canonical_copy(store.path, str(target))
    store.close()
    assert b"second version" in target.read_bytes()
    assert (
        canonical_copy.purge_memories_from_copy(
            str(target), [said(seed=1).id, "unknown"], purged_ms=START
        )
        == 2
    )
    assert b"second version" not in target.read_bytes()
    assert b"Fact 1" not in target.read_bytes()
    copy = open_store(str(target))
    assert memory_writes.is_memory_purged(copy, said(seed=1).id)
    assert not rows(copy, "versions")
    copy.close()


def test_what_is_no_copy_is_not_struck(store: Database, tmp_path: Path) -> None:
    store.close()
    newer, foreign = tmp_path / "newer.db", tmp_path / "foreign.db"
    canonical_copy.write_canonical_copy(store.path, str(newer))
    for path, pragma in ((newer, "user_version = 999000"), (foreign, "user_version = 3000")):
        raw = apsw.Connection(str(path))
        raw.execute(f"PRAGMA {pragma}; CREATE TABLE IF NOT EXISTS x (y)")
        raw.close()
        path.chmod(0o600)
    with pytest.raises(StoreTooNew):
        canonical_copy.purge_memories_from_copy(str(newer), ["x"], purged_ms=START)
    with pytest.raises(ForeignFile):
        canonical_copy.purge_memories_from_copy(str(foreign), ["x"], purged_ms=START)
