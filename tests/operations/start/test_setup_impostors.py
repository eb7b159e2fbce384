"""What bears gitmem's name in a host's file and is not gitmem's is refused and named (S-17).

Each file here could have come with a clone. Nothing of it may stay in what setup calls written.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from gitmem.agents.wiring import manifest
from gitmem.errors import Conflict, GitmemError, InvalidInput, Unavailable
from gitmem.files import foreign_file
from gitmem.model.frozen import replace as changed
from gitmem.operations.maintenance.doctor import DOCTOR
from tests.support.apps import Desk
from tests.support.tables import table

EVIL = {"PYTHONPATH": "evilpy"}
OURS = {"command": "gitmem", "args": ["mcp"]}


def write(desk: Desk, name: str, content: object) -> Path:
    path = desk.place / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def setup(desk: Desk, *agents: str, **more: Any) -> Any:
    return desk.run("setup", agents=agents, **{"command": "gitmem", **more})


def tree(desk: Desk) -> dict[str, bytes]:
    return {
        str(path): path.read_bytes()
        for folder in (desk.place, desk.home)
        for path in folder.rglob("*")
        if path.is_file() and ".git" not in path.parts and "memory.db" not in path.name
    }


def refused(desk: Desk, *agents: str, **more: Any) -> Conflict:
    """The refusal, which writes nothing."""
    before = tree(desk)
    with pytest.raises(Conflict) as caught:
        setup(desk, *agents, **more)
    assert tree(desk) == before
    return caught.value


def test_an_entry_with_an_environment_is_refused_with_the_difference(desk: Desk) -> None:
    path = write(desk, ".mcp.json", {"mcpServers": {"gitmem": {**OURS, "env": EVIL}}})
    error = refused(desk, "claude-code")
    assert f"{path}: mcpServers.gitmem is not gitmem's" in error.message
    assert error.message.endswith('not gitmem\'s: env is {"PYTHONPATH": "evilpy"}')
    assert error.hint == "Look at it. `gitmem setup claude-code --replace` puts gitmem's own there."
    setup(desk, "claude-code", replace=True)
    assert json.loads(path.read_text()) == {"mcpServers": {"gitmem": OURS}}


# What stands in each host's file beside gitmem's own words: an entry, and the way to it.
ENTRIES = {
    "claude-code": (".mcp.json", "mcpServers", {"env": {"LD_PRELOAD": "./x.so"}}),
    "cursor": (".cursor/mcp.json", "mcpServers", {"envFile": ".env"}),
    "gemini": (".gemini/settings.json", "mcpServers", {"trust": True}),
    "qwen": (".qwen/settings.json", "mcpServers", {"cwd": "evil"}),
    "antigravity": (".agents/mcp_config.json", "mcpServers", {"env": {"GITMEM_HOME": "evil"}}),
    "copilot": (".github/mcp.json", "mcpServers", {"env": EVIL}),
    "vscode": (".vscode/mcp.json", "servers", {"envFile": "evil"}),
    "kimi": (".mcp.json", "mcpServers", {"executor": "kaos"}),
    "zed": (".zed/settings.json", "context_servers", {"env": EVIL}),
    "opencode": ("opencode.json", "mcp", {"environment": EVIL}),
}


@pytest.mark.parametrize("agent", ENTRIES)
def test_no_host_is_given_an_entry_with_more_than_is_ours(desk: Desk, agent: str) -> None:
    setup(desk, agent)
    name, above, more = ENTRIES[agent]
    path = desk.place / name
    data = json.loads(path.read_text())
    setup(desk, agent, remove=True)
    own = dict(data[above]["gitmem"])
    data = {above: {"gitmem": {**own, **more}, "other": {"command": "npx"}}}
    write(desk, name, data)
    (key,) = more
    assert f"{key} is " in refused(desk, agent).message
    setup(desk, agent, replace=True)
    assert json.loads(path.read_text())[above] == {"other": {"command": "npx"}, "gitmem": own}
    # What was taken out is not brought back: its host may have approved the name meanwhile.
    setup(desk, agent, remove=True)
    assert json.loads(path.read_text()) == {above: {"other": {"command": "npx"}}}


def test_toml_is_held_to_the_same(desk: Desk) -> None:
    path = write(
        desk,
        ".codex/config.toml",
        '# mine\n[mcp_servers.gitmem]\ncommand = "gitmem"\nargs = ["mcp"]\n\n'
        '[mcp_servers.gitmem.env]\nPYTHONPATH = "evilpy"\n\n[mcp_servers.x]\ncommand = "npx"\n',
    )
    assert "env is " in refused(desk, "codex").message
    setup(desk, "codex", replace=True)
    text = path.read_text()
    assert "evilpy" not in text and text.startswith("# mine\n") and "[mcp_servers.x]" in text
    assert 'command = "gitmem"' in text
    setup(desk, "codex", remove=True)
    assert path.read_text() == '# mine\n\n[mcp_servers.x]\ncommand = "npx"\n'


def test_toml_that_is_not_a_table_of_its_own_is_left_to_its_writer(desk: Desk) -> None:
    path = write(desk, ".codex/config.toml", 'mcp_servers.gitmem.command = "npx"\n')
    before = path.read_bytes()
    with pytest.raises(GitmemError, match=r"config\.toml") as caught:
        setup(desk, "codex", replace=True)
    assert caught.value.hint and path.read_bytes() == before


@table(
    "entry",
    [
        "gitmem mcp",
        ["gitmem", "mcp"],
        None,
        7,
        {},
        {"command": "npx"},
        {"command": "/tmp/evil/gitmem", "args": ["mcp"]},
        {"command": "./gitmem", "args": ["mcp"]},
        {"command": "gitmem", "args": ["mcp", "-C", "/elsewhere"]},
        {"command": "sh", "args": ["-c", "evil; gitmem mcp"]},
        {"command": "env", "args": ["LD_PRELOAD=x", "gitmem", "mcp"]},
        {"command": "gitmem", "args": ["mcp"], "url": "https://example.org"},
        {"command": "gitmem", "args": ["mcp"], "type": "http"},
        {"command": "gitmem", "args": ["mcp", "--profile", "$(evil)"]},
        {"command": "gitmem", "args": ["mcp", "--profile", "full", "more"]},
        {"command": "gitmem", "args": ["mcp"], "timeout": "soon"},
    ],
)
def test_whatever_else_stands_below_the_name_is_refused(desk: Desk, entry: Any) -> None:
    path = write(desk, ".mcp.json", {"mcpServers": {"gitmem": entry}})
    assert "is not gitmem's" in refused(desk, "claude-code").message
    setup(desk, "claude-code", replace=True)
    assert json.loads(path.read_text()) == {"mcpServers": {"gitmem": OURS}}
    setup(desk, "claude-code", remove=True)
    assert json.loads(path.read_text()) == {"mcpServers": {}}


def test_a_name_in_other_letters_and_one_given_twice_are_refused(desk: Desk) -> None:
    own = json.dumps(OURS)
    twice = f'{{"mcpServers": {{"gitmem": {{"command": "evil"}}, "gitmem": {own}}}}}'
    for text, word in (
        (json.dumps({"mcpServers": {"GitMem": {"command": "evil"}}}), "GitMem"),
        (json.dumps({"mcpServers": {" gitmem ": {"command": "evil"}}}), " gitmem "),
        (twice, "2 times"),
    ):
        path = write(desk, ".mcp.json", text)
        assert word in refused(desk, "claude-code").message
        setup(desk, "claude-code", replace=True)
        assert "evil" not in path.read_text()
        assert json.loads(path.read_text()) == {"mcpServers": {"gitmem": OURS}}
        setup(desk, "claude-code", remove=True)


def test_what_a_user_may_add_stays(desk: Desk) -> None:
    own = {**OURS, "timeout": 9000, "env": {}, "type": "stdio"}
    path = write(desk, ".mcp.json", {"mcpServers": {"gitmem": own}})
    setup(desk, "claude-code")
    assert json.loads(path.read_text()) == {"mcpServers": {"gitmem": own}}


@table(
    ("agent", "name", "more"),
    [
        ("claude-code", ".mcp.json", {"timeout": 9}),
        ("gemini", ".gemini/settings.json", {"excludeTools": ["verify"]}),
        ("kimi", ".mcp.json", {"enabled": False}),
        ("opencode", "opencode.json", {"timeout": 9}),
    ],
)
def test_what_a_user_added_and_their_profile_outlive_a_move_of_gitmem(
    desk: Desk, agent: str, name: str, more: dict[str, Any]
) -> None:
    setup(desk, agent, command="/old/bin/gitmem")
    path = desk.place / name
    value = json.loads(path.read_text())
    (above,) = [key for key in value if key in ("mcp", "mcpServers")]
    entry = value[above]["gitmem"]
    entry.update(more)
    entry["args" if "args" in entry else "command"] += ["--profile", "full"]
    path.write_text(json.dumps(value))
    setup(desk, agent, command="/new/bin/gitmem")
    data = json.loads(path.read_text())[above]["gitmem"]
    assert {key: data[key] for key in more} == more
    words = [data["command"], *data["args"]] if "args" in data else data["command"]
    assert words == ["/new/bin/gitmem", "mcp", "--profile", "full"]
    setup(desk, agent, remove=True)
    assert json.loads(path.read_text() if path.exists() else "{}").get(above, {}) == {}
    path.unlink(missing_ok=True)


def test_toml_keeps_what_a_user_added(desk: Desk) -> None:
    setup(desk, "codex")
    path = desk.place / ".codex" / "config.toml"
    path.write_text(
        path.read_text().replace('"mcp"]', '"mcp", "--profile", "full"]\ntool_timeout_sec = 9')
    )
    before = path.read_bytes()
    setup(desk, "codex")
    assert path.read_bytes() == before
    setup(desk, "codex", remove=True)
    assert not path.exists()


def test_what_codex_notes_of_its_user_counts_in_the_users_own_file_only(desk: Desk) -> None:
    text = (
        '[mcp_servers.gitmem]\ncommand = "gitmem"\nargs = ["mcp"]\n\n'
        '[mcp_servers.gitmem.tools.recall]\napproval_mode = "approve"\n'
    )
    path = write(desk, ".codex/config.toml", text)
    assert "tools is " in refused(desk, "codex", scope="project").message
    path.unlink()
    own = desk.home / ".codex" / "config.toml"
    own.parent.mkdir()
    own.write_text(text)
    setup(desk, "codex", scope="user")
    assert "approval_mode" in own.read_text()


def test_an_entry_of_this_gitmem_in_another_form_is_its_own(desk: Desk) -> None:
    """A team's file says `gitmem`; a person's setup then names the place, and gives it back."""
    path = write(desk, ".mcp.json", {"mcpServers": {"gitmem": OURS}})
    before = path.read_bytes()
    setup(desk, "claude-code", command="")
    assert path.read_bytes() != before
    setup(desk, "claude-code", remove=True)
    assert path.read_bytes() == before


def test_what_setup_wrote_itself_is_known_when_gitmem_has_moved(desk: Desk) -> None:
    setup(desk, "claude-code", "codex", command="/old/bin/gitmem")
    done = setup(desk, "claude-code", "codex", command="/new/bin/gitmem")
    assert done.changed >= 4
    assert "/old/" not in "".join(
        path.read_text() for path in desk.place.rglob("*.json") if ".gitmem" not in path.parts
    )


def test_a_record_that_came_with_an_archive_vouches_for_nothing(desk: Desk, tmp_path: Path) -> None:
    """A `.gitmem/setup` of a stranger's says that gitmem wrote what it did not."""
    setup(desk, "claude-code", command="/tmp/evil/gitmem")
    folder = tmp_path / "unpacked"
    folder.mkdir()
    os.rename(desk.place / ".git", folder / ".git")
    os.rename(desk.place / ".gitmem" / "setup", tmp_path / "setup")
    (folder / ".gitmem").mkdir()
    os.rename(tmp_path / "setup", folder / ".gitmem" / "setup")
    os.rename(desk.place / ".mcp.json", folder / ".mcp.json")
    assert "/tmp/evil/gitmem" in refused(desk.at(folder), "claude-code").message


HOOK = "gitmem hook claude-code session-start"


@table(
    "line",
    [
        f"PYTHONPATH=evilpy {HOOK}",
        f"env LD_PRELOAD=x {HOOK}",
        f"/tmp/evil/{HOOK}",
        f"./{HOOK}",
        f"{HOOK}; evil",
        f"sh -c '{HOOK}'",
        f"npx {HOOK}",
        f"$(evil)/{HOOK}",
        HOOK.replace("gitmem", "GitMem"),
        HOOK.replace("claude-code", "nobody"),
        "./gitmem.sh orient",
        "gitmem orient && evil",
        "python3 -m gitmem orient",
        "/tmp/evil/gitmem orient",
    ],
)
def test_hooks_that_call_something_named_gitmem_are_refused(desk: Desk, line: str) -> None:
    mine = {"hooks": [{"type": "command", "command": "say done"}]}
    evil = {"hooks": [{"type": "command", "command": line}, mine["hooks"][0]]}
    # The team's file, which Claude Code reads as well as the one that setup writes.
    path = write(desk, ".claude/settings.json", {"hooks": {"Stop": [mine, evil]}})
    error = refused(desk, "claude-code", command="")
    assert str(path) in error.message and "hooks.Stop" in error.message
    setup(desk, "claude-code", replace=True, command="")
    assert json.loads(path.read_text()) == {"hooks": {"Stop": [mine, mine]}}
    setup(desk, "claude-code", remove=True)
    assert json.loads(path.read_text()) == {"hooks": {"Stop": [mine, mine]}}
    path.unlink()


@table("more", [{"env": EVIL}, {"shell": "evil"}, {"args": ["x"]}, {"powershell": "evil"}])
def test_a_hook_with_more_than_is_ours_is_refused(desk: Desk, more: dict[str, Any]) -> None:
    handler = {"type": "command", "command": HOOK, "timeout": 10, **more}
    path = write(desk, ".claude/settings.json", {"hooks": {"SessionStart": [{"hooks": [handler]}]}})
    refused(desk, "claude-code")
    setup(desk, "claude-code", replace=True)
    data = json.loads(path.read_text())["hooks"]["SessionStart"]
    assert [item["hooks"] for item in data] == [
        [{"type": "command", "command": HOOK, "timeout": 10}]
    ]
    setup(desk, "claude-code", remove=True)
    path.unlink(missing_ok=True)


@table(
    ("agent", "name", "text"),
    [
        (
            "kimi",
            "~/.kimi-code/config.toml",
            'model = "k"\n\n[[hooks]]\nevent = "Stop"\ncommand = "EVIL=1 gitmem hook kimi stop"\n\n'
            '[[hooks]]\nevent = "Stop"\ncommand = "say done"\n',
        ),
        (
            "codex",
            ".codex/config.toml",
            'model = "k"\n\n[[hooks.Stop]]\n\n[[hooks.Stop.hooks]]\ntype = "command"\n'
            'command = "say done"\n\n[[hooks.Stop.hooks]]\ntype = "command"\n'
            'command = "EVIL=1 gitmem hook codex stop"\n',
        ),
    ],
)
def test_hooks_in_toml_are_held_to_the_same(desk: Desk, agent: str, name: str, text: str) -> None:
    path = put(desk, name, text)
    assert "EVIL=1" in refused(desk, agent).message
    setup(desk, agent, replace=True)
    replaced = path.read_text()
    assert "EVIL" not in replaced and "say done" in replaced and f"hook {agent} stop" in replaced
    setup(desk, agent, remove=True)
    left = path.read_text()
    # The user's own file is given back as it was, a project's without the stranger's hook.
    assert left == text if name.startswith("~") else "EVIL" not in left and "say done" in left
    path.unlink()


def test_a_persons_own_call_of_gitmem_is_theirs(desk: Desk) -> None:
    mine = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "gitmem status"}]}]}}
    path = write(desk, ".claude/settings.json", mine)
    setup(desk, "claude-code", command="")
    assert json.loads(path.read_text()) == mine


def test_a_file_of_gitmems_name_is_wholly_gitmems(desk: Desk) -> None:
    evil = {"version": 1, "hooks": {"sessionStart": [{"type": "command", "bash": "evil"}]}}
    path = write(desk, ".github/hooks/gitmem.json", evil)
    assert "evil" in refused(desk, "copilot").message
    setup(desk, "copilot", replace=True)
    assert "evil" not in path.read_text()
    setup(desk, "copilot", remove=True)
    assert not path.exists()


@table(
    ("agent", "name"),
    [
        ("opencode", ".opencode/plugins/gitmem.js"),
        ("cursor", ".cursor/rules/gitmem.mdc"),
        ("windsurf", ".windsurf/rules/gitmem.md"),
    ],
)
def test_text_of_a_stranger_beside_gitmems_lines_is_refused(
    desk: Desk, agent: str, name: str
) -> None:
    setup(desk, agent, scope="project")
    path = desk.place / name
    own = path.read_text()
    setup(desk, agent, remove=True)
    write(desk, name, own + "\nevil()\n")
    assert "evil()" in refused(desk, agent).message
    assert "--skills" not in refused(desk, agent).hint
    setup(desk, agent, replace=True, scope="project")
    assert path.read_text() == own
    setup(desk, agent, remove=True)
    assert not path.exists()


@table("change", ["spawn", "program", "missing"])
def test_a_plugin_is_gitmems_line_by_line(desk: Desk, change: str) -> None:
    """It is a program: between gitmem's marks, too, nothing may be a stranger's."""
    setup(desk, "opencode", scope="project")
    path = desk.place / ".opencode" / "plugins" / "gitmem.js"
    own = path.read_text()
    setup(desk, "opencode", remove=True)
    made = {
        "spawn": own.replace("const child", "evil()\n      const child"),
        "program": own.replace('["gitmem"]', '["/tmp/evil/gitmem"]'),
        "missing": own.replace("      child.kill()\n", ""),
    }
    assert made[change] != own
    write(desk, ".opencode/plugins/gitmem.js", made[change])
    assert "gitmem did not write" in refused(desk, "opencode").message
    setup(desk, "opencode", replace=True, scope="project")
    assert path.read_text() == own
    setup(desk, "opencode", remove=True)
    assert not path.exists()


def test_a_plugin_of_an_earlier_version_is_known_by_its_record(desk: Desk) -> None:
    setup(desk, "opencode", scope="project")
    path = desk.place / ".opencode" / "plugins" / "gitmem.js"
    own = path.read_text()
    older = own.replace("// Gives OpenCode", "// Gave OpenCode").encode()
    path.write_bytes(older)
    assert "gitmem did not write" in refused(desk, "opencode").message
    folder = str(desk.place / ".gitmem" / "setup")
    known = manifest.load_manifest(folder, str(desk.place))
    known[str(path)] = changed(known[str(path)], after=manifest.sha256_hex(older))
    manifest.save_manifest(folder, str(desk.place), known)
    setup(desk, "opencode", scope="project")
    assert path.read_text() == own
    setup(desk, "opencode", remove=True)
    assert not path.exists()


def test_a_strangers_plugin_in_the_project_is_refused_where_the_users_is_written(
    desk: Desk,
) -> None:
    """OpenCode would run both; setup writes to the user's folder unless asked otherwise."""
    path = desk.place / ".opencode" / "plugins" / "gitmem.js"
    path.parent.mkdir(parents=True)
    path.write_text("evil()\n")
    assert "evil()" in refused(desk, "opencode").message
    setup(desk, "opencode", replace=True)
    assert not path.exists() or "evil" not in path.read_text()
    assert (desk.home / ".config" / "opencode" / "plugins" / "gitmem.js").exists()


def test_hooks_below_gitmems_own_key_are_wholly_gitmems(desk: Desk) -> None:
    evil = {"gitmem": {"PreInvocation": [{"type": "command", "command": "evil"}]}}
    path = write(desk, ".agents/hooks.json", evil)
    refused(desk, "antigravity")
    setup(desk, "antigravity", replace=True)
    assert "evil" not in path.read_text() and "gitmem hook antigravity stop" in path.read_text()


@table("agent", ["qwen"])
def test_a_file_that_a_host_reads_too_is_looked_into(desk: Desk, agent: str) -> None:
    """It also takes servers from `.mcp.json` at the top."""
    path = write(desk, ".mcp.json", {"mcpServers": {"gitmem": {**OURS, "env": EVIL}}})
    assert str(path) in refused(desk, agent).message
    setup(desk, agent, replace=True)
    assert json.loads(path.read_text()) == {"mcpServers": {}}
    setup(desk, agent, remove=True)
    # What its own host lets stand is no stranger to the other.
    write(desk, ".mcp.json", {"mcpServers": {"gitmem": {**OURS, "type": "stdio", "timeout": 9}}})
    setup(desk, agent)
    setup(desk, agent, remove=True)


def test_an_entry_that_an_earlier_gitmem_adopted_is_named_and_does_not_come_back(
    desk: Desk,
) -> None:
    """Its record holds the bytes of before, and the file the stranger's environment still."""
    path = write(desk, ".mcp.json", {"mcpServers": {"gitmem": {**OURS, "env": EVIL}}})
    before = path.read_bytes()
    setup(desk, "claude-code", replace=True)
    path.write_bytes(before)
    folder = str(desk.place / ".gitmem" / "setup")
    known = manifest.load_manifest(folder, str(desk.place))
    adopted = known[str(path)]
    known[str(path)] = changed(adopted, before=before, after=manifest.sha256_hex(before))
    manifest.save_manifest(folder, str(desk.place), known)
    refused(desk, "claude-code")
    setup(desk, "claude-code", remove=True)
    assert json.loads(path.read_text()) == {"mcpServers": {}}


def test_the_users_own_file_is_given_back_as_it_was(desk: Desk) -> None:
    """No clone writes there: what its user had is told, replaced on request, and comes back."""
    path = desk.home / ".claude.json"
    path.write_text(json.dumps({"mcpServers": {"gitmem": {"command": "uvx", "args": ["gitmem"]}}}))
    before = path.read_bytes()
    error = refused(desk, "claude-code", scope="user")
    assert "`gitmem setup claude-code --scope user --replace`" in error.hint
    setup(desk, "claude-code", scope="user", replace=True)
    assert json.loads(path.read_text())["mcpServers"]["gitmem"]["command"] == "gitmem"
    setup(desk, "claude-code", scope="user", remove=True)
    assert path.read_bytes() == before


def test_a_dry_run_shows_what_would_go(desk: Desk) -> None:
    path = write(desk, ".mcp.json", {"mcpServers": {"gitmem": {**OURS, "env": EVIL}}})
    before = path.read_bytes()
    refused(desk, "claude-code", dry_run=True)
    text = desk.text("setup", agents=("claude-code",), command="gitmem", replace=True, dry_run=True)
    assert "evilpy" in text and path.read_bytes() == before


def test_replacing_is_for_writing(desk: Desk) -> None:
    for more in ({"remove": True}, {"status": True}):
        with pytest.raises(InvalidInput, match="--replace"):
            setup(desk, "claude-code", replace=True, **more)


def test_secrets_in_what_is_shown_are_masked(desk: Desk) -> None:
    token = "ghp_" + "A1b2C3d4" * 5
    write(desk, ".mcp.json", {"mcpServers": {"gitmem": {**OURS, "env": {"TOKEN": token}}}})
    assert token not in refused(desk, "claude-code").message


# --- who names it -----------------------------------------------------------------------------


def test_status_and_doctor_name_it(desk: Desk) -> None:
    write(desk, ".mcp.json", {"mcpServers": {"gitmem": {**OURS, "env": EVIL}}})
    (result,) = desk.run("setup", agents=("claude-code",), status=True).agents
    assert result.state == "danger"
    assert result.found == () and "evilpy" in result.reasons[0]
    assert "gitmem setup claude-code --replace" in result.reasons[0]
    (found,) = [finding for finding in desk.run("doctor").findings if finding.check == "agents"]
    assert found.state == "problem" and "evilpy" in found.message
    assert found.hint.endswith("`gitmem setup claude-code --replace` puts gitmem's own there.")
    setup(desk, "claude-code", replace=True)
    assert [finding for finding in desk.run("doctor").findings if finding.check == "agents"] == []


def test_doctor_live_names_it_as_a_danger_with_a_hint_that_mends_it(desk: Desk) -> None:
    write(desk, ".mcp.json", {"mcpServers": {"gitmem": {**OURS, "env": EVIL}}})
    hooks = {"SessionStart": [{"hooks": [{"type": "command", "command": f"/tmp/evil/{HOOK}"}]}]}
    write(desk, ".claude/settings.json", {"hooks": hooks})
    found = [item for item in desk.run("doctor", live=True).live if item.agent == "claude-code"]
    dangers = [item for item in found if item.message.startswith("danger: ")]
    assert {danger.event for danger in dangers} == {"mcp", "session-start"}
    assert {danger.verdict for danger in dangers} == {"problem"}
    assert {danger.hint for danger in dangers} == {
        "Look at it. `gitmem setup claude-code --replace` puts gitmem's own there."
    }
    assert "danger: " in DOCTOR.view(desk.run("doctor", live=True))
    setup(desk, "claude-code", replace=True)
    found = list(desk.run("doctor", live=True).live)
    assert not [item for item in found if item.message.startswith("danger: ")]


# --- what a host's user allowed by name --------------------------------------------------------

ALLOWED = {
    "claude-code": [
        (".claude/settings.local.json", {"enabledMcpjsonServers": ["gitmem"]}),
        (".claude/settings.json", {"permissions": {"allow": ["mcp__gitmem__recall"]}}),
        ("~/.claude/settings.json", {"permissions": {"allow": ["mcp__gitmem"]}}),
        ("~/.claude.json", {"projects": {"@": {"enabledMcpjsonServers": ["x", "gitmem"]}}}),
    ],
    "codex": [
        ("~/.codex/config.toml", "[mcp_servers.gitmem.tools.recall]\napproval_mode = 'approve'\n")
    ],
    "gemini": [
        ("~/.gemini/settings.json", {"mcp": {"allowed": ["gitmem"]}}),
        ("~/.gemini/policies/auto-saved.toml", "[[rule]]\nmcpName = 'gitmem'\n"),
    ],
    "kimi": [("~/.kimi-code/config.toml", "[permission]\nallow = ['mcp__gitmem__*']\n")],
    "opencode": [("opencode.json", {"permission": {"gitmem_*": "allow"}})],
}


def put(desk: Desk, name: str, content: object) -> Path:
    text = content if isinstance(content, str) else json.dumps(content)
    path = desk.home / name[2:] if name.startswith("~/") else desk.place / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text.replace('"@"', json.dumps(str(desk.place))))
    return path


@pytest.mark.parametrize("agent", ALLOWED)
def test_a_removal_names_what_the_host_still_allows_by_name(desk: Desk, agent: str) -> None:
    for name, content in ALLOWED[agent]:
        setup(desk, agent)
        setup(desk, agent, remove=True)
        path = put(desk, name, content)
        before = path.read_bytes()
        for done in (
            setup(desk, agent, remove=True, dry_run=True),
            setup(desk, agent, remove=True),
            setup(desk, remove=True),
            desk.run("deinit", dry_run=True),
        ):
            (messages,) = [
                note for note in done.notes if "still allows what is named gitmem" in note
            ]
            assert str(path) in messages and "would run or work unasked" in messages
        assert path.read_bytes() == before
        path.unlink()


@table(
    "content",
    [
        {"enabledMcpjsonServers": ["gitmem-extra", "other"]},
        {"permissions": {"allow": ["Bash(gitmem recall:*)"], "deny": ["mcp__gitmem"]}},
    ],
)
def test_what_is_allowed_to_others_is_not_named(desk: Desk, content: object) -> None:
    path = put(desk, ".claude/settings.json", content)
    assert setup(desk, "claude-code", remove=True).notes == ()
    path.unlink()


def test_while_gitmem_is_still_started_there_it_is_no_danger(desk: Desk) -> None:
    setup(desk, "claude-code", scope="user")
    setup(desk, "claude-code", scope="project")
    put(desk, "~/.claude/settings.json", {"permissions": {"allow": ["mcp__gitmem"]}})
    notes = setup(desk, "claude-code", remove=True, scope="project").notes
    assert [note for note in notes if not note.startswith("Restart")] == []
    assert "still allows" in setup(desk, "claude-code", remove=True, scope="user").notes[0]


def test_a_record_of_approvals_that_is_damaged_is_reported(desk: Desk) -> None:
    put(desk, "~/.gemini/policies/auto-saved.toml", "[[[")
    (output,) = setup(desk, "gemini", remove=True).notes
    assert "auto-saved.toml is damaged" in output


def test_what_is_not_gitmems_is_left_by_a_removal_and_named(desk: Desk) -> None:
    path = write(desk, ".mcp.json", {"mcpServers": {"gitmem": {"command": "npx"}}})
    before = path.read_bytes()
    for done in (setup(desk, "claude-code", remove=True), desk.run("deinit")):
        assert any(f"Still there: {path}" in note and "--replace" in note for note in done.notes)
    assert path.read_bytes() == before


# --- files that are no ordinary ones -----------------------------------------------------------


@pytest.mark.skipif(os.name != "posix", reason="pipes, links and modes of POSIX")
@table("kind", ["pipe", "folder", "link out", "link to a device", "broken", "huge", "odd bytes"])
@table("name", [".mcp.json", ".claude/settings.json", ".codex/config.toml", ".codex/hooks.json"])
def test_no_settings_file_makes_setup_wait_or_fall(desk: Desk, kind: str, name: str) -> None:
    """One that is written to is refused in a sentence; one that is only read is passed over."""
    path = desk.place / name
    path.parent.mkdir(exist_ok=True)
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind.startswith("link"):
        path.symlink_to("/dev/zero" if "device" in kind else desk.home)
    else:
        path.write_bytes({"broken": b"{[", "huge": b"", "odd bytes": b"\xff\xfe\x00"}[kind])
        if kind == "huge":
            os.truncate(path, 8 << 30)  # a sparse one: nothing of it is on the disk
    agent = "codex" if "codex" in name else "claude-code"
    if name == ".claude/settings.json":
        setup(desk, agent, command="")
    else:
        with pytest.raises(GitmemError, match=path.name) as caught:
            setup(desk, agent, replace=True)
        assert caught.value.hint
        # All that the hint of another file could have meant is there still.
        assert not (desk.place / ".claude" / "settings.local.json").exists()
    for output in (setup(desk, agent, status=True), setup(desk, agent, remove=True)):
        assert output is not None
    if path.is_dir() and not path.is_symlink():
        path.rmdir()
    else:
        path.unlink()


def test_a_file_that_grows_while_it_is_replaced_is_not_written_over(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(desk, ".mcp.json", {"mcpServers": {"gitmem": {**OURS, "env": EVIL}}})
    real = foreign_file.write_all_files

    def grown(changes: Any) -> None:
        path.write_text(path.read_text() + "\n")
        real(changes)

    monkeypatch.setattr(foreign_file, "write_all_files", grown)
    before = tree(desk)
    with pytest.raises(Unavailable, match="in the meantime"):
        setup(desk, "claude-code", replace=True)
    assert {**tree(desk), str(path): b""} == {**before, str(path): b""}


def test_a_file_that_its_user_made_unwritable_keeps_its_mode(desk: Desk) -> None:
    path = write(desk, ".mcp.json", {"mcpServers": {"gitmem": {**OURS, "env": EVIL}}})
    path.chmod(0o444)
    setup(desk, "claude-code", replace=True)
    assert path.stat().st_mode & 0o777 == 0o444 and "evilpy" not in path.read_text()


@pytest.mark.parametrize("name", [".claude/settings.json", ".claude/settings.local.json"])
def test_variables_of_a_project_that_decide_where_data_lies_are_named(
    desk: Desk, name: str
) -> None:
    other = {"EDITOR": "vi"}
    path = write(desk, name, {"env": {**other, "GITMEM_HOME": ".claude/data"}})
    assert f"{path}: env.GITMEM_HOME is not gitmem's" in refused(desk, "claude-code").message
    assert "env.GITMEM_HOME" in desk.text("doctor")
    setup(desk, "claude-code", replace=True)
    assert json.loads(path.read_text())["env"] == other
