"""What hosts' transcripts show of gitmem, and what is no proof."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from gitmem.agents.hosts.host_paths import PathTemplateFolders
from gitmem.agents.hosts.table import BY_NAME, HOSTS
from gitmem.agents.live import transcripts
from gitmem.agents.live.transcripts import OutputInTranscripts
from gitmem.clock import DAY, format_iso
from gitmem.text.fence import fence_text
from tests.support.tables import table

NOW = 1_795_248_222_000
HOUR = 3_600_000
ANSWERS = fence_text("Redis is on 6380", source="gitmem orient", delimiter="ab12cd34ef56")


class Home:
    """A home folder with transcripts of hosts."""

    def __init__(self, folder: Path) -> None:
        self.home, self.project = folder / "home", folder / "my project"
        self.project.mkdir()
        self.bases = PathTemplateFolders("linux", str(self.home), str(self.project), {})

    @property
    def dashes(self) -> str:
        """The project's folder as some hosts name theirs."""
        return "".join(c if c.isalnum() else "-" for c in str(self.project))

    def write(self, name: str, *lines: dict[str, Any], age: int = HOUR) -> Path:
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
        os.utime(path, ((NOW - age) / 1000,) * 2)
        return path

    def claude(self, *lines: dict[str, Any], age: int = HOUR, name: str = "s") -> Path:
        own = {"cwd": str(self.project), "timestamp": format_iso(NOW - age)}
        given = [own | line for line in lines]
        return self.write(f".claude/projects/{self.dashes}/{name}.jsonl", *given, age=age)

    def look(self, host: str) -> OutputInTranscripts:
        return transcripts.find_output_in_transcripts(self.bases, BY_NAME[host], NOW)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def hook(text: str) -> dict[str, Any]:
    """How Claude Code records what a hook told."""
    output = {"type": "hook_additional_context", "content": [text], "hookEvent": "SessionStart"}
    return {"type": "attachment", "attachment": output}


def test_what_a_hook_reported_is_seen_with_the_time_of_its_line(home: Home) -> None:
    home.claude(hook(ANSWERS), {"type": "user"}, age=2 * HOUR)
    home.claude({"type": "user"}, name="later")
    assert home.look("claude-code") == OutputInTranscripts({"orient": NOW - 2 * HOUR}, 2)


def test_what_a_tool_answered_is_no_proof_of_a_hook(home: Home) -> None:
    answer = {"type": "tool_result", "content": ANSWERS}
    home.claude({"type": "user", "message": {"content": [answer]}})
    assert home.look("claude-code") == OutputInTranscripts({}, 1)


def called(name: str = "mcp__gitmem__recall", **ended: Any) -> list[dict[str, Any]]:
    """How Claude Code records a call of a tool and its answer."""
    call = {"type": "tool_use", "id": "t1", "name": name, "input": {}}
    answer = {"type": "tool_result", "tool_use_id": "t1", "content": "added 01M", **ended}
    return [{"message": {"content": [item]}} for item in (call, answer)]


def test_an_answer_shows_that_the_server_is_there_and_a_call_does_not(home: Home) -> None:
    call, answer = called()
    home.claude(call)
    assert home.look("claude-code") == OutputInTranscripts({}, 1)
    home.claude(call, answer)
    assert home.look("claude-code").at == {"mcp": NOW - HOUR}
    for lines in (called(is_error=True), called("Bash"), [answer], [answer, call]):
        home.claude(*lines)
        assert home.look("claude-code") == OutputInTranscripts({}, 1)


def test_an_answer_is_found_behind_many_other_calls(home: Home) -> None:
    call, answer = called()
    other = json.loads(json.dumps(called("mcp__gitmem__search")[0]).replace("t1", "t9"))
    home.claude(call, *[other] * 20, {"type": "user"}, answer)
    assert home.look("claude-code").at == {"mcp": NOW - HOUR}


# What real hosts wrote, cut short: each asked gitmem a question, once with its server and once
# without. The project is told at the start, or in a file of the folder.
PLACES = {
    "claude-code": ".claude/projects/{dashes}/s.jsonl",
    "codex": ".codex/sessions/2026/11/23/rollout-x.jsonl",
    "copilot": ".copilot/session-state/e4/events.jsonl",
    "gemini": ".gemini/tmp/repo/chats/session-x.jsonl",
    "kimi": ".kimi-code/sessions/w/s/agents/main/wire.jsonl",
}
# Whose hooks were approved in the run without a server.
ORIENTED = {"claude-code", "gemini", "kimi"}


@pytest.mark.parametrize("host", sorted(PLACES))
@pytest.mark.parametrize("ended", ["answered", "refused"])
def test_what_a_real_host_wrote_tells_answers_from_calls(home: Home, host: str, ended: str) -> None:
    written = (Path(__file__).parent / "transcripts" / f"{host}-{ended}.jsonl").read_text("utf-8")
    lines = written.replace("{project}", str(home.project)).splitlines()
    path = home.write(PLACES[host].format(dashes=home.dashes), *map(json.loads, lines))
    if host == "gemini":
        (path.parents[1] / ".project_root").write_text(str(home.project))
    observed = home.look(host)
    assert observed.files == 1
    assert ("mcp" in observed.at) == (ended == "answered")
    assert ("orient" in observed.at) == (ended == "answered" or host in ORIENTED)
    # At the time of its line, not at that of the file.
    assert all(1_795_470_000_000 < when < 1_795_472_000_000 for when in observed.at.values())


def test_a_file_beside_transcripts_names_their_project(home: Home) -> None:
    answer = (Path(__file__).parent / "transcripts" / "gemini-answered.jsonl").read_text("utf-8")
    path = home.write(PLACES["gemini"], *map(json.loads, answer.splitlines()))
    assert home.look("gemini") == OutputInTranscripts({}, 0)
    beside = path.parents[1] / ".project_root"
    beside.write_text(f"{home.project}-2")
    assert home.look("gemini") == OutputInTranscripts({}, 0)
    beside.unlink()
    os.mkfifo(beside)
    assert home.look("gemini") == OutputInTranscripts({}, 0)


@table("row", [
    7, [], {}, {"message": None}, {"message": {"content": [1]}}, {"payload": "gitmem"},
    {"data": []}, {"toolCalls": {"id": 1}}, {"event": {"type": 3}},
])  # fmt: skip
def test_a_line_that_is_written_otherwise_is_left_alone(home: Home, row: Any) -> None:
    for host, place in PLACES.items():
        home.write(place.format(dashes=home.dashes), {"cwd": str(home.project), "x": "gitmem"}, row)
        assert home.look(host) == OutputInTranscripts({}, 1)


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
    assert home.look("claude-code") == OutputInTranscripts({}, 1)


def test_old_transcripts_and_those_of_other_projects_do_not_count(home: Home) -> None:
    home.claude(hook(ANSWERS), age=31 * DAY)
    home.write(".claude/projects/-elsewhere/s.jsonl", {"cwd": "/elsewhere", **hook(ANSWERS)})
    folder = "".join(c if c.isalnum() else "-" for c in str(home.project))
    other = {"cwd": f"{home.project}-2", **hook(ANSWERS)}
    home.write(f".claude/projects/{folder}-2/s.jsonl", other)
    assert home.look("claude-code") == OutputInTranscripts({}, 0)


def test_a_session_that_began_in_a_folder_of_the_project_counts(home: Home) -> None:
    folder = "".join(c if c.isalnum() else "-" for c in f"{home.project}/src")
    inside = {"cwd": f"{home.project}/src", **hook(ANSWERS)}
    home.write(f".claude/projects/{folder}/s.jsonl", inside)
    assert home.look("claude-code").files == 1


def test_codex_cursor_and_kimi_have_their_own_places(home: Home) -> None:
    place = {"cwd": str(home.project)}
    meta = {"type": "session_meta", "timestamp": format_iso(NOW - 3 * HOUR), "payload": place}
    message = {
        "timestamp": format_iso(NOW - 2 * HOUR),
        "payload": {"role": "developer", "text": ANSWERS},
    }
    home.write(".codex/sessions/2026/11/21/rollout-x.jsonl", meta, message)
    made = {"server": "gitmem", "tool": "recall"}
    ended = {"type": "mcp_tool_call_end", "call_id": "c1", "invocation": made}
    call = {"payload": ended | {"result": {"Ok": {"content": []}}}}
    home.write(".codex/sessions/2026/11/20/rollout-y.jsonl", meta, call)
    assert home.look("codex").at == {"orient": NOW - 2 * HOUR, "mcp": NOW - HOUR}
    folder = "".join(c if c.isalnum() else "-" for c in str(home.project)).strip("-")
    home.write(f".cursor/projects/{folder}/agent-transcripts/a/b.jsonl", {"text": ANSWERS})
    assert home.look("cursor") == OutputInTranscripts({"orient": NOW - HOUR}, 1)
    home.write(".kimi-code/sessions/k/s/agents/main/wire.jsonl", place, {"text": ANSWERS})
    assert home.look("kimi") == OutputInTranscripts({"orient": NOW - HOUR}, 1)


def test_in_a_large_file_begin_and_end_are_read(home: Home) -> None:
    filler = {"text": "x" * (transcripts.HALF + 10)}
    path = home.claude(hook(ANSWERS), filler, *called())
    assert set(home.look("claude-code").at) == {"orient", "mcp"}
    home.claude(filler, hook(ANSWERS), filler)
    assert path.stat().st_size > 2 * transcripts.HALF
    assert home.look("claude-code") == OutputInTranscripts({}, 1)


def test_links_pipes_and_garbage_are_left_alone(home: Home) -> None:
    folder = home.claude({"type": "user"}).parent
    os.mkfifo(folder / "pipe.jsonl")
    (folder / "link.jsonl").symlink_to(home.write("elsewhere.jsonl", hook(ANSWERS)))
    (folder / "garbage.jsonl").write_bytes(b"\xff\x00" * 1000)
    assert home.look("claude-code") == OutputInTranscripts({}, 1)


def test_a_time_that_is_none_gives_way_to_that_of_the_file(home: Home) -> None:
    home.claude({**hook(ANSWERS), "timestamp": "2026-99-99T99:99:99Z"})
    assert home.look("claude-code").at == {"orient": NOW - HOUR}


def test_without_transcripts_home_or_project_nothing_is_seen(home: Home) -> None:
    for host in (item for item in HOSTS if item.live.transcripts):
        assert home.look(host.name) == OutputInTranscripts({}, 0)
        assert transcripts.find_output_in_transcripts(
            PathTemplateFolders("linux", "", "", {}), host, NOW
        ) == OutputInTranscripts({}, 0)
        assert transcripts.find_output_in_transcripts(
            PathTemplateFolders("linux", str(home.home), "", {}), host, NOW
        ) == OutputInTranscripts({}, 0)
