"""Which memories cite a place, found by the text of their lists."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitmem.store.db.connection import Database
from gitmem.store.memory import cited_by
from tests.support.stores import keep, make_store, said


@pytest.fixture
def database(tmp_path: Path) -> Database:
    found = make_store(tmp_path / "memory.db")
    cited = (
        "src/app.py",
        "src/app.py:4-6",
        "src/app.py::main",
        "src",
        "src/",
        "src/app.pyi",
        'q"x.py',
    )
    for seed, path in enumerate(cited):
        keep(found, said(f"fact {seed}", seed=seed, paths=(path,)))
    return found


def places(database: Database, path: str) -> set[str]:
    return {item for _, cited in cited_by.memories_citing_path(database, path) for item in cited}


def test_a_file_its_lines_its_names_and_its_folders_are_found(database: Database) -> None:
    assert places(database, "src/app.py") == {
        "src/app.py", "src/app.py:4-6", "src/app.py::main", "src", "src/"
    }  # fmt: skip


def test_of_a_folder_what_lies_in_it_too(database: Database) -> None:
    assert "src/app.pyi" in places(database, "src")


def test_a_quote_in_a_name_is_no_end_of_it(database: Database) -> None:
    assert places(database, 'q"x.py') == {'q"x.py'}
    assert places(database, "q") == set()
