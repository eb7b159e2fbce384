"""Names that strangers choose stay names, and what the action uses is pinned (S-25)."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.action.composite import ACTION, STEPS, Project, obeyed
from tests.support.apps import copy_of
from tests.support.cli import ROOT
from tests.support.repos import RepoBuilder

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the runner here starts bash")

# Each would do something where it is taken for code, a value, a command or Markdown (S-25).
HOSTILE = (
    "$(touch$IFS.pwned)",
    "`touch$IFS.pwned`",
    "a;touch$IFS.pwned;b",
    "a|touch$IFS.pwned",
    "a&&touch$IFS.pwned",
    'a";touch$IFS.pwned;"',
    "a';touch$IFS.pwned;'",
    "${{github.token}}",
    "${IFS}{touch,pwned}",
    "::add-mask::pwned",
    "::set-output name=save::true",
    "::warning::pwned",
    "##[error]pwned",
    "-rf",
    "--help",
    "<img src=x onerror=pwned>",
    "[pwned](javascript:pwned)",
    "save=true",
    "%0Asave=pwned",
    "@everyone",
    "$((1+1))",
    "\N{RIGHT-TO-LEFT OVERRIDE}pwned",
)


def hostile_commit(repo: RepoBuilder) -> None:
    """Branch, files and a commit with names that somebody hopes will be executed."""
    refused = re.compile(r"[\s~^:?*\[\\]|@\{|\.\.|^-")
    for name in HOSTILE:
        if not refused.search(name):
            repo.git("branch", f"x/{name}")
    files = {name.replace("/", "_"): f"pwned = {name!r}\n" for name in HOSTILE}
    files |= {f"two\n::warning::{name}": "x = 1\n" for name in ("pwned", "save=true")}
    for name, content in files.items():
        (repo.path / name).write_text(content)
    repo.git("add", "--all")
    repo.commit("$(touch pwned)\n\n" + "\n".join(HOSTILE), {})


def executed(project: Project) -> list[Path]:
    """The marks that a text of ``HOSTILE`` leaves where it is run."""
    everything = project.folder.parent.rglob("*")
    return [item for item in everything if item.name in ("pwned", ".pwned")]


@pytest.fixture(scope="module")
def hostile_repo(model_repo: RepoBuilder, tmp_path_factory: pytest.TempPathFactory) -> RepoBuilder:
    """The repository with the hostile commit; nobody writes to it."""
    repo = copy_of(model_repo, tmp_path_factory.mktemp("hostile"))
    hostile_commit(repo)
    return repo


@pytest.fixture
def hostile(hostile_repo: RepoBuilder, tmp_path: Path) -> Project:
    return Project(copy_of(hostile_repo, tmp_path), tmp_path / "runner")


@pytest.mark.parametrize("name", ["/".join(HOSTILE), HOSTILE[0], HOSTILE[5], HOSTILE[9]])
def test_hostile_names_stay_names(hostile: Project, name: str) -> None:
    """No title, branch or file name runs, becomes a value, or reaches the summary (S-25).

    The commit holds all of them; a branch's name comes with the event too.
    """
    done = hostile.run(
        GITHUB_EVENT_NAME="pull_request",
        GITHUB_REF=f"refs/heads/{name}",
        GITHUB_REF_NAME=name,
        GITHUB_HEAD_REF=name,
        GITHUB_ACTOR=name,
    )
    assert executed(hostile) == []
    assert done.commands == []
    assert "pwned" not in done.summary + json.dumps(done.outputs)
    assert done.outputs["saved"] == "false"
    counts = ("added", "moved", "dropped", "kept", "skipped", "commits", "bytes")
    assert all(re.fullmatch(r"\d+", done.outputs[count]) for count in counts)


def test_a_hostile_input_is_a_folder_that_is_not_there(project: Project) -> None:
    for name in HOSTILE[:9:2]:
        done = project.job().run({"path": name, "save": "auto"})
        assert done.status == 1
        assert "not a folder" in done.summary
    assert executed(project) == []


def test_the_reader_of_commands_sees_those_that_are_not_quoted() -> None:
    log = "::stop-commands::abc\n::warning::no\n::abc::\n  ::add-mask::yes\nx ##[error]too\n"
    assert obeyed(log) == ["::add-mask::yes", "x ##[error]too"]


def test_no_value_is_put_into_the_text_of_a_script() -> None:
    scripts = [step["run"] for step in STEPS if "run" in step]
    assert len(scripts) == 6
    assert not [text for text in scripts if "${{" in text]


def uses(document: Any) -> list[str]:
    """Every `uses` of a workflow or an action."""
    if isinstance(document, dict):
        own = [document["uses"]] if isinstance(document.get("uses"), str) else []
        return own + [use for value in document.values() for use in uses(value)]
    if isinstance(document, list):
        return [use for value in document for use in uses(value)]
    return []


def test_every_foreign_action_is_pinned_by_a_full_commit() -> None:
    import yaml

    workflows = sorted((ROOT / ".github/workflows").glob("*.yml"))
    workflows.append(ROOT / "hooks/action/comment/action.yml")
    documents = [ACTION, *(yaml.safe_load(workflow.read_text("utf-8")) for workflow in workflows)]
    found = [use for use in uses(documents) if not use.startswith("./")]
    assert len(found) >= 5
    assert [item for item in found if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", item)] == []


def test_the_action_needs_no_secret_and_no_token() -> None:
    scripts = [item.read_text("utf-8") for item in (ROOT / "hooks/action").glob("*.sh")]
    whole = (ROOT / "action.yml").read_text("utf-8") + "".join(scripts)
    assert len(scripts) == 7
    assert "secrets." not in whole and "github.token" not in whole and "GITHUB_TOKEN" not in whole
