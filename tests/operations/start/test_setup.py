"""`gitmem setup` in a real repository with a home of its own (CF-51, CT-24)."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gitmem.agents.wiring.surroundings import running_gitmem_command
from gitmem.agents.wiring.templates import SKILLS
from gitmem.errors import ForeignFile, GitmemError, InvalidInput, NotARepository, Unavailable
from gitmem.memory.skills import skill_format
from gitmem.operations import PLACES
from gitmem.operations.start.setup import NAMES, SETUP, setup_on_platform
from tests.support import prefork
from tests.support.apps import Desk
from tests.support.repos import RepoBuilder

STRANGER = 4_294
CLAUDE = """{
  // kept by hand
  "permissions": {"allow": ["Bash(ls)"]},
  "hooks": {
    "Stop": [{"hooks": [{"type": "command", "command": "say done"}]}],
  },
}"""
CODEX = '# mine\r\nmodel = "o4"\r\n\r\n[mcp_servers.files]\r\ncommand = "npx"'
ZED = '\ufeff{"theme": "One Dark", "context_servers": {}}'
CURSOR = '{\n\t"mcpServers": {\n\t\t"files": {\n\t\t\t"command": "npx"\n\t\t}\n\t}\n}\n'
GEMINI = '{"hooks":{"SessionStart":[]},"mcpServers":{"files":{"command":"npx"}}}'
AGENTS = "# How we work\n\nTests first."


def run(desk: Desk, **values: Any) -> Any:
    app = desk.app()
    try:
        return SETUP.run(app, SETUP.request_class(**values))
    finally:
        app.close()


def text(desk: Desk, **values: Any) -> str:
    return SETUP.view(run(desk, **values))


def write(folder: Path, name: str, content: str) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode())


def tree(*folders: Path) -> dict[str, bytes]:
    return {
        str(path): path.read_bytes()
        for folder in folders
        for path in folder.rglob("*")
        if path.is_file() and ".git" not in path.parts and ".gitmem" not in path.parts
    }


@pytest.fixture
def furnished(desk: Desk) -> Desk:
    """A repository and a home in which five hosts are configured already."""
    write(desk.place, ".claude/settings.local.json", CLAUDE)
    write(desk.place, "AGENTS.md", AGENTS)
    write(desk.place, ".cursor/mcp.json", CURSOR)
    write(desk.home, ".codex/config.toml", CODEX)
    write(desk.home, ".config/zed/settings.json", ZED)
    write(desk.home, ".gemini/settings.json", GEMINI)
    (desk.home / ".claude").mkdir()
    return desk


@pytest.mark.parametrize("scope", ["", "project", "user"])
def test_setup_and_removal_on_a_furnished_home_leave_no_trace(furnished: Desk, scope: str) -> None:
    before = tree(furnished.home, furnished.place)
    done = run(furnished, agents=NAMES, scope=scope, skills=True)
    assert done.changed > 10
    once = tree(furnished.home, furnished.place)
    assert text(furnished, agents=NAMES, scope=scope, skills=True).startswith("nothing to do")
    assert tree(furnished.home, furnished.place) == once
    run(furnished, remove=True)
    assert tree(furnished.home, furnished.place) == before
    assert not (furnished.place / ".gitmem" / "setup").exists()
    assert not (furnished.home / "gitmem" / "setup").exists()
    assert text(furnished, remove=True) == "nothing to do"


def test_own_skills_are_written_on_request_where_a_host_reads_them(furnished: Desk) -> None:
    before = tree(furnished.home, furnished.place)
    run(furnished, agents=("claude-code", "codex", "zed"))
    wired = tree(furnished.home, furnished.place)
    assert not any(item.endswith("SKILL.md") for item in wired)
    names = ("claude-code", "codex", "gemini", "zed")
    done = run(furnished, agents=names, skills=True)
    assert any("zed: no skills" in note for note in done.notes)
    skills = {item for item in tree(furnished.place) if item.endswith("SKILL.md")}
    folders = (furnished.place / ".claude/skills", furnished.place / ".agents/skills")
    assert skills == {str(folder / name / "SKILL.md") for folder in folders for name in SKILLS}
    for file in done.files:
        if file.path in skills:
            # They name no program of this machine, and two hosts share a folder.
            assert not file.personal and file.parts == ("skill",)
            assert len(file.agents) == (2 if ".agents" in file.path else 1)
    for path in skills:
        found = skill_format.parse_skill(Path(path).read_text(), "SKILL.md")
        assert found.slug == Path(path).parent.name and len(found.description) < 300
        for line in re.findall(r"`gitmem ([a-z-]+)(?: [^`]*)?`", Path(path).read_text()):
            assert any(name.split(" ")[0] == line for name in PLACES), line
    # Set up again without them, they stay; one host's removal leaves the other's.
    run(furnished, agents=names)
    assert {item for item in tree(furnished.place) if item.endswith("SKILL.md")} == skills
    run(furnished, agents=("codex",), remove=True)
    assert all(Path(skill).exists() for skill in skills)
    run(furnished, remove=True)
    assert tree(furnished.home, furnished.place) == before
    assert not folders[0].exists() and not folders[1].parent.exists()


def test_a_skill_of_that_name_that_is_not_ours_is_refused_and_one_edited_keeps_the_edit(
    furnished: Desk,
) -> None:
    own = furnished.place / ".claude/skills/gitmem-search/SKILL.md"
    write(furnished.place, ".claude/skills/gitmem-search/SKILL.md", "---\nname: mine\n---\nMine.\n")
    before = tree(furnished.home, furnished.place)
    with pytest.raises(GitmemError, match="did not write") as refused:
        run(furnished, agents=("claude-code",), skills=True)
    assert "`gitmem setup claude-code --skills --replace`" in refused.value.hint
    assert tree(furnished.home, furnished.place) == before
    own.unlink()
    run(furnished, agents=("claude-code",), skills=True)
    own.write_text(own.read_text() + "\nAsk Grace too.\n")
    run(furnished, remove=True)
    assert "Ask Grace too." in own.read_text() and ">>> gitmem" not in own.read_text()
    for more in ({"remove": True}, {"status": True}):
        with pytest.raises(InvalidInput, match="cannot be combined"):
            run(furnished, skills=True, **more)


def test_without_a_name_it_takes_what_is_installed(furnished: Desk) -> None:
    furnished.env["PATH"] = ""
    whose = {agent for file in run(furnished, dry_run=True).files for agent in file.agents}
    assert whose == {"claude-code", "codex", "gemini", "cursor", "zed"} - {"cursor"}


def test_where_nothing_is_installed_it_says_what_could_be_named(desk: Desk) -> None:
    desk.env["PATH"] = ""
    assert "No agent was found. Name one: claude-code" in text(desk)


def test_a_dry_run_shows_a_diff_without_secrets_and_writes_nothing(furnished: Desk) -> None:
    token = "ghp_" + "A1b2C3d4" * 5
    write(furnished.place, ".mcp.json", f'{{\n  "token": "{token}"\n}}')
    before = tree(furnished.home, furnished.place)
    output = text(furnished, agents=("claude-code",), dry_run=True)
    assert tree(furnished.home, furnished.place) == before
    assert "+++ " in output and '+  "mcpServers": {' in output and "say done" in output
    assert "\\ No newline at end of file" in output
    assert token not in output


def test_people_read_paths_from_the_project_or_the_home(desk: Desk) -> None:
    output = text(desk, agents=("kimi",))
    assert "written  .mcp.json" in output
    assert f"written  ~{os.sep}.kimi-code/config.toml" in output
    assert str(desk.place) not in text(desk, status=True)
    dry = text(desk, agents=("kimi",), remove=True, dry_run=True)
    assert "--- .mcp.json" in dry and "\nremove   .mcp.json" in dry
    assert {os.path.isabs(file.path) for file in run(desk, agents=("kimi",)).files} == {True}


def test_every_system_has_its_own_places(desk: Desk) -> None:
    app = desk.app()
    try:
        request = SETUP.request_class(agents=("claude-desktop",), dry_run=True)
        found = {
            setup_on_platform(app, request, item).files[0].path for item in ("linux", "darwin")
        }
    finally:
        app.close()
    config = desk.home / ".config"
    mac = desk.home / "Library" / "Application Support"
    name = os.path.join("Claude", "claude_desktop_config.json")
    assert found == {str(config / name), str(mac / name)}


def test_what_a_team_commits_names_no_path_and_moves_to_its_file(desk: Desk) -> None:
    run(desk, agents=("claude-code",))
    assert (desk.place / ".claude" / "settings.local.json").exists()
    run(desk, agents=("claude-code",), command="gitmem")
    assert not (desk.place / ".claude" / "settings.local.json").exists()
    output = (desk.place / ".claude" / "settings.json").read_text()
    assert '"gitmem hook claude-code session-start"' in output and sys.executable not in output
    run(desk, remove=True)
    assert not (desk.place / ".claude").exists() and not (desk.place / ".mcp.json").exists()


def test_a_host_that_starts_servers_anywhere_gets_one_entry_for_all_projects(
    desk: Desk, tmp_path: Path
) -> None:
    """A setup in the next repository must not take the entry from the first one."""
    other = RepoBuilder(tmp_path / "other" / "repo")
    other.commit("Begin", {"a.py": ""})
    second = desk.at(other.path)
    for item in (desk, second):
        item.run("init", no_hooks=True, no_index=True)
        item.run("remember", text="Known")
    place = Path(run(desk, agents=("windsurf",), scope="user").files[0].path)
    place = desk.home / ".codeium" / "windsurf" / "mcp_config.json"
    entry = json.loads(place.read_text())["mcpServers"]["gitmem"]
    assert entry["args"][-2:] == ["-C", str(desk.home / "gitmem")]
    assert run(second, agents=("windsurf",), scope="user").changed == 0
    assert run(desk.at(desk.home), agents=("windsurf",), scope="user").changed == 0
    # Removed in one of them, the other is served still.
    result = run(desk, agents=("windsurf",), remove=True)
    assert json.loads(place.read_text())["mcpServers"]["gitmem"] == entry
    assert result.notes[-1] == (
        "What Windsurf reads in your home folder stays, since it is used by "
        f"{second.place}. To take it out as well: gitmem setup windsurf --remove --scope user"
    )
    run(desk, remove=True)
    assert place.exists()
    shutil.rmtree(other.path)
    run(desk, agents=("windsurf",), remove=True)
    assert not place.exists()


def test_the_scope_of_the_user_takes_out_what_serves_all(desk: Desk, tmp_path: Path) -> None:
    other = RepoBuilder(tmp_path / "other" / "repo")
    other.commit("Begin", {"a.py": ""})
    for item in (desk, desk.at(other.path)):
        item.run("init", no_hooks=True, no_index=True)
        item.run("remember", text="Known")
    run(desk, agents=("claude-desktop",))
    run(desk, agents=("claude-desktop",), remove=True, scope="user")
    assert not list(desk.home.rglob("claude_desktop_config.json"))


def test_outside_a_repository_only_the_users_files_are_written(desk: Desk) -> None:
    outside = desk.at(desk.home)
    done = run(outside, agents=("codex",))
    assert {file.scope for file in done.files} == {"user"}
    with pytest.raises(NotARepository):
        run(outside, agents=("codex",), scope="project")
    run(outside, remove=True)
    assert not (desk.home / ".codex").exists()


def test_without_a_home_the_project_is_wired_and_the_user_is_not(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.getuid", lambda: 4_000_000)
    monkeypatch.delenv("HOME")
    desk.env = {"PATH": desk.env["PATH"]}
    done = run(desk, agents=("kimi",))
    assert [os.path.basename(file.path) for file in done.files] == [".mcp.json", "exclude"]
    assert any("there is no home folder" in note for note in done.notes)
    with pytest.raises(Unavailable, match="no home folder"):
        run(desk, agents=("kimi",), scope="user")


def test_a_home_that_may_not_be_written_is_reported_and_nothing_is_written(desk: Desk) -> None:
    if not shutil.which("setpriv") or os.geteuid() != 0:
        pytest.skip("only root can become another user, and only with setpriv")
    code = (
        "import sys; from gitmem.app import App; from gitmem.clock import SystemClock\n"
        "from gitmem.errors import GitmemError\n"
        "from gitmem.operations.start.setup import SETUP; from gitmem.settings import Settings\n"
        "app = App(Settings.of_process(), SystemClock(), '/')\n"
        "try: SETUP.run(app, SETUP.request_class(agents=('codex',), scope='user'))\n"
        "except GitmemError as error: print(error.code)\n"
    )
    words = ["setpriv", f"--reuid={STRANGER}", f"--regid={STRANGER}", "--clear-groups"]
    place = desk.home.parent
    for folder in (desk.home, place, *place.parents):
        if str(folder).startswith(("/tmp/", "/dev/shm/")) and folder.stat().st_uid == os.geteuid():
            folder.chmod(folder.stat().st_mode | 0o055)
    before = tree(desk.home)
    env = desk.env | {"PYTHONPATH": prefork.PLACES}
    done = subprocess.run(
        [*words, sys.executable, "-c", code], env=env, capture_output=True, text=True, check=False
    )
    if "Permission denied" in done.stderr or "ModuleNotFoundError" in done.stderr:
        pytest.skip("this machine's Python is not for other users")
    assert done.stdout.strip() == "read_only", done
    assert tree(desk.home) == before


def test_a_repository_that_ships_a_manifest_is_refused(desk: Desk, repo: RepoBuilder) -> None:
    run(desk, agents=("claude-code",))
    repo.git("add", "-f", ".gitmem/setup")
    for values in ({"remove": True}, {"agents": ("codex",)}, {"status": True}):
        with pytest.raises(ForeignFile, match=r"tracks files in \.gitmem"):
            run(desk, **values)


def test_status_tells_of_each_host(furnished: Desk) -> None:
    run(furnished, agents=("claude-code", "gemini"))
    output = {agent.agent: agent for agent in run(furnished, status=True).agents}
    assert set(output) == set(NAMES)
    assert output["claude-code"].state == "untrusted"
    assert output["gemini"].state == "untrusted"
    assert output["codex"].state == "none" and "gitmem setup codex" in output["codex"].reasons[0]
    assert "untrusted   claude-code" in text(furnished, status=True)


def test_status_tells_in_one_line_of_what_is_not_there(furnished: Desk) -> None:
    furnished.env["PATH"] = ""
    run(furnished, agents=("gemini",))
    output = text(furnished, status=True).splitlines()
    assert output[-1].startswith("none        claude-desktop, antigravity, cursor, copilot")
    assert output[-1].endswith(": not installed here")
    assert "            ! installed, not connected: gitmem setup codex" in output
    run(furnished, agents=("generic",))
    assert "configured  generic" in text(furnished, status=True).splitlines()


def test_removing_one_agent_leaves_the_others(furnished: Desk) -> None:
    run(furnished, agents=("claude-code", "gemini", "zed", "generic"))
    run(furnished, agents=("gemini", "zed"), remove=True)
    output = {agent.agent: agent.state for agent in run(furnished, status=True).agents}
    assert (output["gemini"], output["claude-code"], output["generic"]) == (
        "none",
        "untrusted",
        "configured",
    )


def test_a_plugin_is_written_below_the_place(desk: Desk) -> None:
    done = run(desk, plugin="claude-code", into="plugin")
    assert done.changed == 4
    assert (desk.place / "plugin" / ".claude-plugin" / "plugin.json").exists()
    assert text(desk, plugin="claude-code", into="plugin").startswith("nothing to do")


@pytest.mark.parametrize(
    "values",
    [
        {"agents": ("emacs",)},
        {"scope": "system"},
        {"remove": True, "status": True},
        {"plugin": "cursor"},
        {"into": "x"},
        {"plugin": "zed", "into": "x"},
    ],
)
def test_what_makes_no_sense_is_refused_with_a_hint(desk: Desk, values: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput) as refused:
        run(desk, **values)
    assert refused.value.hint


def test_one_broken_file_stops_all_and_is_named(furnished: Desk) -> None:
    write(furnished.place, ".gemini/settings.json", "{")
    before = tree(furnished.home, furnished.place)
    with pytest.raises(GitmemError) as refused:
        run(furnished, agents=NAMES)
    assert refused.value.code == "invalid" and ".gemini/settings.json" in refused.value.message
    assert tree(furnished.home, furnished.place) == before


def test_the_program_is_named_as_it_stands_on_the_path(tmp_path: Path) -> None:
    real, link = tmp_path / "venv-1.2" / "gitmem", tmp_path / "bin" / "gitmem"
    for path in (real, link):
        path.parent.mkdir()
    real.write_text("#!/bin/sh\n")
    real.chmod(0o755)
    link.symlink_to(real)
    assert running_gitmem_command(str(link.parent), str(real)) == (str(link),)
    assert running_gitmem_command("", str(real)) == (str(real),)
    assert running_gitmem_command("", "/x/gitmem/__main__.py") == (
        sys.executable,
        "-P",
        "-m",
        "gitmem",
    )


@pytest.mark.parametrize(
    ("agent", "question"),
    [
        ("claude-code", "approve gitmem"),
        ("codex", "asks by itself"),
        ("gemini", "whether you trust it: say yes"),
        ("copilot", "choose 2, to remember the folder"),
        ("kimi", 'choose "Trust this folder"'),
    ],
)
def test_setup_says_what_its_user_has_to_do_in_the_host(
    desk: Desk, agent: str, question: str
) -> None:
    """Until then nothing of it runs, and only the TUI asks."""
    assert any(question in note for note in run(desk, agents=(agent,)).notes)


def test_the_agents_to_restart_are_named_and_none_is_closed(desk: Desk) -> None:
    """CT-24."""
    assert run(desk, agents=("cursor",), dry_run=True).notes == ()
    for again in (False, True):
        (note, *_) = run(desk, agents=("cursor", "zed"), remove=again).notes[-1:]
        assert note.startswith("Restart Cursor, Zed: "), note
        assert ("doctor --live" in note) is not again
    assert not any("Restart" in note for note in run(desk, agents=("cursor",), remove=True).notes)
    with pytest.raises(InvalidInput) as refused:
        run(desk, agents=("claude-chat",))
    assert "browser" in refused.value.hint
