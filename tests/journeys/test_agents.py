"""Five agents on one machine: wired, proven, and taken out again without a trace.

The files are as people and other tools leave them: entries of others, comments, tabs, Windows line
ends, a hook of one's own beside ours.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from gitmem.agents.hosts.table import BY_NAME
from gitmem.agents.wiring import installed_commands
from tests.support.cli import Program
from tests.support.repos import RepoBuilder

FIVE = ("claude-code", "codex", "gemini", "cursor", "copilot")
CLAUDE = """{
  // personal, not committed
  "permissions": {"allow": ["Bash(npm run lint)", "Bash(gitmem:*)"]},
  "hooks": {
    "SessionStart": [
      {"hooks": [{"type": "command", "command": "./scripts/hello.sh"}]},
    ],
    "Stop": [{"hooks": [{"type": "command", "command": "say done"}]}],
  },
}"""
APPROVED = {"enabledMcpjsonServers": ["gitmem"], "hasTrustDialogAccepted": True}
CLAUDE_JSON = {"numStartups": 41, "projects": {"@": APPROVED}}
CODEX = """# Codex, by hand
model = "gpt-5-codex"   # the small one is too small

[mcp_servers.files]
command = "npx"
args = ["-y", "files"]

[projects.'@']
trust_level = "trusted"

[tui]
notifications = true # at the end"""
CODEX_PROJECT = '[mcp_servers.docs]\r\nurl = "https://example.org/mcp"\r\n'
GEMINI = '{"theme":"GitHub","mcpServers":{"files":{"command":"npx"}},"hooks":{"SessionStart":[]}}'
CURSOR_MCP = (
    '{\r\n\t"mcpServers": {\r\n\t\t"files": {\r\n\t\t\t"command": "npx"\r\n\t\t}\r\n\t}\r\n}'
)
CURSOR_HOOKS = '{"version": 1, "hooks": {"stop": [{"command": "./mine.sh"}]}}\n'
COPILOT = '{\n    "mcpServers": {}\n}\n'
OTHERS = '{"version": 1, "hooks": {"sessionStart": [{"type": "command", "bash": "true"}]}}'


def furnish(home: Path, project: Path) -> None:
    """Five hosts in use, three of them with files of this project."""
    output = json.dumps(CLAUDE_JSON, indent=2).replace('"@"', json.dumps(str(project)))
    for path, content in (
        (home / ".claude.json", output),
        (home / ".claude" / "settings.json", '{"model": "opus"}'),
        (home / ".codex" / "config.toml", CODEX.replace("@", str(project))),
        (home / ".gemini" / "settings.json", GEMINI),
        (home / ".gemini" / "trustedFolders.json", json.dumps({str(project): "TRUST_FOLDER"})),
        (home / ".cursor" / "hooks.json", CURSOR_HOOKS),
        (
            home / ".copilot" / "config.json",
            json.dumps({"banner": "never", "trustedFolders": [str(project)]}),
        ),
        (project / ".claude" / "settings.local.json", CLAUDE),
        (project / ".codex" / "config.toml", CODEX_PROJECT),
        (project / ".gemini" / "settings.json", GEMINI),
        (project / ".cursor" / "mcp.json", CURSOR_MCP),
        (project / ".github" / "mcp.json", COPILOT),
        (project / ".github" / "hooks" / "others.json", OTHERS),
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode())


def tree(*folders: Path) -> dict[str, bytes]:
    """Every file but those of git, of the store, and of gitmem's own data."""
    return {
        str(path): path.read_bytes()
        for folder in folders
        for path in folder.rglob("*")
        if path.is_file() and not {".git", ".gitmem", "gitmem"}.intersection(path.parts)
    }


def fold(live: list[dict[str, Any]], agent: str, how: str) -> dict[str, dict[str, Any]]:
    return {item["event"]: item for item in live if (item["agent"], item["how"]) == (agent, how)}


def test_five_agents_are_wired_proven_and_left_as_they_were(
    repo: RepoBuilder, tmp_path: Path
) -> None:
    """CF-51, CT-24: setup, doctor --live, setup --remove on a home with five hosts in use."""
    program = Program(
        repo.home,
        repo.path,
        GITMEM_BACKUP_INTERVAL_HOURS="0",
        GITMEM_COPY_MODE="off",
        TMPDIR=str(tmp_path),
    )
    program("init", "--no-hooks", "--no-index")
    furnish(repo.home, repo.path)
    before = tree(repo.home, repo.path)

    shown = program("setup", *FIVE, "--dry-run").out
    assert tree(repo.home, repo.path) == before
    for agent in FIVE:
        assert f"-m gitmem hook {agent} session-start" in shown
    assert shown.count("\n+++ ") >= len(FIVE)

    program("setup", *FIVE)
    once = tree(repo.home, repo.path)
    assert once != before
    assert "nothing to do" in program("setup", *FIVE).out
    assert tree(repo.home, repo.path) == once

    output = program("doctor", "--live", "--json", status=None).json
    _proven(output["live"])
    assert tree(repo.home, repo.path) == once
    assert not list(tmp_path.glob("gitmem-live-*"))
    assert program("list", "--json").json["memories"] == []

    program("setup", "--remove")
    assert tree(repo.home, repo.path) == before


def _proven(live: list[dict[str, Any]]) -> None:
    """Every hook of every host was fired, each memory would arrive but for Codex, which waits."""
    assert {item["agent"] for item in live} == set(FIVE)
    for agent in FIVE:
        found = fold(live, agent, "simulated")
        assert {
            event for _, _, event in installed_commands.hooks_setup_writes(BY_NAME[agent], "linux")
        } <= set(found)
        assert all(item["hint"] for item in found.values() if item["verdict"] == "problem")
    for agent in ("claude-code", "gemini", "copilot"):
        start = fold(live, agent, "simulated")[BY_NAME[agent].live.oriented_at]
        assert start["verdict"] == "ok", start
        assert start["message"].startswith("would reach the model: ")
        assert {item["verdict"] for item in fold(live, agent, "simulated").values()} <= {
            "ok",
            "note",
        }
    waits = fold(live, "codex", "simulated")["session-start"]
    assert (waits["verdict"], waits["hint"]) == ("problem", "type /hooks in codex")
    assert waits["message"] == "written, but 7 hooks wait for approval"
    servers = [item for item in live if (item["event"], item["how"]) == ("mcp", "simulated")]
    assert len(servers) == len(FIVE)
    assert all("answers initialize and tools/list" in server["message"] for server in servers)
    unseen = fold(live, "claude-code", "observed")["session-start"]
    assert unseen["message"].startswith("not yet seen in a transcript")
