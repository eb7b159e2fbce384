"""What of gitmem stands in hosts' files, and which of it may be started."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from gitmem.agents.hosts.host import HOOKS, MCP, PROJECT, SCOPES, USER
from gitmem.agents.hosts.host_paths import PathTemplateFolders
from gitmem.agents.hosts.table import BY_NAME, HOSTS
from gitmem.agents.wiring import installed_commands
from gitmem.agents.wiring.installed_commands import InstalledCommand
from tests.agents.wiring.machine import Machine
from tests.support.tables import table

OWN = frozenset({("gitmem",), (sys.executable, "-P", "-m", "gitmem")})


def call(
    line: str = "", *words: str, scope: str = PROJECT, event: str = "stop"
) -> InstalledCommand:
    """A hook of Codex's; of a server the event is empty."""
    given = words or tuple(line.replace("'", "").replace('"', "").split())
    return InstalledCommand("codex", event, given, line, (), "/file", scope)


def written(machine: Machine, name: str, scope: str) -> list[InstalledCommand]:
    """What is found in the files that setup writes."""
    host = BY_NAME[name]
    found = []
    for path in installed_commands.existing_files_of_part(machine.bases, host, HOOKS, scope):
        content = machine.folders.read_file_snapshot(path, scope).content or b""
        found += installed_commands.installed_hook_commands(
            machine.bases, host, scope, path, content
        )
    return found


@pytest.mark.parametrize(
    "host", [item for item in HOSTS if HOOKS in item.setup_parts], ids=lambda h: h.name
)
def test_every_hook_that_setup_writes_is_found_where_it_belongs(host: Any, tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    machine.setup([host.name])
    found = [item for scope in SCOPES for item in written(machine, host.name, scope)]
    assert {
        (item.at, item.agent, item.event) for item in found
    } == installed_commands.hooks_setup_writes(host, "linux")
    assert {installed_commands.gitmem_start_argv(item) for item in found} == {machine.words}
    assert all(
        installed_commands.reason_not_allowed(item, frozenset({machine.words})) == ""
        for item in found
    )


@pytest.mark.parametrize(
    "host", [item for item in HOSTS if MCP in item.setup_parts], ids=lambda h: h.name
)
def test_every_server_that_setup_writes_is_found(host: Any, tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    machine.setup([host.name])
    found = [
        installed_commands.installed_server_command(
            machine.bases, host, scope, path, Path(path).read_bytes()
        )
        for scope in SCOPES
        for path in installed_commands.existing_files_of_part(machine.bases, host, MCP, scope)
    ]
    (entry,) = [item for item in found if item]
    assert installed_commands.gitmem_start_argv(entry) == machine.words
    assert (
        installed_commands.reason_not_allowed(entry, frozenset({machine.words})) == ""
        and not entry.off
    )


@pytest.mark.parametrize(
    "host", [item for item in HOSTS if "rules" in item.setup_parts], ids=lambda h: h.name
)
def test_lines_of_rules_are_known_as_those_of_now(host: Any, tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    machine.setup([host.name])
    (path,) = installed_commands.existing_files_of_part(machine.bases, host, "rules", PROJECT)
    text = installed_commands.read_rules_text(Path(path).read_bytes())
    assert installed_commands.has_current_rules(
        host, text
    ) and installed_commands.has_current_rules(host, text.replace("\n", "\r\n"))
    assert not installed_commands.has_current_rules(host, text.replace("orient", "look"))


@table(
    "line",
    [
        "gitmem hook codex stop; rm -rf /x",
        "gitmem hook codex stop && true",
        "true | gitmem hook codex stop",
        "`x` gitmem hook codex stop",
        "$(x)/gitmem hook codex stop",
        '"$HOME/gitmem" hook codex stop',
        "A=b gitmem hook codex stop",
        "gitmem hook codex stop >/x",
        "gitmem hook codex stop\nrm -rf /x",
        "gitmem hook codex stop &",
        "~/gitmem hook codex stop",
        "sh -c 'gitmem hook codex stop'",
        "npx gitmem hook codex stop",
        "uvx gitmem hook codex stop",
        "python3 -c x -m gitmem hook codex stop",
        "python3 evil.py -m gitmem hook codex stop",
        "gitmem hook codex stop #" + "x" * 5000,
    ],
)
@table("scope", SCOPES)
def test_what_is_more_than_one_call_of_gitmem_is_never_started(line: str, scope: str) -> None:
    words = tuple(shlex.split(line))
    assert installed_commands.reason_not_allowed(
        call(line, *words, scope=scope), OWN | {words[:-3]}
    )


def test_a_project_may_name_no_other_program_and_a_user_may(tmp_path: Path) -> None:
    evil = tmp_path / "gitmem"
    evil.write_text("#!/bin/sh\n")
    line = f"{evil} hook codex stop"
    assert "may have come with a clone" in installed_commands.reason_not_allowed(call(line), OWN)
    assert installed_commands.reason_not_allowed(call(line, scope=USER), OWN) == ""
    other = "/elsewhere/.venv/bin/python -P -m gitmem hook codex stop"
    assert installed_commands.reason_not_allowed(
        call(other), OWN
    ) and not installed_commands.reason_not_allowed(call(other, scope=USER), OWN)
    assert installed_commands.reason_not_allowed(call("./gitmem hook codex stop", scope=USER), OWN)
    assert (
        installed_commands.reason_not_allowed(
            call(f"'{sys.executable}' -P -m gitmem hook codex stop"), OWN
        )
        == ""
    )
    assert (
        installed_commands.reason_not_allowed(
            call(f'"{sys.executable}" -P -m gitmem hook codex stop'), OWN
        )
        == ""
    )


def test_a_link_to_the_running_program_counts_and_one_to_its_python_does_not(
    tmp_path: Path,
) -> None:
    real, link, python = tmp_path / "gitmem", tmp_path / "bin" / "gitmem", tmp_path / "python3"
    real.write_text("#!/bin/sh\n")
    link.parent.mkdir()
    link.symlink_to(real)
    python.symlink_to(sys.executable)
    assert (
        installed_commands.reason_not_allowed(call(f"{link} hook codex stop"), {(str(real),)}) == ""
    )
    assert installed_commands.reason_not_allowed(
        call(f"{python} -P -m gitmem hook codex stop"), OWN
    )


@pytest.mark.parametrize(
    "entry",
    [
        {"command": "gitmem", "args": ["mcp", "--anything", "else", "more"]},
        {"command": "gitmem", "args": ["purge", "mcp"]},
        {"command": "./gitmem", "args": ["mcp"]},
        {"command": "npx", "args": ["gitmem", "mcp"]},
    ],
)
def test_a_projects_server_that_is_more_than_gitmem_is_not_started(
    entry: dict[str, Any], tmp_path: Path
) -> None:
    machine = Machine(tmp_path)
    content = json.dumps({"mcpServers": {"gitmem": entry}}).encode()
    found = installed_commands.installed_server_command(
        machine.bases, BY_NAME["cursor"], PROJECT, "/x/mcp.json", content
    )
    assert found is not None and installed_commands.reason_not_allowed(found, OWN)


def test_a_server_of_another_is_not_found_and_one_switched_off_is(tmp_path: Path) -> None:
    bases, codex = Machine(tmp_path).bases, BY_NAME["codex"]
    other = b'[mcp_servers.gitmem]\ncommand = "npx"\nargs = ["x"]\n'
    assert installed_commands.installed_server_command(bases, codex, USER, "/c.toml", other) is None
    off = b'[mcp_servers.gitmem]\ncommand = "gitmem"\nargs = ["mcp"]\nenabled = false\n'
    found = installed_commands.installed_server_command(bases, codex, USER, "/c.toml", off)
    assert found is not None and found.off


def test_limits_shells_and_calls_without_a_shell_are_read_as_the_host_does() -> None:
    def found(
        handler: dict[str, Any], name: str = "gemini", system: str = "linux"
    ) -> InstalledCommand:
        content = json.dumps({"hooks": {"Stop": [{"hooks": [handler]}]}}).encode()
        (item,) = installed_commands.installed_hook_commands(
            PathTemplateFolders(system, "", "", {}), BY_NAME[name], USER, "/x.json", content
        )
        return item

    line = "gitmem hook gemini stop"
    assert found({"command": line, "timeout": 5000}).seconds == 5
    assert found({"command": line.replace("gemini", "kimi"), "timeout": 600}).seconds == 600
    for output in (10**400, 1e300, float("inf")):  # any number may come with a clone
        assert found({"command": line, "timeout": output}).seconds == 600
    exec_form = found({"command": "gitmem", "args": ["hook", "gemini", "stop"]})
    assert (exec_form.line, exec_form.words) == ("", ("gitmem", "hook", "gemini", "stop"))
    both = {"bash": line, "powershell": "& 'C:\\x y\\gitmem.exe' hook gemini stop"}
    assert found(both).line == line
    assert found(both, system="win32").line.startswith("& 'C:")
    assert found({"command": "x", "osx": line}, system="darwin").line == line


@pytest.mark.parametrize("depth", [50, 400])
def test_files_made_to_be_hard_to_read_hold_no_hooks(depth: int) -> None:
    bases, claude = PathTemplateFolders("linux", "", "", {}), BY_NAME["claude-code"]
    line = b'{"command": "gitmem hook claude-code stop"}'
    for opening, closing in ((b"[", b"]"), (b'{"hooks": ', b"}")):
        content = opening * depth + line + closing * depth
        assert (
            installed_commands.installed_hook_commands(bases, claude, USER, "/x.json", content)
            == []
        )
    long = b'{"hooks": {"command": "gitmem hook claude-code stop ' + b"'" * 9_000_001 + b'"}}'
    (found,) = installed_commands.installed_hook_commands(bases, claude, USER, "/x.json", long)
    assert installed_commands.reason_not_allowed(found, OWN)


def test_a_program_that_is_gone_is_named(tmp_path: Path) -> None:
    program = tmp_path / "gitmem"
    assert "no longer there" in installed_commands.reason_not_startable((str(program),), "")
    program.write_text("")
    assert "not executable" in installed_commands.reason_not_startable((str(program),), "")
    program.chmod(0o755)
    assert installed_commands.reason_not_startable((str(program),), "") == ""
    assert "not on the PATH" in installed_commands.reason_not_startable(("gitmem",), "/nowhere")
    assert installed_commands.reason_not_startable(("gitmem",), str(tmp_path)) == ""
