"""Copilot CLI runs what is of a project where its user trusts the folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gitmem.agents.hosts.table import BY_NAME
from gitmem.agents.wiring import wiring_status
from tests.agents.wiring.machine import Machine


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    made = Machine(tmp_path)
    program = tmp_path / "bin" / "gitmem"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    made.words = (str(program),)
    return made


def judged(machine: Machine, name: str) -> wiring_status.Standing:
    return wiring_status.judge(machine.bases, BY_NAME[name], machine.ground.look)


def test_copilot_runs_what_is_of_a_project_in_folders_that_are_trusted(machine: Machine) -> None:
    machine.setup(["copilot"])
    told = judged(machine, "copilot")
    assert (told.state, "does not trust this folder" in told.reasons[0]) == ("untrusted", True)
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
        assert judged(machine, "copilot").state == state, folders


def test_a_damaged_list_of_folders_is_said(machine: Machine) -> None:
    machine.setup(["copilot"])
    config = machine.home / ".copilot" / "config.json"
    config.parent.mkdir()
    config.write_text("{")
    told = judged(machine, "copilot")
    assert told.state == "untrusted"
    assert any(f"{config} is damaged" in reason for reason in told.reasons), told.reasons
