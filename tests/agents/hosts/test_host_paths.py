"""Where hosts keep their files, for each system and with its variables."""

from __future__ import annotations

from pathlib import Path

from gitmem.agents.hosts import host_paths
from gitmem.agents.hosts.host import HOOKS, MCP, PROJECT, SCOPES, USER
from gitmem.agents.hosts.host_paths import LINUX, MAC, WINDOWS, PathTemplateFolders
from gitmem.agents.hosts.table import BY_NAME, HOSTS
from tests.support.tables import table


def at(name: str, part: str, scope: str, system: str = LINUX, **env: str) -> str:
    return host_paths.file_of_setup_part(
        PathTemplateFolders(system, "/h", "/p", env), BY_NAME[name], part, scope
    )


@table(
    ("system", "env", "path"),
    [
        (LINUX, {}, "/h/.config/Claude/claude_desktop_config.json"),
        (LINUX, {"XDG_CONFIG_HOME": "/x"}, "/x/Claude/claude_desktop_config.json"),
        (MAC, {}, "/h/Library/Application Support/Claude/claude_desktop_config.json"),
        (WINDOWS, {"APPDATA": "/r"}, "/r/Claude/claude_desktop_config.json"),
        (WINDOWS, {}, "/h/AppData/Roaming/Claude/claude_desktop_config.json"),
    ],
)
def test_each_system_has_its_own_folder(system: str, env: dict[str, str], path: str) -> None:
    assert at("claude-desktop", MCP, USER, system, **env) == path


def test_hosts_own_variables_move_their_files() -> None:
    assert at("codex", MCP, USER, CODEX_HOME="/c") == "/c/config.toml"
    assert at("claude-code", MCP, USER, CLAUDE_CONFIG_DIR="/c") == "/c/.claude.json"
    assert at("claude-code", HOOKS, USER, CLAUDE_CONFIG_DIR="/c") == "/c/settings.json"
    assert at("zed", MCP, USER, WINDOWS, APPDATA="/r") == "/r/Zed/settings.json"


def test_without_a_base_there_is_no_place() -> None:
    nowhere = PathTemplateFolders(LINUX, "", "", {})
    for host in HOSTS:
        for part in host.setup_parts:
            assert {
                host_paths.file_of_setup_part(nowhere, host, part, scope) for scope in SCOPES
            } == {""}


def test_the_form_that_is_there_is_used(tmp_path: Path) -> None:
    bases = PathTemplateFolders(LINUX, "", str(tmp_path), {})
    assert host_paths.file_of_setup_part(bases, BY_NAME["opencode"], MCP, PROJECT).endswith(
        "opencode.json"
    )
    (tmp_path / "opencode.jsonc").write_text("{}")
    assert host_paths.file_of_setup_part(bases, BY_NAME["opencode"], MCP, PROJECT).endswith(
        "opencode.jsonc"
    )


def test_a_folder_or_a_program_shows_that_a_host_is_installed(tmp_path: Path) -> None:
    bases = PathTemplateFolders(LINUX, str(tmp_path), "", {"PATH": str(tmp_path / "bin")})
    assert not any(host_paths.is_installed(bases, host) for host in HOSTS)
    (tmp_path / ".cursor").mkdir()
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "codex").write_text("#!/bin/sh\n")
    (tmp_path / "bin" / "codex").chmod(0o755)
    found = [host.name for host in HOSTS if host_paths.is_installed(bases, host)]
    assert found == ["codex", "cursor"]
