"""Plugin layouts, made from the same data as setup."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gitmem.agents.hosts.host import HOOKS, MCP, RULES
from gitmem.agents.hosts.table import PLUGIN_HOSTS
from gitmem.agents.wiring import file_pieces, plugins, templates
from gitmem.agents.wiring.templates import StartCommand
from gitmem.errors import ForeignFile, InvalidInput


@pytest.mark.parametrize("host", PLUGIN_HOSTS)
def test_a_plugin_is_whole_and_starts_plain_gitmem(host: str, tmp_path: Path) -> None:
    assert all(changed for _, changed in plugins.write_plugin(host, str(tmp_path), "1.0"))
    assert not any(changed for _, changed in plugins.write_plugin(host, str(tmp_path), "1.0"))
    result = {path.name: path.read_text() for path in tmp_path.rglob("*") if path.is_file()}
    values = [json.loads(text) for name, text in result.items() if name.endswith(".json")]
    assert templates.agents_in_hook_lines(values) == {host}
    assert any(value.get("name") == "gitmem" and value.get("version") == "1.0" for value in values)
    servers = [value["mcpServers"] for value in values if isinstance(value.get("mcpServers"), dict)]
    assert servers == [{"gitmem": {"command": "gitmem", "args": ["mcp"]}}]


@pytest.mark.parametrize("host", PLUGIN_HOSTS)
def test_files_that_a_manifest_names_are_there(host: str, tmp_path: Path) -> None:
    plugins.write_plugin(host, str(tmp_path), "1.0")
    for path in tmp_path.rglob("*.json"):
        data = json.loads(path.read_text())
        for value in data.values() if data.get("name") == "gitmem" else ():
            if isinstance(value, str) and value.startswith("./"):
                assert (tmp_path / value).exists()


def test_three_hosts_share_one_folder(tmp_path: Path) -> None:
    for host in ("claude-code", "codex", "cursor"):
        plugins.write_plugin(host, str(tmp_path), "1.0")
    for host in ("claude-code", "codex", "cursor"):
        assert not any(changed for _, changed in plugins.write_plugin(host, str(tmp_path), "1.0"))


def test_a_new_version_replaces_the_old_and_anothers_file_is_left(tmp_path: Path) -> None:
    (tmp_path / ".mcp.json").write_text("{}")
    with pytest.raises(ForeignFile):
        plugins.write_plugin("claude-code", str(tmp_path), "1.0")
    assert [path.name for path in tmp_path.iterdir()] == [".mcp.json"]
    (tmp_path / ".mcp.json").unlink()
    plugins.write_plugin("claude-code", str(tmp_path), "1.0")
    changed = [
        path for path, new in plugins.write_plugin("claude-code", str(tmp_path), "2.0") if new
    ]
    assert [Path(path).name for path in changed] == ["plugin.json", "marketplace.json"]


def test_a_host_without_plugins_is_refused_by_naming_those_with(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput) as refused:
        plugins.write_plugin("zed", str(tmp_path), "1.0")
    assert "cursor" in refused.value.hint


def test_a_plugin_holds_what_setup_writes() -> None:
    files = {
        "claude-code": {"hooks/hooks.json": HOOKS, ".mcp.json": MCP},
        "codex": {"hooks/codex.json": HOOKS},
        "cursor": {"hooks/cursor.json": HOOKS, "mcp.json": MCP, "rules/gitmem.mdc": RULES},
        "gemini": {"hooks/hooks.json": HOOKS},
    }
    for host, parts in files.items():
        made = plugins.plugin_files(host, "1.0")
        for name, part in parts.items():
            ours = templates.config_fragments(host, part, StartCommand(("gitmem",), "linux"))
            written = file_pieces.insert_fragments(name, b"", ours)
            same = json.loads if name.endswith(".json") else bytes
            assert same(made[name]) == same(written)
