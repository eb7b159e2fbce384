"""The templates, filled in for each system's shell."""

from __future__ import annotations

import shlex

from gitmem.agents.hosts.host import EVENTS, PARTS
from gitmem.agents.hosts.table import HOSTS
from gitmem.agents.wiring import templates
from gitmem.agents.wiring.templates import ADD, SET, StartCommand
from tests.support.tables import table

ODD = ("/opt/it's here/gitmem",)


@table("host", HOSTS, ids=lambda host: host.name)
def test_a_template_has_the_parts_of_the_table_and_known_events(host: templates.Any) -> None:
    assert (
        tuple(part for part in PARTS if part in templates.read_config_template(host.name))
        == host.setup_parts
    )
    for part in host.setup_parts:
        for piece in templates.config_fragments(host.name, part, StartCommand(ODD, "linux")):
            for line in _lines(piece.value):
                words = shlex.split(line)
                assert words[0] == ODD[0] and words[1] == "hook" and words[3] in EVENTS


def _lines(value: templates.Any) -> list[str]:
    if isinstance(value, dict):
        return [line for key, item in value.items() if key != "powershell" for line in _lines(item)]
    if isinstance(value, list):
        return [line for item in value for line in _lines(item)]
    return [value] if isinstance(value, str) and templates.agent_in_hook_line(value) else []


def test_a_line_for_each_shell() -> None:
    line = "gitmem hook copilot stop"
    there = StartCommand(("C:\\Program Files\\gitmem.exe",), "win32")
    assert (
        templates.fill_hook_line(line, there) == '"C:\\Program Files\\gitmem.exe" hook copilot stop'
    )
    assert (
        templates.fill_hook_line(line, there, powershell=True)
        == "& 'C:\\Program Files\\gitmem.exe' hook copilot stop"
    )
    assert (
        templates.fill_hook_line(line, StartCommand(("/a/gitmem",), "linux"))
        == "/a/gitmem hook copilot stop"
    )


@table(
    ("line", "agent"),
    [
        ("gitmem hook codex stop", "codex"),
        ("'/opt/it'\\''s/gitmem' hook claude-code prompt", "claude-code"),
        ('"C:\\bin\\gitmem.exe" hook gemini stop', "gemini"),
        ("/usr/bin/python3 -P -m gitmem hook kimi prompt", "kimi"),
        ("gitmemory hook codex stop", ""),
        ("echo gitmem", ""),
    ],
)
def test_our_lines_are_known_by_whatever_path(line: str, agent: str) -> None:
    assert templates.agent_in_hook_line(line) == agent


def test_only_a_server_that_starts_gitmem_is_ours() -> None:
    assert templates.is_gitmem_server_entry({"command": "/x/gitmem.exe", "args": ["mcp"]})
    assert templates.is_gitmem_server_entry({"command": ["python", "-m", "gitmem", "mcp"]})
    assert not templates.is_gitmem_server_entry({"command": "npx", "args": ["gitmem-mcp"]})
    assert not templates.starts_gitmem("gitmem mcp")


def test_a_server_of_no_folder_is_given_the_repository() -> None:
    (piece,) = templates.config_fragments(
        "windsurf", "mcp", StartCommand(("/b/gitmem",), "linux", "/r p")
    )
    assert (piece.kind, piece.value["args"]) == (SET, ["mcp", "-C", "/r p"])
    assert all(
        piece.kind == ADD
        for piece in templates.config_fragments("kimi", "hooks", StartCommand(ODD, "linux"))
    )
