"""Where hosts are, and one run of each for all tests that look at it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from tests.hosts.driver import Captured, Driver, prepared, run
from tests.hosts.drivers import DRIVERS
from tests.hosts.workplace import Workplace


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--hosts ROOT``, for a run that names this folder."""
    parser.addoption("--hosts", type=Path, help="the folder with AGENT/node_modules of real hosts")


def _root(config: pytest.Config) -> Path | None:
    root: Path | None = config.getoption("--hosts", None)
    if root is not None and not any(root.glob("*/node_modules")):
        raise pytest.UsageError(f"--hosts {root}: no AGENT/node_modules is in it")
    return root


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Without hosts none is run: the ordinary run tests the harness alone."""
    return True if collection_path.name == "test_hosts.py" and not _root(config) else None


@pytest.fixture(scope="session")
def root(request: pytest.FixtureRequest) -> Path:
    """The folder with the hosts."""
    found = _root(request.config)
    assert found is not None
    return found


@pytest.fixture(params=sorted(DRIVERS))
def driver(request: pytest.FixtureRequest, root: Path) -> Driver:
    """Each host that is installed."""
    found: Driver = DRIVERS[request.param]
    if not found.is_installed(root):
        pytest.skip(f"{found.agent} is not installed: npm install {' '.join(found.packages)}")
    return found


@pytest.fixture(scope="session")
def worked(
    root: Path, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], tuple[Workplace, Captured]]:
    """An approved host that worked through its steps, run once for all tests of it."""

    @cache
    def work(agent: str) -> tuple[Workplace, Captured]:
        found = DRIVERS[agent]
        workplace = prepared(found, tmp_path_factory.mktemp(agent), root)
        return workplace, run(found, workplace, found.steps(workplace))

    return work
