"""Looking for damage names what is damaged and touches nothing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gitmem.store.db.connection import Database
from gitmem.store.file import integrity
from gitmem.store.memory import derived_rows
from tests.support.stores import edited, keep, make_store, open_store, said


def test_a_whole_store_has_nothing_to_tell(database: Database) -> None:
    edited(database, keep(database, said()), content="Two")
    assert integrity.structure_problems(database) == []
    assert integrity.damaged_memories(database) == []
    assert integrity.index_problems(database) == []
    assert integrity.files_readable_by_others(database.path) == []


@pytest.mark.parametrize("value", ["'other'", "CAST(x'ff41' AS TEXT)"])
def test_each_damaged_memory_is_named_and_the_others_are_not(
    database: Database, value: str
) -> None:
    stored = [keep(database, said(f"Fact {seed}", seed=seed)) for seed in range(5)]
    for item in (1, 3):
        database.run(f"UPDATE memories SET content = {value} WHERE seq = ?", (stored[item].seq,))
    assert integrity.damaged_memories(database) == [stored[1].id, stored[3].id]
    assert integrity.structure_problems(database) == []


def test_a_memory_whose_history_is_damaged_is_named(database: Database) -> None:
    stored = keep(database, said("Port 6380"))
    edited(database, stored, content="Two")
    database.run("UPDATE versions SET snapshot = replace(snapshot, '6380', '6381')")
    assert integrity.damaged_memories(database) == [stored.id]


def test_a_broken_page_is_damage_of_the_structure(path: Path) -> None:
    database = make_store(path)
    for seed in range(50):
        keep(database, said(f"Fact {seed}" * 20, seed=seed))
    page = database.value("SELECT rootpage FROM sqlite_schema WHERE name = 'memories'")
    database.close()
    with open(path, "r+b") as file:
        file.seek((page - 1) * 4096)
        file.write(os.urandom(8))
    broken = open_store(str(path))
    assert integrity.structure_problems(broken)
    broken.close()


def test_what_another_process_wrote_is_no_damage(database: Database) -> None:
    keep(database, said())
    assert integrity.index_problems(database) == []
    other = open_store(database.path)
    for seed in range(1, 20):
        keep(other, said(f"Fact {seed}", seed=seed))
    other.run("INSERT INTO memory_text (memory_text) VALUES ('optimize')")
    other.close()
    assert integrity.structure_problems(database) == []
    other = open_store(database.path)
    for seed in range(20, 40):
        keep(other, said(f"Fact {seed}", seed=seed))
    other.run("INSERT INTO memory_text (memory_text) VALUES ('optimize')")
    other.close()
    assert integrity.index_problems(database) == []


def test_a_row_that_points_nowhere_is_reported(database: Database) -> None:
    database.connection.pragma("foreign_keys", False)
    database.run("INSERT INTO usage (memory, count, last_at) VALUES ('gone', 1, 1)")
    assert integrity.structure_problems(database) == ["a row of usage references a missing row"]


def test_the_index_is_built_again(database: Database) -> None:
    stored = keep(database, said())
    with database.write():
        derived_rows.delete_derived_rows(database, stored.seq)
    assert integrity.index_problems(database)
    assert integrity.rebuild_index(database) == 1
    assert integrity.index_problems(database) == []


def test_files_that_others_can_read_are_reported_and_made_private(database: Database) -> None:
    keep(database, said())
    log = database.path + "-wal"
    os.chmod(log, 0o644)
    os.chmod(os.path.dirname(database.path), 0o755)
    loose = integrity.files_readable_by_others(database.path)
    assert loose == [os.path.dirname(database.path), log]
    integrity.tighten_permissions(loose)
    assert integrity.files_readable_by_others(database.path) == []
