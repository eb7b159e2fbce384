"""What the tests of capturing share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gitmem.app import App
from tests.support.apps import Desk


@pytest.fixture
def app(desk: Desk) -> Iterator[App]:
    """An App of a person in a repository with a store."""
    made = desk.app()
    yield made
    made.close()
