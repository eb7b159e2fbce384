"""Names that strangers choose stay names where the GitHub Action runs (S-25).

Run by the same bash steps as on a runner; ``tests/action`` holds the rest.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.action.composite import Project
from tests.action.test_hostile_names import HOSTILE, executed, hostile_commit
from tests.reliability.scoreboard import ROOT
from tests.reliability.scoring import Score
from tests.support.apps import copy_of
from tests.support.repos import RepoBuilder

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the runner here starts bash")


def test_no_name_is_executed_becomes_a_value_or_reaches_the_summary(
    model_repo: RepoBuilder, tmp_path: Path, score: Score
) -> None:
    """In a commit's message, in names of files, in a branch, in who started the job."""
    repo = copy_of(model_repo, tmp_path)
    hostile_commit(repo)
    files = repo.git("ls-files", "-z").split("\0")
    message = repo.git("log", "-1", "--format=%B")
    there = [name for name in HOSTILE if name.replace("/", "_") in files and name in message]
    project = Project(repo, tmp_path / "runner")
    for name in HOSTILE[:: score.size(quick=len(HOSTILE), full=1)]:
        done = project.job().run(
            GITHUB_EVENT_NAME="pull_request",
            GITHUB_REF=f"refs/heads/{name}",
            GITHUB_REF_NAME=name,
            GITHUB_HEAD_REF=name,
            GITHUB_ACTOR=name,
        )
        assert executed(project) == [], name
        assert done.commands == [], name
        assert "pwned" not in done.summary + json.dumps(done.outputs), name
    score.report("names of strangers", cases=len(HOSTILE), fired=len(there))


WORKFLOWS = (".github/workflows/ci.yml", "action.yml")
INJECTION = """on: issues
permissions: {}
jobs:
  told:
    runs-on: ubuntu-latest
    steps:
      - run: echo ${{ github.event.issue.title }}
"""


def findings(*files: Path) -> int:
    """How many things zizmor finds that are of middle severity or worse."""
    program = shutil.which("zizmor", path=str(Path(sys.executable).parent))
    assert program is not None
    words = ["--offline", "--no-config", "--min-severity=medium", "--format=json", "--quiet"]
    done = subprocess.run(
        [program, *words, *map(str, files)], capture_output=True, text=True, check=False
    )
    return len(json.loads(done.stdout))


@pytest.mark.skipif(
    not shutil.which("zizmor", path=str(Path(sys.executable).parent)),
    reason="zizmor is not installed",
)
def test_zizmor_finds_nothing_and_would(tmp_path: Path, score: Score) -> None:
    """What a workflow of ours would run for a stranger, by a tool that others keep."""
    planted = tmp_path / ".github" / "workflows" / "told.yml"
    planted.parent.mkdir(parents=True)
    planted.write_text(INJECTION)
    found = findings(planted)
    assert findings(*(ROOT / name for name in WORKFLOWS)) == 0
    score.report("workflows read by zizmor", cases=len(WORKFLOWS) + 1, fired=found)
