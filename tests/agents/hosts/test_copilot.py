"""Copilot CLI runs what is of a project where its user trusts the folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.agents.wiring.machine import Machine


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine.with_program(tmp_path)


def test_copilot_runs_what_is_of_a_project_in_folders_that_are_trusted(machine: Machine) -> None:
    machine.setup(["copilot"])
    result = machine.judged("copilot")
    assert (result.state, "does not trust this folder" in result.reasons[0]) == ("untrusted", True)
    config = machine.home / ".copilot" / "config.json"
    config.parent.mkdir()
    project = str(machine.project)
    for folders, state in (
        ([f"{project}-other"], "untrusted"),
        ([project], "configured"),
        ([f"{project}/"], "configured"),
        ([str(machine.project.parent)], "configured"),  # and all that is below it
        (project, "untrusted"),
        ([7, None], "untrusted"),
    ):
        config.write_text(f"// managed\n{json.dumps({'trustedFolders': folders})}")
        assert machine.judged("copilot").state == state, folders


def test_what_the_user_has_no_file_for_is_not_missing(machine: Machine) -> None:
    machine.setup(["copilot"], scope="user")
    assert machine.judged("copilot").state == "configured"
    machine.setup(["copilot"], scope="project")
    for path in (machine.project / ".github" / "instructions").iterdir():
        path.unlink()
    assert "rules: not set up" in machine.judged("copilot").reasons


def test_a_damaged_list_of_folders_is_reported(machine: Machine) -> None:
    machine.setup(["copilot"])
    config = machine.home / ".copilot" / "config.json"
    config.parent.mkdir()
    config.write_text("{")
    result = machine.judged("copilot")
    assert result.state == "untrusted"
    assert any(f"{config} is damaged" in reason for reason in result.reasons), result.reasons
