"""Every test here works on a store of its own, without a repository around it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gitmem.store.db.connection import Database
from tests.support.stores import make_store


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the store of this test is."""
    return tmp_path / ".gitmem" / "memory.db"


@pytest.fixture
def database(path: Path) -> Iterator[Database]:
    """A new, empty store."""
    made = make_store(path)
    yield made
    made.close()
