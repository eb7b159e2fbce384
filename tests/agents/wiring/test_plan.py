"""Setup and removal beside people who change the same files meanwhile."""

from __future__ import annotations

import json
import os
import threading
from functools import partial
from pathlib import Path

import pytest

from gitmem.agents.hosts.table import BY_NAME
from gitmem.agents.wiring import apply, file_pieces, manifest, plan
from gitmem.errors import Conflict, ForeignFile, InvalidInput, ReadOnly, Unavailable
from gitmem.files import foreign_file
from gitmem.text import jsonc, jsonc_edit
from tests.agents.wiring.machine import Machine

OTHER = {"command": "npx", "args": ["other"]}


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def edit(path: Path, keys: tuple[str, ...], value: object) -> None:
    path.write_text(jsonc_edit.set_json_value(path.read_text(), keys, value))


def test_what_a_user_added_meanwhile_stays_and_is_reported(machine: Machine) -> None:
    path = machine.project / ".mcp.json"
    machine.setup(["claude-code"])
    edit(path, ("mcpServers", "other"), OTHER)
    edit(machine.project / ".claude/settings.local.json", ("model", "x"), 1)
    notes = {step.note for step in machine.remove(["claude-code"])}
    assert notes == {plan.CHANGED}
    assert json.loads(path.read_text()) == {"mcpServers": {"other": OTHER}}
    assert json.loads((machine.project / ".claude/settings.local.json").read_text()) == {
        "model": {"x": 1}
    }


def test_an_edit_between_two_setups_is_kept_by_the_removal(machine: Machine) -> None:
    path = machine.project / ".gemini" / "settings.json"
    path.parent.mkdir()
    path.write_text('{"theme": "dark"} // mine')
    machine.setup(["gemini"])
    edit(path, ("mcpServers", "other"), OTHER)
    edit(path, ("mcpServers", "gitmem", "command"), "/elsewhere/gitmem")
    edited = path.read_bytes()
    with pytest.raises(Conflict, match="/elsewhere/gitmem"):
        machine.setup(["gemini"])
    machine.setup(["gemini"], replace=True)
    assert path.read_bytes() != edited
    machine.remove(["gemini"])
    assert jsonc.parse_jsonc(path.read_text()) == {"theme": "dark", "mcpServers": {"other": OTHER}}
    assert path.read_text().endswith("} // mine")


def test_a_handler_in_our_group_that_a_user_added_stays(machine: Machine) -> None:
    path = machine.project / ".codex" / "hooks.json"
    machine.setup(["codex"])
    data = json.loads(path.read_text())
    data["hooks"]["Stop"][0]["hooks"].append({"type": "command", "command": "say done"})
    path.write_text(json.dumps(data))
    machine.remove(["codex"])
    assert json.loads(path.read_text()) == {
        "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}
    }


def test_a_teams_entry_for_gitmem_comes_back(machine: Machine) -> None:
    path = machine.project / ".mcp.json"
    before = '{"mcpServers": {"gitmem": {"command": "gitmem", "args": ["mcp"]}}}'
    path.write_text(before)
    machine.setup(["claude-code"])
    assert path.read_text() != before
    machine.remove(["claude-code"])
    assert path.read_text() == before


def test_an_entry_of_our_name_that_starts_something_else_is_refused(machine: Machine) -> None:
    path = machine.project / ".mcp.json"
    path.write_text('{"mcpServers": {"gitmem": {"command": "npx"}}}')
    before = machine.tree()
    with pytest.raises(Conflict, match="gitmem is not gitmem's"):
        machine.setup(["codex", "claude-code"])
    assert machine.tree() == before


def test_codex_hooks_go_where_others_stand_already(machine: Machine) -> None:
    config = machine.project / ".codex" / "config.toml"
    config.parent.mkdir()
    config.write_text('[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "true"\n')
    before = machine.tree()
    machine.setup(["codex"])
    assert not (config.parent / "hooks.json").exists()
    assert "gitmem' hook codex session-start" in config.read_text()
    assert all(not step.is_change for step in machine.setup(["codex"]))
    machine.remove(["codex"])
    assert machine.tree() == before


def test_a_shared_file_stays_until_the_last_agent_goes(machine: Machine) -> None:
    before = machine.tree()
    machine.setup(["copilot", "vscode", "zed", "generic"])
    machine.remove(["copilot", "zed"])
    assert (machine.project / ".github/hooks/gitmem.json").exists()
    assert (machine.project / "AGENTS.md").exists()
    machine.remove(["vscode", "generic"])
    assert machine.tree() == before


def test_folders_made_for_one_agent_go_with_the_last_that_uses_them(machine: Machine) -> None:
    before = machine.tree()
    machine.setup(["vscode"])
    machine.setup(["copilot"])
    machine.remove(["vscode"])
    machine.remove(["copilot"])
    assert machine.tree() == before


def test_a_file_deleted_meanwhile_stays_deleted(machine: Machine) -> None:
    machine.setup(["zed"])
    (machine.project / "AGENTS.md").unlink()
    states = {os.path.basename(step.path): step.state for step in machine.remove(["zed"])}
    assert states == {"settings.json": plan.REMOVED, "AGENTS.md": plan.GONE}
    assert not (machine.project / "AGENTS.md").exists()


def test_without_a_manifest_a_named_agent_is_taken_out(machine: Machine) -> None:
    machine.setup(["cursor"])
    manifest.save_manifest(machine.folders.manifest_folder("project"), str(machine.project), {})
    edit(machine.project / ".cursor" / "mcp.json", ("mcpServers", "other"), OTHER)
    targets = machine.targets(["cursor"])
    steps = apply.apply_changes(
        machine.folders,
        lambda: plan.plan_removal(
            machine.known, ["cursor"], {}, targets, machine.folders.read_file_snapshot
        ),
    )
    assert len(steps) == 3
    left = [path for path in machine.tree() if path.startswith("project/.cursor/")]
    assert "project/.cursor/mcp.json" in left and "project/.cursor/hooks.json" not in left


BROKEN = {
    "no JSON": b"{oops",
    "no UTF-8": b'{"a": "\xff"}',
    "UTF-16": '{"a": 1}'.encode("utf-16"),
    "a list": b"[]",
    "text for servers": b'{"mcpServers": "none"}',
    "a list for hooks": b'{"hooks": [1]}',
    "text for an event": b'{"hooks": {"SessionStart": "none"}}',
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_file_that_cannot_be_understood_is_refused_and_nothing_written(
    machine: Machine, name: str
) -> None:
    path = machine.project / ".gemini" / "settings.json"
    path.parent.mkdir()
    path.write_bytes(BROKEN[name])
    before = machine.tree()
    with pytest.raises(InvalidInput, match=r"settings\.json"):
        machine.setup(["claude-code", "gemini", "zed"])
    assert machine.tree() == before


def test_links_folders_pipes_and_others_files_are_refused(machine: Machine) -> None:
    path = machine.project / ".mcp.json"
    outside = machine.home / "elsewhere.json"
    outside.write_text("{}")

    def refused() -> None:
        before = machine.tree()
        with pytest.raises(ForeignFile, match=r"\.mcp\.json"):
            machine.setup(["codex", "claude-code"])
        assert machine.tree() == before

    path.symlink_to(outside)
    refused()
    path.unlink()
    path.mkdir()
    refused()
    path.rmdir()
    os.mkfifo(path)
    refused()
    if os.geteuid() == 0:
        path.unlink()
        path.write_text("{}")
        os.chown(path, 4_000, 4_000)
        refused()


def test_a_folder_that_leads_out_of_the_project_or_is_a_file_is_refused(machine: Machine) -> None:
    (machine.home / "theirs").mkdir()
    (machine.project / ".codex").symlink_to(machine.home / "theirs")
    with pytest.raises(ForeignFile, match="out of the project"):
        machine.setup(["codex"])
    (machine.project / ".codex").unlink()
    (machine.project / ".codex").write_text("")
    with pytest.raises(ForeignFile, match="not a folder"):
        machine.setup(["codex"])


def test_a_link_within_its_folder_stays_a_link(machine: Machine) -> None:
    real, path = machine.project / "shared.json", machine.project / ".mcp.json"
    real.write_text("{}")
    path.symlink_to("shared.json")
    machine.setup(["claude-code"])
    assert path.is_symlink() and "gitmem" in real.read_text()
    machine.remove(["claude-code"])
    assert path.is_symlink() and real.read_text() == "{}"


def test_permissions_of_a_file_stay(machine: Machine) -> None:
    path = machine.project / ".mcp.json"
    path.write_text("{}")
    path.chmod(0o640)
    machine.setup(["claude-code"])
    assert path.stat().st_mode & 0o777 == 0o640


def test_ten_megabytes_are_edited_and_more_than_allowed_refused(machine: Machine) -> None:
    path = machine.home / ".claude.json"
    history = [{"display": "x" * 990, "n": n} for n in range(10_000)]
    path.write_text(json.dumps({"history": history, "mcpServers": {"other": OTHER}}, indent=2))
    before = path.read_bytes()
    assert len(before) > 10_000_000
    machine.setup(["claude-code"], "user")
    assert set(json.loads(path.read_text())["mcpServers"]) == {"other", "gitmem"}
    machine.remove(["claude-code"])
    assert path.read_bytes() == before
    with pytest.raises(InvalidInput, match="larger than"):
        file_pieces.decode_file(b" " * (foreign_file.MOST_BYTES + 1))


def test_two_setups_at_once_leave_both_agents_wired(machine: Machine) -> None:
    names = ["zed", "generic", "antigravity", "copilot", "vscode", "cursor"]
    errors: list[BaseException] = []

    def work(name: str) -> None:
        try:
            machine.setup([name])
        except BaseException as error:
            errors.append(error)

    before = machine.tree()
    threads = [threading.Thread(target=work, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert all(not step.is_change for name in names for step in machine.setup([name]))
    machine.remove(names)
    assert machine.tree() == before


def test_a_write_that_fails_half_way_leaves_everything_as_it_was(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where somebody presses Ctrl-C."""
    (machine.project / ".mcp.json").write_text("{}")
    before, real = machine.tree(), os.replace
    cases: list[tuple[BaseException, type[BaseException], str]] = [
        (OSError(30, "Read-only file system"), ReadOnly, "Read-only file system"),
        (KeyboardInterrupt("Ctrl-C"), KeyboardInterrupt, "Ctrl-C"),
    ]

    def failing(failure: BaseException, source: str, target: str) -> None:
        if target.endswith("settings.local.json"):
            raise failure
        real(source, target)

    for failure, expected, message in cases:
        monkeypatch.setattr(os, "replace", partial(failing, failure))
        with pytest.raises(expected, match=message):
            machine.setup(["claude-code"])
        assert machine.tree() == before, expected


def test_a_host_that_writes_meanwhile_is_not_written_over(machine: Machine) -> None:
    path = machine.project / ".mcp.json"
    path.write_text("{}")
    observed = machine.folders.read_file_snapshot(str(path), "project")
    path.write_text('{"new": 1}')
    with pytest.raises(Unavailable, match="in the meantime"):
        foreign_file.write_all_files([foreign_file.FileEdit(observed, b"ours")])
    assert path.read_text() == '{"new": 1}'


def test_a_manifest_that_came_with_an_archive_reaches_nothing_outside(machine: Machine) -> None:
    machine.setup(["claude-code"])
    folder = Path(machine.folders.manifest_folder("project"))
    data = json.loads((folder / manifest.NAME).read_text())
    for path in ("../home/.bashrc", "/etc/x", ".git/config", ".gitmem/memory.db", "."):
        data["files"][0]["path"] = path
        (folder / manifest.NAME).write_text(json.dumps(data))
        known = manifest.load_manifest(str(folder), str(machine.project))
        assert len(known) == len(data["files"]) - 1


@pytest.mark.parametrize("text", ["", "{", "[]", '{"files": [{}]}', '{"files": 1}', "[" * 99_999])
def test_a_damaged_manifest_is_no_manifest(machine: Machine, text: str) -> None:
    machine.setup(["zed"])
    Path(machine.folders.manifest_folder("project"), manifest.NAME).write_text(text)
    assert machine.folders.setup_records_by_scope()["project"] == {}
    assert all(not step.is_change for step in machine.setup(list(BY_NAME)[-2:]))


def test_a_file_too_large_for_a_configuration_is_refused(machine: Machine) -> None:
    path = machine.project / ".mcp.json"
    with path.open("wb") as file:
        file.truncate(8 << 30)  # a sparse one: nothing of it is on the disk
    with pytest.raises(ForeignFile, match="larger than 32 MB"):
        machine.setup(["claude-code"])
    path.unlink()


@pytest.mark.parametrize("inside", [".git", ".gitmem"])
def test_a_link_into_gits_folder_or_ours_is_refused(machine: Machine, inside: str) -> None:
    """Such a link can come with a clone."""
    (machine.project / inside).mkdir(exist_ok=True)
    (machine.project / ".claude").symlink_to(inside)
    before = machine.tree()
    with pytest.raises(ForeignFile, match="leads into the git directory"):
        machine.setup(["claude-code"])
    assert machine.tree() == before
