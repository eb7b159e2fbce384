"""`gitmem doctor --live`: what would reach each agent's model, and what is never started.

Most hooks here are answered by a small script on the PATH that stands for gitmem and notes each
call: it finds the canary phrase in the place's store, as the real one does.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from gitmem.agents.live import report
from gitmem.agents.live.verdict import OBSERVED, SIMULATED, TextDeliveryVerdict
from gitmem.doctor.finding import NOTE, OK, PROBLEM
from gitmem.operations.maintenance.doctor import DOCTOR
from gitmem.operations.registry import as_json_values
from tests.support.apps import HOUR, NOW, Desk
from tests.support.moved import SetUp
from tests.support.repos import RepoBuilder

STAND_IN = """#!/bin/sh
echo "$@" >>@LOG@
if [ "$1" = mcp ]; then
  read -r line; echo '{"id": 1, "result": {"serverInfo": {}}}'
  read -r line; read -r line; echo '{"id": 2, "result": {"tools": [{}, {}]}}'
  cat >/dev/null; exit 0
fi
cat >/dev/null
[ "$3" = session-start ] || exit 0
phrase=$(cat .gitmem/memory.db* | grep -ao 'gitmem-canary-[0-9a-f]*' | head -n 1)
case $2 in
  cursor) printf '{"additional_context": "%s"}' "$phrase" ;;
  copilot) printf '{"additionalContext": "%s"}' "$phrase" ;;
  *) printf '{"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "%s"}}' \
    "$phrase" ;;
esac
"""


def stand_in(folder: Path, log: Path) -> Path:
    """A program called gitmem that notes how it is called."""
    folder.mkdir(exist_ok=True)
    path = folder / "gitmem"
    path.write_text(STAND_IN.replace("@LOG@", str(log)))
    path.chmod(0o755)
    return path


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "calls"


@pytest.fixture
def desk(repo: RepoBuilder, ready: SetUp, tmp_path: Path, log: Path) -> Desk:
    """Set up, without index and git hooks; `gitmem` on the PATH is the script."""
    made = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    ready(made, no_hooks=True, no_index=True)
    stand_in(tmp_path / "bin", log)
    made.env["PATH"] = f"{tmp_path / 'bin'}:/usr/bin:/bin"
    return made


def wire(desk: Desk, *agents: str, command: str = "gitmem", **more: Any) -> None:
    desk.run("setup", agents=agents, command=command, **more)


def verdicts(desk: Desk, agent: str = "") -> list[TextDeliveryVerdict]:
    app = desk.app()
    try:
        return [item for item in report.check_delivery_to_agents(app) if agent in ("", item.agent)]
    finally:
        app.close()


def trust(desk: Desk) -> None:
    """Claude Code and Gemini CLI trust the folder."""
    claude = {"projects": {str(desk.place): {"hasTrustDialogAccepted": True}}}
    write(desk.home / ".claude.json", claude)
    write(desk.home / ".gemini" / "trustedFolders.json", {str(desk.place): "TRUST_FOLDER"})


def only(found: list[TextDeliveryVerdict], event: str, how: str = SIMULATED) -> TextDeliveryVerdict:
    (result,) = [item for item in found if (item.event, item.how) == (event, how)]
    return result


def calls(log: Path) -> list[str]:
    return log.read_text().splitlines() if log.exists() else []


def write(path: Path, content: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))


def tree(*folders: Path) -> dict[str, bytes]:
    return {
        str(path): path.read_bytes()
        for folder in folders
        for path in folder.rglob("*")
        if path.is_file() and not path.name.endswith(("-shm", "-wal"))
    }


# --- the whole, with the real program --------------------------------------------------------


def test_each_hook_is_fired_and_a_memory_would_reach_the_model(desk: Desk, tmp_path: Path) -> None:
    """CT-24: the canary arrives, and nothing of it stays anywhere."""
    approved = {"enabledMcpjsonServers": ["gitmem"], "hasTrustDialogAccepted": True}
    write(desk.home / ".claude.json", {"projects": {str(desk.place): approved}})
    wire(desk, "claude-code", command="")
    desk.env["TMPDIR"] = str(tmp_path)
    before = tree(desk.home, desk.place)
    found = verdicts(desk, "claude-code")
    assert tree(desk.home, desk.place) == before
    result = only(found, "session-start")
    assert (result.verdict, result.how) == (OK, SIMULATED)
    assert result.message.startswith("would reach the model: ") and "of 2,375" in result.message
    events = ("prompt", "post-edit", "post-command", "pre-compact", "stop", "session-end")
    assert {only(found, event).message for event in events} == {"answers in time"}
    assert only(found, "mcp").message.startswith("answers initialize and tools/list in ")
    assert desk.run("list").memories == ()
    assert not list(tmp_path.glob("gitmem-live-*"))


# --- what is started, and what never is ------------------------------------------------------


def test_every_line_is_started_once_as_it_stands(desk: Desk, log: Path) -> None:
    wire(desk, "gemini")
    trust(desk)
    found = verdicts(desk, "gemini")
    events = ["session-start", "prompt", "post-edit", "post-command"]
    events += ["pre-compact", "stop", "session-end"]
    assert calls(log) == [f"hook gemini {event}" for event in events] + ["mcp"]
    assert {item.verdict for item in found if item.hint and item.how == SIMULATED} == set()


def test_what_a_cloned_file_names_is_not_started(desk: Desk, tmp_path: Path) -> None:
    """A stranger's repository never makes gitmem run code."""
    ran = tmp_path / "ran"
    evil = stand_in(tmp_path / "evil", ran)
    line = {"type": "command", "command": f"{evil} hook claude-code session-start"}
    also = {"type": "command", "command": f"gitmem hook claude-code stop; touch {ran}"}
    hooks = {"SessionStart": [{"hooks": [line]}], "Stop": [{"hooks": [also]}]}
    write(desk.place / ".claude" / "settings.json", {"hooks": hooks})
    entry = {"command": "gitmem", "args": ["mcp"], "env": {"LD_PRELOAD": str(evil)}}
    write(desk.place / ".mcp.json", {"mcpServers": {"gitmem": entry}})
    found = verdicts(desk, "claude-code")
    assert not ran.exists()
    for event in ("session-start", "stop", "mcp"):
        result = only(found, event)
        assert result.verdict == PROBLEM and result.message.startswith("danger: "), result
        assert result.hint.startswith("Look at it. `gitmem setup claude-code --replace`")
    assert f'command is "{evil}' in only(found, "session-start").message
    assert 'command is "gitmem hook claude-code stop; touch' in only(found, "stop").message
    assert "LD_PRELOAD" in only(found, "mcp").message


def test_hooks_of_others_are_never_fired(desk: Desk, tmp_path: Path, log: Path) -> None:
    mine = {"type": "command", "command": f"touch {tmp_path / 'fired'}"}
    write(desk.home / ".gemini" / "settings.json", {"hooks": {"SessionStart": [{"hooks": [mine]}]}})
    wire(desk, "gemini", scope="user")
    assert only(verdicts(desk, "gemini"), "session-start").verdict == OK
    assert calls(log) and not (tmp_path / "fired").exists()


def test_a_program_that_moved_is_named_with_what_to_do(desk: Desk, tmp_path: Path) -> None:
    gone = tmp_path / "old" / "bin" / "gitmem"
    wire(desk, "codex", command=str(gone))
    found = verdicts(desk, "codex")
    for event in ("session-start", "mcp"):
        result = only(found, event)
        assert result.verdict == PROBLEM and result.hint == "`gitmem setup codex`"
        assert f"{gone} is no longer there" in result.message


def test_a_bare_name_that_no_path_finds_is_a_problem(desk: Desk) -> None:
    wire(desk, "gemini")
    desk.env["PATH"] = "/usr/bin:/bin"
    assert "gitmem is not on the PATH" in only(verdicts(desk, "gemini"), "session-start").message


def test_an_agent_started_from_the_desktop_finds_less(desk: Desk) -> None:
    wire(desk, "cursor")
    result = only(verdicts(desk, "cursor"), "session-start")
    assert result.verdict == NOTE and "short PATH: gitmem is not on the PATH" in result.message


# --- trust, places, doubles -------------------------------------------------------------------


def codex(desk: Desk, *, approved: bool) -> list[TextDeliveryVerdict]:
    """Codex with one hook in a trusted project."""
    path = desk.place / ".codex" / "hooks.json"
    handler = {"type": "command", "command": "gitmem hook codex session-start", "timeout": 10}
    group = {"matcher": "startup|resume|clear|compact", "hooks": [handler]}
    digest = "858a5cc36b220ef7872cceaa2dd81a0e8ee02b1171bda47ec9b5dc6675f41789"
    write(path, {"hooks": {"SessionStart": [group]}})
    trusted = f"[projects.'{desk.place}']\ntrust_level = 'trusted'\n"
    key = f"[hooks.state.'{path}:session_start:0:0']\ntrusted_hash = 'sha256:{digest}'\n"
    write(desk.home / ".codex" / "config.toml", trusted + key * approved)
    return verdicts(desk, "codex")


def test_codex_hooks_count_once_they_are_approved(desk: Desk) -> None:
    result = only(codex(desk, approved=False), "session-start")
    assert result.verdict == PROBLEM and result.message.startswith("written, but 1 hooks wait")
    assert result.hint == "type /hooks in codex"
    found = codex(desk, approved=True)
    assert only(found, "session-start").verdict == OK
    assert "no gitmem hook at prompt, post-edit" in only(found, "hooks").message


def test_a_server_that_claude_code_did_not_approve_is_a_problem(desk: Desk) -> None:
    wire(desk, "claude-code")
    result = only(verdicts(desk, "claude-code"), "mcp")
    assert result.verdict == PROBLEM
    assert result.message.startswith("written, but Claude Code does not trust this folder yet; ")
    trust(desk)
    result = only(verdicts(desk, "claude-code"), "mcp")
    assert result.verdict == PROBLEM
    assert result.message == "written, but the MCP server waits for approval"
    assert only(verdicts(desk, "claude-code"), "session-start").verdict == OK


def test_a_hook_under_a_matcher_for_which_its_host_never_fires_is_a_problem(desk: Desk) -> None:
    wire(desk, "gemini")
    trust(desk)
    settings = desk.place / ".gemini" / "settings.json"
    data = json.loads(settings.read_text())
    data["hooks"]["SessionStart"][0]["matcher"] = "startup|resume|clear"
    write(settings, data)
    start = only(verdicts(desk, "gemini"), "session-start")
    assert start.verdict == PROBLEM and start.hint == "`gitmem setup gemini`"
    assert "never fires it with the matcher 'startup|resume|clear'" in start.message


def test_a_hook_at_the_wrong_place_and_a_missing_one_are_reported(desk: Desk) -> None:
    handler = {"type": "command", "command": "gitmem hook claude-code session-start"}
    write(desk.place / ".claude" / "settings.json", {"hooks": {"Stop": [{"hooks": [handler]}]}})
    result = only(verdicts(desk, "claude-code"), "session-start")
    assert result.verdict == PROBLEM and "does not belong in hooks.Stop" in result.message


def test_the_same_hook_for_user_and_project_is_fired_once_and_reported(
    desk: Desk, log: Path
) -> None:
    wire(desk, "gemini", scope="user")
    wire(desk, "gemini", scope="project")
    found = verdicts(desk, "gemini")
    assert calls(log).count("hook gemini session-start") == 1
    assert calls(log).count("mcp") == 1
    result = only(found, "hooks")
    assert result.verdict == NOTE and "--remove --scope user" in result.hint


def test_a_server_for_a_folder_that_is_gone_and_one_switched_off_are_problems(desk: Desk) -> None:
    path = desk.home / ".codeium" / "windsurf" / "mcp_config.json"
    entry = {"command": "gitmem", "args": ["mcp", "-C", "/nowhere/repo"]}
    write(path, {"mcpServers": {"gitmem": entry}})
    assert "/nowhere/repo" in only(verdicts(desk, "windsurf"), "mcp").message
    write(path, {"mcpServers": {"gitmem": {**entry, "disabled": True}}})
    assert "is switched off" in only(verdicts(desk, "windsurf"), "mcp").message


# --- hosts that cannot be told, and hosts that are not wired -----------------------------------


def test_hosts_that_cannot_inject_say_what_that_means(desk: Desk) -> None:
    wire(desk, "windsurf", "zed", "claude-desktop")
    found = verdicts(desk)
    by_agent = {
        agent: [item for item in found if item.agent == agent]
        for agent in ("windsurf", "zed", "claude-desktop")
    }
    assert "cannot reach the model" in only(by_agent["windsurf"], "session-start").message
    assert "has no hooks" in only(by_agent["zed"], "session-start").message
    assert "MCP only" in only(by_agent["claude-desktop"], "session-start").message
    rule = only(by_agent["windsurf"], "rules")
    assert rule.verdict == OK and rule.message.endswith("in .windsurf/rules/gitmem.md")
    assert not [item for item in found if item.agent in ("generic", "antigravity")]
    rules = desk.place / ".windsurf" / "rules" / "gitmem.md"
    rules.write_text(rules.read_text().replace("orient", "look around"))
    assert "an outdated wording" in only(verdicts(desk, "windsurf"), "rules").message


def test_what_is_installed_and_not_wired_is_reported_with_the_command(desk: Desk) -> None:
    (desk.home / ".cursor").mkdir()
    (output,) = verdicts(desk)
    assert output == TextDeliveryVerdict(
        "cursor", "setup", NOTE, SIMULATED, "installed, not wired", "`gitmem setup cursor`"
    )


def test_where_there_is_no_agent_one_line_says_so(desk: Desk) -> None:
    (result,) = verdicts(desk)
    assert (result.agent, result.message) == ("gitmem", "no agent is installed or wired here")


def test_a_file_that_hosts_share_wires_only_who_is_here(desk: Desk) -> None:
    wire(desk, "copilot")
    assert {verdict.agent for verdict in verdicts(desk)} == {"copilot"}
    (desk.home / ".config" / "Code").mkdir(parents=True)
    found = verdicts(desk, "vscode")
    assert only(found, "session-start").verdict in (OK, NOTE)


def test_a_file_that_does_not_parse_is_a_problem(desk: Desk) -> None:
    wire(desk, "gemini")
    write(desk.place / ".gemini" / "settings.json", '{"hooks": ')
    (desk.home / ".gemini").mkdir()
    write(desk.home / ".gemini" / "settings.json", {})
    found = verdicts(desk, "gemini")
    assert [item.verdict for item in found if item.event == "hooks"] == [PROBLEM]


def test_a_switch_that_silences_all_hooks_is_reported(desk: Desk) -> None:
    (desk.home / ".cursor").mkdir()
    desk.run("config", key="hooks.enabled", value="0")
    output = verdicts(desk, "gitmem")
    assert [item.message for item in output] == ["hooks.enabled is 0: all hooks are silent"]


def test_outside_a_repository_the_users_files_are_tried(desk: Desk, log: Path) -> None:
    wire(desk, "gemini", scope="user")
    found = verdicts(desk.at(desk.home), "gemini")
    assert only(found, "session-start").verdict == OK and "mcp" in calls(log)


def test_without_a_folder_for_it_doctor_says_so_and_goes_on(desk: Desk) -> None:
    wire(desk, "gemini")
    desk.env["TMPDIR"] = "/nowhere/at/all"
    result = desk.run("doctor", live=True)
    (answer,) = result.live
    assert answer.verdict == PROBLEM and "No folder can be created" in answer.message
    assert len(result.findings) > 3


# --- observed, and how it is shown -------------------------------------------------------------


def test_what_a_transcript_shows_is_observed(desk: Desk) -> None:
    wire(desk, "claude-code")
    found = verdicts(desk, "claude-code")
    assert "not yet seen in a transcript" in only(found, "session-start", OBSERVED).message
    folder = "".join(c if c.isalnum() else "-" for c in str(desk.place))
    line = {
        "cwd": str(desk.place),
        "timestamp": "2026-11-21T06:03:42Z",
        "attachment": {"content": ["<<<gitmem:ab12cd34 source=gitmem orient\nsecret words"]},
    }
    path = desk.home / ".claude" / "projects" / folder / "s.jsonl"
    write(path, line)
    os.utime(path, ((NOW - HOUR) / 1000,) * 2)
    result = only(verdicts(desk, "claude-code"), "session-start", OBSERVED)
    assert (result.verdict, result.message) == (OK, "seen in its transcript 2026-11-21 06:03")


def test_where_transcripts_are_not_known_it_says_that_it_is_simulated_only(desk: Desk) -> None:
    wire(desk, "opencode")
    result = only(verdicts(desk, "opencode"), "transcript")
    assert "all simulated: gitmem does not know where OpenCode keeps transcripts" in result.message


def test_doctor_shows_the_agents_below_its_findings_and_counts_them(desk: Desk) -> None:
    wire(desk, "claude-code")
    trust(desk)
    quiet, result = desk.run("doctor"), desk.run("doctor", live=True)
    assert quiet.live == () and result.failed == quiet.failed + 1
    text = DOCTOR.view(result).splitlines()
    (line,) = [item for item in text if "claude-code" in item and "would reach" in item]
    assert line.startswith("ok       claude-code    session-start  would reach the model: ")
    assert line.endswith("(simulated)")
    (folded,) = [item for item in text if "answers in time" in item]
    assert "6 events       prompt, post-edit, post-command, pre-compact, stop, " in folded
    output = as_json_values(result)["live"][0]
    assert set(output) == {"agent", "event", "verdict", "how", "message", "hint"}


def test_live_is_not_offered_over_mcp() -> None:
    """An agent must not make the server start programs."""
    _, arg = DOCTOR.request_class.__annotations__["live"].__args__
    assert not arg.mcp
    assert sys.executable  # the real program is what the first test above starts


def test_the_same_of_several_events_is_one_line_and_names_each_once() -> None:
    messages = [("cursor", "stop"), ("cursor", "prompt"), ("codex", "mcp"), ("codex", "mcp")]
    found = [
        TextDeliveryVerdict(agent, event, OK, SIMULATED, "answers", "") for agent, event in messages
    ]
    first, second = (" ".join(line.split()) for line in report.view(tuple(found)))
    assert first == "ok cursor 2 events stop, prompt: answers (simulated)"
    assert second == "ok codex mcp answers (simulated)"
