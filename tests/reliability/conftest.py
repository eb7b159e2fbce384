"""Each test here has a repository and an application of its own; a row's says what it tried."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gitmem.app import App
from tests.reliability.scoreboard import row_of
from tests.reliability.scoring import Score, append
from tests.support import moved
from tests.support.stores import make_app


@pytest.fixture(scope="session")
def set_up(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What ``make_app`` leaves in a folder; nobody writes to it."""
    folder = tmp_path_factory.mktemp("set-up")
    make_app(folder).close()
    return folder


@pytest.fixture
def app(set_up: Path, tmp_path: Path) -> Iterator[App]:
    """An application in a small repository that is set up."""
    moved.copy(set_up, tmp_path)
    made = make_app(tmp_path, ready=False)
    yield made
    made.close()


PASSED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Iterator[pytest.TestReport]:
    """Remember how the test itself ended, for the fixtures that end after it."""
    result = yield
    if call.when == "call":
        item.stash[PASSED] = result.passed
    return result


@pytest.fixture
def score(request: pytest.FixtureRequest) -> Iterator[Score]:
    """What a test of a row takes its sizes from and tells what it tried; its file names the row."""
    row = row_of(request.path)
    assert row, "the name of the file begins with no row, such as test_s01_"
    made = Score(row, request.config.getoption("--tier"))
    yield made
    file = request.config.getoption("--scores")
    if file:
        append(Path(file), made.line(request.node.nodeid))
    if request.node.stash.get(PASSED, False):
        assert made.reports, f"{row.id}: a test that tells nothing shows nothing"
