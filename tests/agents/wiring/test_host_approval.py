"""What keeps a host from running what was written, as its own files tell."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from gitmem.model.frozen import replace
from tests.agents.wiring.machine import Machine


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine.with_program(tmp_path)


# What Codex 0.169.0 itself lists (`hooks/list` of its app-server) after
# `gitmem setup codex --command gitmem`: an approval holds for one such hash.
CODEX_HASHES = {
    "post_tool_use:0:0": "f64cfb4ba1eff684ad5d3d847fc54cda593453c517df67815f15baf2d6165896",
    "post_tool_use:1:0": "43a48db3b754c88f2218c0efcc7c66bc63d33eecdc3fa23ad7a960722c40e8eb",
    "pre_compact:0:0": "f33e03c6c516436a62dfb06a840bdc04b1c8a2f33cae8df5d6924cb31382bc57",
    "session_start:0:0": "858a5cc36b220ef7872cceaa2dd81a0e8ee02b1171bda47ec9b5dc6675f41789",
    "session_end:0:0": "9f010d26dbeabe5af9489fd0f5be6af388f9f0d75dee79a3c8b9f3f3a5f0bc67",
    "user_prompt_submit:0:0": "c4bfc98094d1b05ff7010f03cbb27f4a055ad6b976083b79319e9fab8dfb12fa",
    "stop:0:0": "ab77dc237e01c7653ddf18cbe8371034596e4b1d5f31cf47b850bb9ee2f04e26",
}


def codex_config(machine: Machine, hashes: dict[str, str], more: str = "") -> None:
    """Codex' records: the project is trusted, and these hooks are approved."""
    hooks = machine.project / ".codex" / "hooks.json"
    config = machine.home / ".codex" / "config.toml"
    config.parent.mkdir(exist_ok=True)
    text = "".join(
        f"[hooks.state.'{hooks}:{key}']\ntrusted_hash = 'sha256:{digest}'\n{more}"
        for key, digest in hashes.items()
    )
    config.write_text(f"{text}[projects.'{machine.project}']\ntrust_level = 'trusted'\n")


def only_codex(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Set Codex up as for files that a team commits."""
    monkeypatch.setattr(machine, "words", ("gitmem",))
    machine.bases.environment["PATH"] = str(machine.folder / "bin")  # type: ignore[index]
    machine.setup(["codex"])


def test_codex_hooks_are_untrusted_until_each_is_approved(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    only_codex(machine, monkeypatch)
    result = machine.judged("codex")
    assert result.state == "untrusted"
    assert "7 hooks wait for approval" in " ".join(result.reasons)
    codex_config(machine, CODEX_HASHES)
    assert machine.judged("codex").state == "configured"
    codex_config(machine, dict(list(CODEX_HASHES.items())[:5]))
    assert "2 hooks wait for approval" in machine.judged("codex").reasons[0]


def test_an_approval_of_codex_holds_for_one_hash(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A command, a matcher or a limit that changed is skipped, though its key is known."""
    only_codex(machine, monkeypatch)
    codex_config(machine, CODEX_HASHES)
    hooks = machine.project / ".codex" / "hooks.json"
    written = hooks.read_text()
    for before, after in (
        ("gitmem hook codex stop", "/opt/gitmem hook codex stop"),
        ("startup|resume|clear|compact", "startup"),
        ('"timeout": 3', '"timeout": 4'),
    ):
        assert before in written
        hooks.write_text(written.replace(before, after))
        result = machine.judged("codex")
        assert result.state == ("danger" if "/opt/" in after else "untrusted")
        assert "1 hooks were changed since they were approved" in " ".join(result.reasons)
    hooks.write_text(written)
    codex_config(machine, CODEX_HASHES, "enabled = false\n")
    assert "7 hooks are switched off" in machine.judged("codex").reasons[0]


def test_the_hash_is_of_what_codex_knows_of_a_hook(machine: Machine) -> None:
    """Each as Codex 0.169.0 lists it; the words beside the bare hook are its own."""
    bare = {"type": "command", "command": "gitmem hook codex session-start"}
    plain = "8eb0d90b63591a924c5a1534cae70e141b98d81718c7be4f86684e82424c44ac"
    for more, digest in (
        ({}, plain),
        ({"timeoutSec": 9, "strange": 1, "commandWindows": "x.exe"}, plain),
        ({"timeout": 600, "async": False, "statusMessage": None}, plain),
        (
            {"timeout": 7, "statusMessage": "looking"},
            "5dc28570ef4572553ee6c9bad1f570d5556bfc8c11b571ef60d9dcbb5bc99332",
        ),
        ({"async": True}, "7c5e420e0fbbd9df4c006bac672991f1424ea5a30850f164c83881608b34a5d7"),
        ({"timeout": 0}, "6be86450e564565eb433fb05c4d76bae817da386572db1144361f48d0003639e"),
        (
            {"additionalContextLimit": 5},
            "064b8e00b25395300f58dcf96b3618cf4c2275b3d576add049efe3c9840ca80e",
        ),
    ):
        groups = [{"matcher": "", "hooks": [{**bare, **more}]}]
        hooks = machine.project / ".codex" / "hooks.json"
        hooks.parent.mkdir(exist_ok=True)
        hooks.write_text(json.dumps({"hooks": {"SessionStart": groups}}))
        codex_config(machine, {"session_start:0:0": digest})
        output = " ".join(machine.judged("codex").reasons)
        assert "approv" not in output, more


def test_claude_codes_server_is_untrusted_until_approved_or_when_refused(machine: Machine) -> None:
    machine.setup(["claude-code"])
    assert machine.judged("claude-code").state == "untrusted"
    user = machine.home / ".claude.json"
    project: dict[str, object] = {"enabledMcpjsonServers": ["gitmem"]}
    projects = {str(machine.project): project}
    user.write_text(json.dumps({"projects": projects}))
    result = machine.judged("claude-code")
    assert result.state == "untrusted" and "does not trust this folder" in result.reasons[0]
    project["hasTrustDialogAccepted"] = True
    user.write_text(json.dumps({"projects": projects}))
    assert machine.judged("claude-code").state == "configured"
    project["disabledMcpjsonServers"] = ["gitmem"]
    user.write_text(json.dumps({"projects": projects}))
    result = machine.judged("claude-code")
    assert result.state == "untrusted" and "refused" in result.reasons[0]


def test_claude_code_trusts_what_lies_below_a_folder_that_it_trusts(machine: Machine) -> None:
    machine.setup(["claude-code"])
    user = machine.home / ".claude.json"
    local = machine.project / ".claude" / "settings.local.json"
    settings = json.loads(local.read_text()) | {"enabledMcpjsonServers": ["gitmem"]}
    local.write_text(json.dumps(settings))
    for folder, state in (
        (machine.folder, "configured"),
        (machine.home, "untrusted"),
        (machine.folder / "pro", "untrusted"),
    ):
        user.write_text(json.dumps({"projects": {str(folder): {"hasTrustDialogAccepted": True}}}))
        assert machine.judged("claude-code").state == state


def test_gemini_cli_runs_nothing_of_a_folder_that_it_does_not_trust(machine: Machine) -> None:
    machine.setup(["gemini"])
    trusted = machine.home / ".gemini" / "trustedFolders.json"
    trusted.parent.mkdir(exist_ok=True)
    result = machine.judged("gemini")
    assert result.state == "untrusted" and "does not trust this folder yet" in result.reasons[0]
    project, beside = str(machine.project), str(machine.project) + "-two"
    for rules, state in (
        ({project: "TRUST_FOLDER"}, "configured"),
        ({str(machine.folder): "TRUST_FOLDER"}, "configured"),
        ({str(machine.folder / "other"): "TRUST_PARENT"}, "configured"),
        ({beside: "TRUST_FOLDER"}, "untrusted"),
        ({project: "DO_NOT_TRUST"}, "untrusted"),
        ({str(machine.folder): "TRUST_FOLDER", project: "DO_NOT_TRUST"}, "untrusted"),
        ({project: "TRUST_FOLDER", beside: "ALWAYS"}, "untrusted"),
    ):
        trusted.write_text(json.dumps(rules))
        assert machine.judged("gemini").state == state, rules
    trusted.unlink()
    off = {"security": {"folderTrust": {"enabled": False}}}
    (machine.home / ".gemini" / "settings.json").write_text(json.dumps(off))
    assert machine.judged("gemini").state == "configured"


def test_a_sub_folder_in_which_a_host_reads_nothing_of_the_project_is_reported(
    machine: Machine,
) -> None:
    machine.setup(["gemini"])
    trusted = machine.home / ".gemini" / "trustedFolders.json"
    trusted.parent.mkdir(exist_ok=True)
    trusted.write_text(json.dumps({str(machine.project): "TRUST_FOLDER"}))
    assert machine.judged("gemini").state == "configured"
    machine.bases = replace(machine.bases, folder=str(machine.project / "sub"))
    result = machine.judged("gemini")
    assert result.state == "partial" and len(result.reasons) == 1
    assert "--scope user" in result.reasons[0] and str(machine.project) in result.reasons[0]
    machine.setup(["gemini"], scope="user")
    machine.setup(["claude-code"])
    assert all("look in" not in reason for reason in machine.judged("claude-code").reasons)


def test_a_record_of_a_host_that_is_damaged_is_reported_and_nothing_is_guessed(
    machine: Machine,
) -> None:
    for agent, path in (
        ("claude-code", ".claude.json"),
        ("codex", ".codex/config.toml"),
        ("gemini", ".gemini/trustedFolders.json"),
    ):
        machine.setup([agent])
        record = machine.home / path
        record.parent.mkdir(exist_ok=True)
        for content in (b"{", b"[[[", b"\xff\xfe\x00"):
            record.write_bytes(content)
            result = machine.judged(agent)
            assert result.state == "untrusted", (agent, content)
            assert f"{record} is damaged" in result.reasons[0]
            assert "wait" not in " ".join(result.reasons)
        record.write_bytes(b"")
        assert "damaged" not in " ".join(machine.judged(agent).reasons)


def test_a_hook_whose_host_never_fires_it_is_reported(machine: Machine) -> None:
    """An earlier version wrote Gemini CLI a matcher that it compares as one word."""
    machine.setup(["gemini"])
    settings = machine.project / ".gemini" / "settings.json"
    data = json.loads(settings.read_text())
    (start,) = data["hooks"]["SessionStart"]
    assert "matcher" not in start
    start["matcher"] = "startup|resume|clear"
    settings.write_text(json.dumps(data))
    reasons = " ".join(machine.judged("gemini").reasons)
    assert "session-start is never fired with the matcher 'startup|resume|clear'" in reasons
    machine.setup(["gemini"])
    assert "never fired" not in " ".join(machine.judged("gemini").reasons)


def test_none_partial_and_configured(machine: Machine) -> None:
    assert machine.judged("cursor").state == "none"
    machine.setup(["cursor"])
    assert machine.judged("cursor").state == "configured"
    (machine.project / ".cursor" / "hooks.json").unlink()
    result = machine.judged("cursor")
    assert (result.state, result.reasons) == ("partial", ("hooks: not set up",))


def test_a_program_that_is_gone_and_a_file_that_is_broken_are_reported(machine: Machine) -> None:
    machine.setup(["gemini"])
    Path(machine.words[0]).unlink()
    result = machine.judged("gemini")
    assert "cannot be started" in result.reasons[-1]
    (machine.project / ".gemini" / "settings.json").write_text("{")
    result = machine.judged("gemini")
    assert result.state == "none" and "settings.json cannot be changed" in result.reasons[0]


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
    assert machine.judged("claude-code").state == "untrusted"
