"""Where the suite is installed: ``pytest tests/mcp/conformance --npm ROOT``.

npm install --ignore-scripts --prefix ROOT $(python -m tests.mcp.conformance)
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mcp.conformance import suite


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--npm ROOT``, for a run that names this folder."""
    parser.addoption("--npm", type=Path, help="the folder with node_modules of the suite")


def _root(config: pytest.Config) -> Path | None:
    root: Path | None = config.getoption("--npm", None)
    return root


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Without the suite there is nothing to run."""
    return True if collection_path.name == "test_conformance.py" and not _root(config) else None


@pytest.fixture(scope="session")
def root(request: pytest.FixtureRequest) -> Path:
    """The folder with the suite and the inspector."""
    found = _root(request.config)
    assert found is not None
    if not suite.is_installed(found):
        pytest.skip("npm install --prefix ROOT $(python -m tests.mcp.conformance)")
    return found
