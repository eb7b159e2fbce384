"""One `gitmem setup` wires all worktrees of a repository, and those to come where it was chosen."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gitmem.agents.events import dispatch
from gitmem.agents.events.hook_event import HookEvent
from gitmem.agents.hosts import codex
from gitmem.agents.hosts.host import HostApprovals
from gitmem.agents.hosts.table import BY_NAME
from gitmem.agents.wiring import checkouts
from gitmem.agents.wiring.templates import agents_in_hook_lines
from gitmem.errors import ForeignFile, InvalidInput, Unavailable
from gitmem.githooks import installer
from gitmem.store.db import seals
from tests.support.apps import Desk
from tests.support.moved import SetUp
from tests.support.repos import RepoBuilder

NOBODY = ("/nonexistent/gitmem-for-tests",)
# Each reads its servers in the worktree in which it is started.
SERVERS = {
    "claude-code": ".mcp.json",
    "codex": ".codex/config.toml",
    "gemini": ".gemini/settings.json",
    "copilot": ".github/mcp.json",
    "opencode": "opencode.json",
}
AGENTS = tuple(SERVERS)


@pytest.fixture
def ready_desk(repo: RepoBuilder, ready: SetUp) -> Iterator[Desk]:
    """A store, and git hooks that note what happens and start nothing."""
    made = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    ready(made, no_hooks=True)
    app = made.app()
    installer.install_hooks(
        app.layout,
        NOBODY,
        known_git_version=(2, 39),
        token=seals.derive_log_line_token(app.signing_key),
    )
    app.close()
    yield made


def contents(*folders: Path) -> dict[str, bytes]:
    """Every file of the folders but git's own and the store."""
    return {
        f"{folder.name}/{path.relative_to(folder)}": path.read_bytes()
        for folder in folders
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not {".git", ".gitmem"} & set(path.relative_to(folder).parts)
    }


def standing(desk: Desk, agent: str) -> Any:
    (found,) = desk.run("setup", agents=(agent,), status=True).agents
    return found


@pytest.mark.parametrize("at_main", [True, False])
def test_setup_anywhere_wires_all_and_removal_anywhere_takes_all_out(
    desk: Desk, repo: RepoBuilder, tmp_path: Path, at_main: bool
) -> None:
    linked = repo.worktree(tmp_path / "linked", "side")
    inside = repo.worktree(repo.path / "trees" / "inside", "inside")
    places = (repo.path, linked.path, inside.path)
    (linked.path / ".mcp.json").write_text('{"mcpServers": {"theirs": {"command": "npx"}}}')
    before = contents(*places)
    here = desk if at_main else desk.at(linked.path)
    planned = here.run("setup", agents=AGENTS, dry_run=True)
    assert contents(*places) == before
    done = here.run("setup", agents=AGENTS)
    assert {file.path for file in done.files} == {file.path for file in planned.files}
    for place in places:
        for file in SERVERS.values():
            assert "gitmem" in (place / file).read_text(), (place, file)
    # Where these two look for hooks, wherever they are started.
    for file in (".codex/hooks.json", ".claude/settings.local.json"):
        assert [(place / file).exists() for place in places] == [True, False, False]
    assert here.text("setup", agents=AGENTS).startswith("nothing to do")
    desk.at(inside.path).run("setup", remove=True)
    assert contents(*places) == before


def test_the_status_of_a_worktree_is_what_its_host_reads(
    desk: Desk, repo: RepoBuilder, tmp_path: Path
) -> None:
    """Of Codex, hooks that were approved in the main worktree are approved in all."""
    linked = desk.at(repo.worktree(tmp_path / "linked", "side").path)
    desk.run("setup", agents=("codex", "claude-code"), command="gitmem")
    result = standing(linked, "codex")
    hooks = str(repo.path / ".codex" / "hooks.json")
    assert [item for item in result.found if item.startswith("hooks:")] == [f"hooks: {hooks}"]
    assert result.state == "untrusted"
    approve_codex(desk, hooks)
    for place in (desk, linked):
        reasons = [
            reason
            for reason in standing(place, "codex").reasons
            if "cannot be started" not in reason
        ]
        assert reasons == []
    claude = standing(linked, "claude-code")
    assert f"hooks: {repo.path / '.claude' / 'settings.json'}" in claude.found
    assert not [reason for reason in claude.reasons if "not set up" in reason]


def approve_codex(desk: Desk, path: str) -> None:
    """What Codex notes when its user trusts the main worktree and approves all of its hooks."""
    approvals = HostApprovals(str(desk.place), lambda _: {}, agents_in_hook_lines)
    events = json.loads(Path(path).read_text())["hooks"]
    lines = [f'[projects."{desk.place}"]\ntrust_level = "trusted"\n']
    for key, digest in codex._hashes(approvals, path, events):
        lines.append(f'[hooks.state."{key}"]\ntrusted_hash = "{digest}"\n')
    config = desk.home / ".codex" / "config.toml"
    config.parent.mkdir(exist_ok=True)
    config.write_text("".join(lines))


def test_a_worktree_that_codex_was_instructed_not_to_trust_is_not_trusted_as_the_main_one(
    desk: Desk, repo: RepoBuilder, tmp_path: Path
) -> None:
    linked = desk.at(repo.worktree(tmp_path / "linked", "side").path)
    desk.run("setup", agents=("codex",))
    approve_codex(desk, str(repo.path / ".codex" / "hooks.json"))
    config = desk.home / ".codex" / "config.toml"
    with config.open("a") as file:
        file.write(f'[projects."{linked.place}"]\ntrust_level = "untrusted"\n')
    assert any("does not trust" in reason for reason in standing(linked, "codex").reasons)


def test_a_worktree_that_refuses_keeps_no_other_from_it(
    desk: Desk, repo: RepoBuilder, tmp_path: Path
) -> None:
    """A link out of the worktree is not followed; what is refused here is refused everywhere."""
    linked = repo.worktree(tmp_path / "linked", "side")
    away = tmp_path / "away"
    away.mkdir()
    os.symlink(away, linked.path / ".gemini")
    done = desk.run("setup", agents=("gemini",))
    assert (repo.path / ".gemini" / "settings.json").exists() and not list(away.iterdir())
    (note,) = [note for note in done.notes if "left as it is" in note]
    assert str(linked.path) in note and "symbolic link" in note
    desk.run("setup", remove=True)
    with pytest.raises(ForeignFile):
        desk.at(linked.path).run("setup", agents=("gemini",))
    assert not (repo.path / ".gemini").exists()


def test_a_worktree_that_is_gone_moved_or_locked_keeps_nobody(
    desk: Desk, repo: RepoBuilder, tmp_path: Path
) -> None:
    gone, moved, locked = (
        repo.worktree(tmp_path / name, name) for name in ("gone", "moved", "locked")
    )
    repo.git("worktree", "lock", str(locked.path))
    desk.run("setup", agents=("gemini",))
    shutil.rmtree(gone.path)
    place = tmp_path / "moved there"
    repo.git("worktree", "move", str(moved.path), str(place))
    assert "gemini" in standing(desk.at(place), "gemini").found[0]
    desk.run("setup", remove=True)
    for item in (place, locked.path, repo.path):
        assert not (item / ".gemini").exists()


def test_hooks_that_lie_beside_a_bare_repository_are_out_of_reach(
    bare_desk: Desk, tmp_path: Path
) -> None:
    """Codex looks beside a common directory that is called ``.git``, whatever lies there."""
    first = RepoBuilder(tmp_path / "first")
    first.commit("x", {"a.txt": "1\n"})
    first.git("clone", "-q", "--bare", str(first.path), str(tmp_path / "laid out" / ".git"))
    bare = RepoBuilder(tmp_path / "laid out" / ".git", init=False)
    linked = bare.worktree(tmp_path / "laid out" / "work", "work")
    done = bare_desk.at(linked.path).run("setup", agents=("codex",))
    (note,) = [note for note in done.notes if "codex: no hooks" in note]
    assert "which is no worktree: --scope user" in note
    assert not (tmp_path / "laid out" / ".codex").exists()
    assert (linked.path / ".codex" / "config.toml").exists()


def test_later_worktrees_are_wired_where_it_was_chosen(
    ready_desk: Desk, repo: RepoBuilder, tmp_path: Path
) -> None:
    ready_desk.run("setup", agents=AGENTS)
    early = repo.worktree(tmp_path / "early", "early")
    ready_desk.run("drain")
    assert not (early.path / ".mcp.json").exists()
    ready_desk.run("setup", agents=("codex", "gemini"), worktrees=True)
    assert (early.path / ".codex" / "config.toml").exists()
    late = repo.worktree(tmp_path / "a late one", "late")
    ready_desk.run("drain")
    assert (late.path / ".codex" / "config.toml").exists()
    assert "session-start" in (late.path / ".gemini" / "settings.json").read_text()
    assert not (late.path / ".mcp.json").exists() and not (late.path / "opencode.json").exists()
    assert late.git("status", "--porcelain").strip() == ""
    # A branch that is switched there later is no new worktree.
    ready_desk.at(late.path).run("setup", agents=("gemini",), remove=True)
    late.git("switch", "-q", "-c", "later")
    ready_desk.run("drain")
    assert not (late.path / ".gemini").exists()


def test_the_choice_ends_with_the_removal_of_an_agent_and_with_deinit(
    ready_desk: Desk, repo: RepoBuilder, tmp_path: Path
) -> None:
    ready_desk.run("setup", agents=("codex", "gemini"), worktrees=True)
    ready_desk.run("setup", agents=("codex",), remove=True)
    assert names(ready_desk) == ["gemini"]
    ready_desk.run("setup", agents=("opencode",))
    assert names(ready_desk) == ["gemini"]
    ready_desk.run("deinit", dry_run=True)
    ready_desk.run("setup", agents=("gemini",), remove=True, dry_run=True)
    assert names(ready_desk) == ["gemini"]
    ready_desk.run("deinit")
    assert names(ready_desk) == []


def names(desk: Desk) -> list[str]:
    app = desk.app()
    try:
        order = checkouts.load_setup_options(app)
        return [host.name for host in order.hosts] if order else []
    finally:
        app.close()


def test_nothing_that_came_with_a_repository_can_choose(
    ready_desk: Desk, repo: RepoBuilder, tmp_path: Path
) -> None:
    """It is kept for this store in the user's own folder; a copy of the clone has none."""
    ready_desk.run("setup", agents=("gemini",), worktrees=True)
    inside = {path for path in repo.path.rglob("worktrees") if path.is_file()}
    assert inside == set()
    copied = tmp_path / "copied"
    shutil.copytree(repo.path, copied)
    assert names(ready_desk.at(copied)) == []
    with pytest.raises(Unavailable, match="not set up here"):
        desk = ready_desk.at(RepoBuilder(tmp_path / "without").path)
        desk.run("setup", agents=("gemini",), worktrees=True)


@pytest.mark.parametrize("damage", [b"", b"[]", b'{"agents": ["nobody"], "words": ["x"]}', b"\xff"])
def test_a_choice_that_cannot_be_read_is_none(ready_desk: Desk, damage: bytes) -> None:
    ready_desk.run("setup", agents=("gemini",), worktrees=True)
    (file,) = ready_desk.settings_file.parent.glob("worktrees")
    assert file.stat().st_mode & 0o077 == 0
    file.write_bytes(damage)
    assert names(ready_desk) == []


def test_the_choice_is_for_writing_to_a_project(desk: Desk) -> None:
    for more in ({"remove": True}, {"status": True}, {"scope": "user"}):
        with pytest.raises(InvalidInput, match="--worktrees"):
            desk.run("setup", worktrees=True, **more)


def test_an_older_record_of_hooks_in_the_worktree_is_taken_out(
    desk: Desk, repo: RepoBuilder, tmp_path: Path
) -> None:
    """Where an earlier version wrote hooks that Codex never reads."""
    linked = desk.at(repo.worktree(tmp_path / "linked", "side").path)
    known = BY_NAME["codex"].places
    places = dict(known)
    known["hooks", "project"] = ("{project}/.codex/hooks.json",)
    try:
        linked.run("setup", agents=("codex",))
    finally:
        known.update(places)
    assert (linked.place / ".codex" / "hooks.json").exists()
    linked.run("setup", agents=("codex",))
    assert not (linked.place / ".codex" / "hooks.json").exists()
    assert (repo.path / ".codex" / "hooks.json").exists()


def test_an_agent_is_informed_that_a_worktree_has_no_tools(
    ready_desk: Desk, repo: RepoBuilder, tmp_path: Path
) -> None:
    """Claude Code hears the hooks of the main worktree there, and starts none of its servers."""
    ready_desk.run("setup", agents=("claude-code",))
    linked = ready_desk.at(repo.worktree(tmp_path / "linked", "side").path)
    text = "not set up for Claude Code in this worktree"
    # What its user allowed by name is no server.
    allowed = {"projects": {"/": {"enabledMcpjsonServers": ["gitmem"]}}}
    (ready_desk.home / ".claude.json").write_text(json.dumps(allowed))
    assert text not in oriented(ready_desk, "at-home-1")
    assert text in oriented(linked, "elsewhere-1")
    linked.run("setup", agents=("claude-code",))
    assert text not in oriented(linked, "elsewhere-2")


def oriented(desk: Desk, session: str) -> str:
    """What Claude Code's hook says at the start of a session."""
    app = desk.app()
    try:
        moment = HookEvent(agent="claude-code", event="session-start", session=session)
        return dispatch.answer_event(app, moment)
    finally:
        app.close()


def test_two_gitmems_wired_at_once_are_reported(desk: Desk, tmp_path: Path) -> None:
    programs = [tmp_path / name / "gitmem" for name in ("old", "new")]
    for program in programs:
        program.parent.mkdir()
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
    desk.run("setup", agents=("gemini",), command=str(programs[0]))
    assert standing(desk, "gemini").reasons[1:] == ()
    desk.run("setup", agents=("gemini",), command=str(programs[1]), scope="user")
    (messages,) = [reason for reason in standing(desk, "gemini").reasons if "two gitmems" in reason]
    assert all(str(program) in messages for program in programs)


def test_a_choice_that_nothing_would_hear_of_says_so(ready_desk: Desk, repo: RepoBuilder) -> None:
    output = ready_desk.run("setup", agents=("gemini",), worktrees=True).notes
    assert not [item for item in output if "post-checkout" in item]
    assert "added later are connected: gemini" in ready_desk.text("setup", status=True)
    (repo.path / ".git" / "hooks" / "post-checkout").unlink()
    output = ready_desk.run("setup", agents=("gemini",), worktrees=True).notes
    assert [item for item in output if "post-checkout" in item and "hooks install" in item]


def test_codex_reads_no_hooks_in_a_worktree_without_a_folder_of_its_own(
    desk: Desk, repo: RepoBuilder, tmp_path: Path
) -> None:
    desk.run("setup", agents=("codex",))
    approve_codex(desk, str(repo.path / ".codex" / "hooks.json"))
    linked = desk.at(repo.worktree(tmp_path / "linked", "side").path)
    result = standing(linked, "codex")
    assert result.state == "untrusted" and "without a folder .codex" in result.reasons[0]
    linked.run("setup", agents=("codex",))
    assert not any("folder .codex" in reason for reason in standing(linked, "codex").reasons)


def test_what_a_branch_brings_under_gitmems_name_is_left_alone(
    ready_desk: Desk, repo: RepoBuilder, tmp_path: Path
) -> None:
    """A new worktree may be a stranger's branch: nothing is replaced, and nothing half done."""
    ready_desk.run("setup", agents=("claude-code", "gemini"), worktrees=True)
    brought = '{"mcpServers": {"gitmem": {"command": "evil", "args": ["mcp"]}}}'
    repo.git("branch", "theirs")
    repo.git("switch", "-q", "theirs")
    (repo.path / ".mcp.json").write_text(brought)
    repo.git("add", "--force", ".mcp.json")
    repo.git("commit", "-qm", "x")
    repo.git("switch", "-q", "main")
    late = tmp_path / "late"
    repo.git("worktree", "add", "-q", str(late), "theirs")
    ready_desk.run("drain")
    assert (late / ".mcp.json").read_text() == brought
    assert not (late / ".gemini").exists()
    assert standing(ready_desk.at(late), "claude-code").state == "danger"
