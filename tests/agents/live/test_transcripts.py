"""What hosts' transcripts show of gitmem, and what is no proof."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from gitmem.agents.hosts.host_paths import Bases
from gitmem.agents.hosts.table import BY_NAME, HOSTS
from gitmem.agents.live import transcripts
from gitmem.agents.live.transcripts import Seen
from gitmem.clock import DAY, iso
from gitmem.text.fence import frame

NOW = 1_795_248_222_000
HOUR = 3_600_000
TOLD = frame("Redis is on 6380", source="gitmem orient", delimiter="ab12cd34ef56")


class Home:
    """A home folder with transcripts of hosts."""

    def __init__(self, folder: Path) -> None:
        self.home, self.project = folder / "home", folder / "my project"
        self.project.mkdir()
        self.bases = Bases("linux", str(self.home), str(self.project), {})

    def write(self, name: str, *lines: dict[str, Any], age: int = HOUR) -> Path:
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
        os.utime(path, ((NOW - age) / 1000,) * 2)
        return path

    def claude(self, *lines: dict[str, Any], age: int = HOUR, name: str = "s") -> Path:
        folder = "".join(c if c.isalnum() else "-" for c in str(self.project))
        own = {"cwd": str(self.project), "timestamp": iso(NOW - age)}
        given = [own | line for line in lines]
        return self.write(f".claude/projects/{folder}/{name}.jsonl", *given, age=age)

    def look(self, host: str) -> Seen:
        return transcripts.look(self.bases, BY_NAME[host], NOW)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def hook(text: str) -> dict[str, Any]:
    """How Claude Code records what a hook told."""
    told = {"type": "hook_additional_context", "content": [text], "hookEvent": "SessionStart"}
    return {"type": "attachment", "attachment": told}


def test_what_a_hook_told_is_seen_with_the_time_of_its_line(home: Home) -> None:
    home.claude(hook(TOLD), {"type": "user"}, age=2 * HOUR)
    home.claude({"type": "user"}, name="later")
    assert home.look("claude-code") == Seen({"orient": NOW - 2 * HOUR}, 2)


def test_what_a_tool_answered_is_no_proof_of_a_hook(home: Home) -> None:
    answer = {"type": "tool_result", "content": TOLD}
    home.claude({"type": "user", "message": {"content": [answer]}})
    assert home.look("claude-code") == Seen({}, 1)


def test_a_tool_that_was_called_shows_that_the_server_is_there(home: Home) -> None:
    call = {"type": "tool_use", "name": "mcp__gitmem__recall", "input": {}}
    home.claude({"message": {"content": [call]}})
    assert home.look("claude-code").at == {"mcp": NOW - HOUR}


@pytest.mark.parametrize(
    "text",
    [
        "<<<gitmem:short source=gitmem orient",
        "<<<gitmem:ab12cd34ef56 source=elsewhere",
        'he said "mcp__gitmem__recall" to me',
        "gitmem orient",
    ],
)
def test_talk_about_gitmem_is_no_proof(home: Home, text: str) -> None:
    home.claude({"message": {"content": text}})
    assert home.look("claude-code") == Seen({}, 1)


def test_old_transcripts_and_those_of_other_projects_do_not_count(home: Home) -> None:
    home.claude(hook(TOLD), age=31 * DAY)
    home.write(".claude/projects/-elsewhere/s.jsonl", {"cwd": "/elsewhere", **hook(TOLD)})
    folder = "".join(c if c.isalnum() else "-" for c in str(home.project))
    other = {"cwd": f"{home.project}-2", **hook(TOLD)}
    home.write(f".claude/projects/{folder}-2/s.jsonl", other)
    assert home.look("claude-code") == Seen({}, 0)


def test_a_session_that_began_in_a_folder_of_the_project_counts(home: Home) -> None:
    folder = "".join(c if c.isalnum() else "-" for c in f"{home.project}/src")
    inside = {"cwd": f"{home.project}/src", **hook(TOLD)}
    home.write(f".claude/projects/{folder}/s.jsonl", inside)
    assert home.look("claude-code").files == 1


def test_codex_cursor_and_kimi_have_their_own_places(home: Home) -> None:
    place = {"cwd": str(home.project)}
    meta = {"type": "session_meta", "timestamp": iso(NOW - 3 * HOUR), "payload": place}
    said = {"timestamp": iso(NOW - 2 * HOUR), "payload": {"role": "developer", "text": TOLD}}
    home.write(".codex/sessions/2026/11/21/rollout-x.jsonl", meta, said)
    call = {"payload": {"invocation": {"server": "gitmem", "tool": "recall"}}}
    home.write(".codex/sessions/2026/11/20/rollout-y.jsonl", meta, call)
    assert home.look("codex").at == {"orient": NOW - 2 * HOUR, "mcp": NOW - HOUR}
    folder = "".join(c if c.isalnum() else "-" for c in str(home.project)).strip("-")
    home.write(f".cursor/projects/{folder}/agent-transcripts/a/b.jsonl", {"text": TOLD})
    assert home.look("cursor") == Seen({"orient": NOW - HOUR}, 1)
    home.write(".kimi-code/sessions/k/s/agents/main/wire.jsonl", place, {"text": TOLD})
    assert home.look("kimi") == Seen({"orient": NOW - HOUR}, 1)


def test_in_a_large_file_begin_and_end_are_read(home: Home) -> None:
    filler = {"text": "x" * (transcripts.HALF + 10)}
    path = home.claude(hook(TOLD), filler, {"name": "mcp__gitmem__recall"})
    assert set(home.look("claude-code").at) == {"orient", "mcp"}
    home.claude(filler, hook(TOLD), filler)
    assert path.stat().st_size > 2 * transcripts.HALF
    assert home.look("claude-code") == Seen({}, 1)


def test_links_pipes_and_garbage_are_left_alone(home: Home) -> None:
    folder = home.claude({"type": "user"}).parent
    os.mkfifo(folder / "pipe.jsonl")
    (folder / "link.jsonl").symlink_to(home.write("elsewhere.jsonl", hook(TOLD)))
    (folder / "garbage.jsonl").write_bytes(b"\xff\x00" * 1000)
    assert home.look("claude-code") == Seen({}, 1)


def test_a_time_that_is_none_gives_way_to_that_of_the_file(home: Home) -> None:
    home.claude({**hook(TOLD), "timestamp": "2026-99-99T99:99:99Z"})
    assert home.look("claude-code").at == {"orient": NOW - HOUR}


def test_without_transcripts_home_or_project_nothing_is_seen(home: Home) -> None:
    for host in (one for one in HOSTS if one.live.transcripts):
        assert home.look(host.name) == Seen({}, 0)
        assert transcripts.look(Bases("linux", "", "", {}), host, NOW) == Seen({}, 0)
        assert transcripts.look(Bases("linux", str(home.home), "", {}), host, NOW) == Seen({}, 0)
