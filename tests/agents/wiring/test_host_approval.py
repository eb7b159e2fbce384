"""What keeps a host from running what was written, as its own files tell."""

from __future__ import annotations

import json
import os
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


def test_codex_hooks_are_untrusted_until_each_is_approved(machine: Machine) -> None:
    machine.setup(["codex"])
    told = judged(machine, "codex")
    assert told.state == "untrusted"
    assert "7 hooks wait for approval" in " ".join(told.reasons)
    hooks = machine.project / ".codex" / "hooks.json"
    events = ["session_start", "user_prompt_submit", "pre_compact", "stop", "session_end"]
    keys = [f"{hooks}:{event}:0:0" for event in events]
    keys += [f"{hooks}:post_tool_use:{place}:0" for place in (0, 1)]
    config = machine.home / ".codex" / "config.toml"
    config.parent.mkdir()
    text = "".join(f"[hooks.state.'{key}']\ntrusted_hash = 'sha256:0'\n" for key in keys)
    config.write_text(f"{text}[projects.'{machine.project}']\ntrust_level = 'trusted'\n")
    assert judged(machine, "codex").state == "configured"


def test_claude_codes_server_is_untrusted_until_approved_or_when_refused(machine: Machine) -> None:
    machine.setup(["claude-code"])
    assert judged(machine, "claude-code").state == "untrusted"
    user = machine.home / ".claude.json"
    projects = {str(machine.project): {"enabledMcpjsonServers": ["gitmem"]}}
    user.write_text(json.dumps({"projects": projects}))
    assert judged(machine, "claude-code").state == "configured"
    projects[str(machine.project)]["disabledMcpjsonServers"] = ["gitmem"]
    user.write_text(json.dumps({"projects": projects}))
    told = judged(machine, "claude-code")
    assert told.state == "untrusted" and "refused" in told.reasons[0]


def test_none_partial_and_configured(machine: Machine) -> None:
    assert judged(machine, "cursor").state == "none"
    machine.setup(["cursor"])
    assert judged(machine, "cursor").state == "configured"
    (machine.project / ".cursor" / "hooks.json").unlink()
    told = judged(machine, "cursor")
    assert (told.state, told.reasons) == ("partial", ("hooks: not set up",))


def test_a_program_that_is_gone_and_a_file_that_is_broken_are_said(machine: Machine) -> None:
    machine.setup(["gemini"])
    Path(machine.words[0]).unlink()
    told = judged(machine, "gemini")
    assert told.state == "partial" and "cannot be started" in told.reasons[0]
    (machine.project / ".gemini" / "settings.json").write_text("{")
    told = judged(machine, "gemini")
    assert told.state == "none" and "settings.json cannot be changed" in told.reasons[0]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes and devices are of POSIX")
@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_a_settings_file_that_never_ends_is_not_read(machine: Machine, kind: str) -> None:
    """A link to a device comes with a clone."""
    machine.setup(["claude-code"])
    settings = machine.project / ".claude" / "settings.json"
    if kind == "pipe":
        os.mkfifo(settings)
    else:
        settings.symlink_to("/dev/zero")
    assert judged(machine, "claude-code").state == "untrusted"
