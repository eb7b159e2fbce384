"""What Qwen Code's documents say of its files; what holds for all hosts is tested for it, too."""

from __future__ import annotations

import json
from pathlib import Path

from gitmem.agents.hosts import host_paths
from gitmem.agents.hosts.host import HOOKS, MCP, PROJECT, RULES, USER
from gitmem.agents.hosts.host_paths import PathTemplateFolders
from gitmem.agents.hosts.qwen import HOST
from tests.agents.wiring.machine import Machine


def test_its_files_are_settings_of_the_project_or_the_user_and_the_common_rules() -> None:
    bases = PathTemplateFolders("linux", "/h", "/p", {})
    assert host_paths.file_of_setup_part(bases, HOST, MCP, PROJECT) == "/p/.qwen/settings.json"
    assert host_paths.file_of_setup_part(bases, HOST, MCP, USER) == "/h/.qwen/settings.json"
    assert host_paths.file_of_setup_part(bases, HOST, RULES, PROJECT) == "/p/AGENTS.md"
    assert HOOKS not in HOST.setup_parts


def test_its_variable_moves_the_users_settings() -> None:
    moved = PathTemplateFolders("linux", "/h", "/p", {"QWEN_HOME": "/q"})
    assert host_paths.file_of_setup_part(moved, HOST, MCP, USER) == "/q/settings.json"
    assert host_paths.file_of_setup_part(moved, HOST, MCP, PROJECT) == "/p/.qwen/settings.json"


def test_the_server_stands_beside_others_and_every_setting_stays(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    settings = machine.project / ".qwen" / "settings.json"
    settings.parent.mkdir()
    before = (
        b'{\n  // ours\n  "$version": 3,\n  "mcpServers": {"docs": {"httpUrl": "http://x"}}\n}\n'
    )
    settings.write_bytes(before)
    machine.setup(["qwen"])
    text = settings.read_text().replace("// ours", "")
    assert json.loads(text)["mcpServers"]["docs"] == {"httpUrl": "http://x"}
    assert json.loads(text)["mcpServers"]["gitmem"]["args"][-1] == "mcp"
    machine.remove(["qwen"])
    assert settings.read_bytes() == before
