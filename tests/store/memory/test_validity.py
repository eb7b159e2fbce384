"""What SQL says was in force is what the plain rule says, for any memory and any moment."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitmem.store.db.connection import Database
from gitmem.store.memory import filters, memories
from tests.support.amounts import examples
from tests.support.stores import keep, make_store, said
from tests.support.validity import in_force

# Few moments, so that they often meet.
moments = st.integers(0, 6)
bounds = st.none() | moments
fields = st.fixed_dictionaries(
    {
        "created_at": moments,
        "updated_at": moments,
        "valid_from": bounds,
        "valid_until": bounds,
        "archived_at": bounds,
        "expires_at": bounds,
        "pinned": st.booleans(),
        "superseded_by": st.sampled_from(["", "A" * 26]),
        "status": st.sampled_from(["", "proposed", "accepted", "deprecated", "superseded"]),
    }
)


def chosen(database: Database, at: int) -> set[str]:
    clause, values = filters.in_force_sql_condition(at)
    rows = database.rows(f"SELECT id FROM memories AS m WHERE {clause}", tuple(values))
    return {row[0] for row in rows}


@settings(max_examples=examples(16), suppress_health_check=list(HealthCheck))
@given(st.lists(fields, min_size=1, max_size=12))
def test_sql_and_the_rule_agree(
    tmp_path_factory: pytest.TempPathFactory, population: list[dict[str, Any]]
) -> None:
    """CF-45."""
    database = make_store(tmp_path_factory.mktemp("s") / "memory.db")
    with database.write():
        for seed, item in enumerate(population):
            keep(database, said(f"Fact {seed}", seed=seed, **item))
    stored = list(memories.all_memories(database))
    for at in range(-1, 8):
        assert chosen(database, at) == {item.id for item in stored if in_force(item, at)}
    database.close()
