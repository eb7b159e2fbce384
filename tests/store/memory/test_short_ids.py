"""The beginning of an id is enough, as long as it names one memory."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitmem.errors import AmbiguousReference, NotFound
from gitmem.model import ids
from gitmem.store.db.connection import Database
from gitmem.store.memory import short_ids
from tests.support.amounts import examples
from tests.support.stores import keep, make_store, said


def with_ids(database: Database, *expected: str) -> None:
    for seed, id in enumerate(expected):
        keep(database, said(f"Fact {seed}", seed=seed, id=id.ljust(26, "0")))


def test_the_shortest_beginning_has_eight_letters_or_as_many_as_it_takes(
    database: Database,
) -> None:
    with_ids(database, "AAAA", "BBBBBBBBBB1", "BBBBBBBBBB2")
    assert short_ids.shortest_unique_prefix(database, "AAAA".ljust(26, "0")) == "AAAA0000"
    assert short_ids.shortest_unique_prefix(database, "BBBBBBBBBB1".ljust(26, "0")) == "BBBBBBBBBB1"


@settings(max_examples=examples(10))
@given(st.lists(st.text(ids.ALPHABET[:3], min_size=26, max_size=26), min_size=1, unique=True))
def test_the_shortest_beginning_finds_the_memory_it_is_of(
    tmp_path_factory: pytest.TempPathFactory, wanted: list[str]
) -> None:
    database = make_store(tmp_path_factory.mktemp("s") / "memory.db")
    with_ids(database, *wanted)
    for id in wanted:
        assert (
            short_ids.find_memory([database], short_ids.shortest_unique_prefix(database, id, 1))[
                1
            ].id
            == id
        )
    database.close()


def test_found_in_any_case_and_with_look_alikes(database: Database) -> None:
    with_ids(database, "01A")
    assert short_ids.find_memory([database], "oia")[1].id.startswith("01A")


def test_a_beginning_of_several_is_refused_with_their_names(database: Database) -> None:
    with_ids(database, "AA1", "AA2")
    with pytest.raises(AmbiguousReference, match=r"AA1.*AA2"):
        short_ids.find_memory([database], "aa")


@pytest.mark.parametrize("text", ["", "zz", "not an id", "0" * 30])
def test_what_fits_nothing_is_not_found(database: Database, text: str) -> None:
    with_ids(database, "AA")
    with pytest.raises(NotFound):
        short_ids.find_memory([database], text)


def test_looked_up_in_several_stores(database: Database, tmp_path: Path) -> None:
    shared = make_store(tmp_path / "shared" / "memory.db")
    with_ids(database, "AA1")
    with_ids(shared, "AA2")
    assert short_ids.find_memory([database, shared], "aa2")[0] is shared
    with pytest.raises(AmbiguousReference):
        short_ids.find_memory([database, shared], "aa")
    shared.close()
