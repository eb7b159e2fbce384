"""The check of fixes: each test is run as its commit has it, without the fix and with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reliability import fixes
from tests.reliability.scoreboard import Bug
from tests.support.repos import RepoBuilder

TEST = """from gitmem.sums import add

def test_add():
    assert add(2, 3) == 5
"""


def test_a_test_is_run_without_the_fix_and_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Loading plugins is most of what so small a test costs; it needs the one that knows -n.
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p xdist")
    repo = RepoBuilder(tmp_path / "repo")
    wrong = "def add(a, b):\n    return a * b\n"
    others = {"gitmem/__init__.py": "", "hooks/hook.sh": "", "pytest.ini": "[pytest]\n"}
    repo.commit("Add", {"gitmem/sums.py": wrong, **others})
    right = {"gitmem/sums.py": wrong.replace("*", "+"), "gitmem/new.py": "", "test_sums.py": TEST}
    fix = repo.commit("Fix", right)
    output = fixes.proven(repo.path, Bug("wrong sums", fix, "test_sums.py::test_add"))
    assert output == {"before": "failed", "after": "passed"}
