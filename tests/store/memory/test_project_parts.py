"""CT-9: to which sub-project memories and sessions belong, in SQL as in ``model.project_key``."""

from __future__ import annotations

from pathlib import Path

import apsw

from gitmem.model import project_key
from gitmem.model.frozen import replace
from gitmem.store.db.connection import Database
from gitmem.store.memory import memories, memory_writes, project_parts
from gitmem.store.memory.filters import MemoryFilter
from tests.support.stores import keep, make_store, open_store, said

KEYS = (
    "shop",
    "https://x.org/shop",
    "https://web",
    "path:/home/me/c#",
    "shop//web",
    "older//web",
    "https://x.org/shop//web",
    "shop//webshop",
    "shop//my-web",
    "shop//@acme/web",
    "shop//100%",
    "shop//Web",
)


def passing(database: Database, clause: tuple[str, list[object]]) -> set[str]:
    found = memories.select_memories(
        database, MemoryFilter(states=(), extra_conditions=(clause,)), limit=100
    )
    return {item.project for item in found}


def test_sql_takes_keys_apart_as_the_rule_does(tmp_path: Path) -> None:
    database = make_store(tmp_path / "own" / "memory.db")
    with database.write():
        for seed, key in enumerate(KEYS):
            memory_writes.insert_memory(
                database, replace(said(f"Fact {seed}", seed=seed), project=key)
            )
    shared = {key for key in KEYS if not project_key.split_project_key(key)[1]}
    assert passing(database, project_parts.whole_repository_sql_condition()) == shared
    names = {project_key.split_project_key(key)[1] for key in KEYS} - {""}
    assert project_parts.subproject_names(database) == sorted(names)
    for name in (*names, "nobody"):
        own = {key for key in KEYS if project_key.split_project_key(key)[1] == name}
        assert passing(database, project_parts.subproject_sql_condition(name)) == own
        assert (
            passing(database, project_parts.subproject_or_repository_sql_condition(name))
            == own | shared
        )
    assert passing(database, project_parts.subproject_or_repository_sql_condition("")) == shared
    database.close()


def test_a_damaged_row_that_names_no_project_stops_nothing(tmp_path: Path) -> None:
    """A bit of its header makes NULL of a text; `doctor` and `status` ask for all names."""
    path = tmp_path / "own" / "memory.db"
    database = make_store(path)
    for seed, key in enumerate(("shop", "shop//web")):
        keep(database, replace(said(f"Fact {seed}", seed=seed), project=key))
    database.close()
    connection = apsw.Connection(str(path))
    connection.pragma("writable_schema", True)
    change = "UPDATE sqlite_schema SET sql = replace(sql, ?, ?) WHERE name = 'memories'"
    strict, loose = "project TEXT NOT NULL", "project TEXT"
    connection.execute(change, (strict, loose))
    connection.close()
    connection = apsw.Connection(str(path))
    connection.execute("UPDATE memories SET project = NULL WHERE project = 'shop'")
    connection.pragma("writable_schema", True)
    connection.execute(change, (loose, strict))
    connection.close()
    database = open_store(str(path))
    assert project_parts.subproject_names(database) == ["web"]
    database.close()
