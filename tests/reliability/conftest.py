"""Each test here has a repository and an application of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gitmem.app import App
from tests.support.stores import make_app


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    """An application in a small repository that is set up."""
    made = make_app(tmp_path)
    yield made
    made.close()
