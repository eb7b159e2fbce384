"""CT-9: to which sub-project memories and sessions belong, in SQL as in ``model.project_key``."""

from __future__ import annotations

from pathlib import Path

from gitmem.model import project_key
from gitmem.model.frozen import replace
from gitmem.store.db.connection import Database
from gitmem.store.memory import memories, memory_writes, project_parts
from gitmem.store.memory.filters import Filter
from tests.support.stores import make_store, said

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
    found = memories.select(database, Filter(states=(), beside=(clause,)), limit=100)
    return {one.project for one in found}


def test_sql_takes_keys_apart_as_the_rule_does(tmp_path: Path) -> None:
    database = make_store(tmp_path / "own" / "memory.db")
    with database.write():
        for seed, key in enumerate(KEYS):
            memory_writes.insert(database, replace(said(f"Fact {seed}", seed=seed), project=key))
    shared = {key for key in KEYS if not project_key.split(key)[1]}
    assert passing(database, project_parts.shared()) == shared
    names = {project_key.split(key)[1] for key in KEYS} - {""}
    assert project_parts.names(database) == sorted(names)
    for name in (*names, "nobody"):
        own = {key for key in KEYS if project_key.split(key)[1] == name}
        assert passing(database, project_parts.of(name)) == own
        assert passing(database, project_parts.seen_from(name)) == own | shared
    assert passing(database, project_parts.seen_from("")) == shared
    database.close()
