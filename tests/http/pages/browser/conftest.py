"""One Chromium for the tests of a module, and what pages must survive."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.http.pages.browser.chromium import chromium


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A running Chromium; skips where none is installed.

    While it runs Playwright keeps an event loop running in this thread, so `asyncio.run` would
    fail in every other test of a worker that kept it for the session.
    """
    with chromium(tmp_path_factory.mktemp("chromium")) as running:
        yield running


@pytest.fixture
def full(request: pytest.FixtureRequest) -> bool:
    """Whether to try every size, scheme and page: with ``--tier full``."""
    return str(request.config.getoption("--tier")) != "quick"


@pytest.fixture
def only_full(full: bool) -> None:
    """For what others try too, in fewer ways: the suite goes on without it."""
    if not full:
        pytest.skip("tried by `python -m tests.http.pages.browser`")
