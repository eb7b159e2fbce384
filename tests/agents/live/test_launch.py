"""Hooks and servers started as hosts do, good ones and bad ones."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

import pytest

from gitmem.agents.hosts.table import BY_NAME
from gitmem.agents.live import launch
from gitmem.agents.live.launch import LaunchResult, Sandbox
from gitmem.agents.wiring.installed_commands import InstalledCommand
from tests.support.children import runs
from tests.support.waiting import wait_until

PHRASE = "gitmem-canary-0123"
SAY = json.dumps(
    {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": PHRASE}}
)


class Bench:
    """A place, and a program there that does what a test says."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in ("canary", "data", "bin"):
            (folder / name).mkdir()
        self.place = Sandbox(str(folder / "canary"), str(folder / "data"), PHRASE)
        self.given = {"PATH": "/usr/bin:/bin", "HOME": str(folder)}

    def program(self, body: str, shell: str = "/bin/sh") -> Path:
        path = self.folder / "bin" / "gitmem"
        path.write_text(f"#!{shell}\n{body}\n")
        path.chmod(0o755)
        return path

    def hook(
        self,
        body: str,
        *,
        host: str = "claude-code",
        event: str = "session-start",
        seconds: float = 0,
    ) -> LaunchResult:
        line = f"{self.program(body)} hook {host} {event}"
        call = InstalledCommand(host, event, tuple(line.split()), line, (), "/x", "user", seconds)
        env = launch.host_environment(self.given, self.place, BY_NAME[host])
        return launch.run_hook(call, BY_NAME[host], self.place, env, "session-0001")

    def server(self, body: str) -> LaunchResult:
        words = (str(self.program(body, sys.executable)), "mcp")
        call = InstalledCommand("codex", "", words, "", (), "/x", "user")
        return launch.run_server(
            call, self.place, launch.host_environment(self.given, self.place, BY_NAME["codex"])
        )


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_a_hook_that_tells_the_canary_is_good(bench: Bench) -> None:
    answer = bench.hook(f"cat >/dev/null; printf '%s' '{SAY}'")
    assert (answer.trouble, answer.text, answer.size) == ("", PHRASE, len(SAY))
    assert bench.hook("exit 0", event="stop").trouble == ""


@pytest.mark.parametrize(
    ("body", "trouble"),
    [
        ("echo broken >&2; exit 3", "it exited with status 3: broken"),
        (f"printf '%s' '{SAY}'; echo warning >&2", "it wrote to standard error: warning"),
        ("exit 0", "it printed nothing"),
        ("echo hello", "does not contain the saved memory"),
        ("echo '{'", "not one JSON object"),
        (f"printf '%s' '{SAY}'; printf '%10000s' ' '", "characters, and the host accepts 10,000"),
        ("echo 'ValueError: why' >>$GITMEM_HOME/errors.log", "to its log: ValueError: why"),
    ],
)
def test_what_keeps_a_hook_from_the_model_is_reported(
    bench: Bench, body: str, trouble: str
) -> None:
    assert trouble in bench.hook(body).trouble


def test_a_hook_that_does_not_end_is_ended_with_what_it_started(bench: Bench) -> None:
    begin = time.monotonic()
    body = "sleep 60 & echo $! > pid; wait"
    assert "did not exit within 0.5 seconds" in bench.hook(body, seconds=0.5).trouble
    assert time.monotonic() - begin < 10
    child = int((bench.folder / "canary" / "pid").read_text())
    wait_until(lambda: not runs(child))


def test_it_gets_the_hosts_payload_and_a_clean_environment(bench: Bench) -> None:
    bench.given |= {"GIT_DIR": "/mine", "GITMEM_STORE_PATH": "/mine/store.db", "GITMEM_AGENT": "x"}
    bench.hook("cat > given; env > env; pwd > cwd")
    place = bench.folder / "canary"
    assert json.loads((place / "given").read_text())["hook_event_name"] == "SessionStart"
    output = (place / "env").read_text()
    assert "/mine" not in output and "GITMEM_AGENT" not in output
    assert f"GITMEM_HOME={bench.folder / 'data'}" in output
    assert f"CLAUDE_PROJECT_DIR={place}" in output and "CLAUDECODE=1" in output
    assert (place / "cwd").read_text().strip() == os.path.realpath(place)


def test_from_a_desktop_the_path_is_short_and_little_else_is_there() -> None:
    place = Sandbox("/p", "/d", PHRASE)
    given = {"PATH": "/home/me/bin", "HOME": "/home/me", "PYTHONPATH": "/x", "LANG": "C"}
    env = launch.host_environment(given, place, BY_NAME["cursor"], desktop_system="linux")
    assert env["PATH"] == "/usr/local/bin:/usr/bin:/bin" and "PYTHONPATH" not in env
    assert env["HOME"] == "/home/me" and env["GITMEM_HOME"] == "/d"
    mac = launch.host_environment(given, place, BY_NAME["cursor"], desktop_system="darwin")
    assert mac["PATH"] == "/usr/bin:/bin:/usr/sbin:/sbin"
    assert (
        launch.host_environment(given, place, BY_NAME["cursor"], desktop_system="win32")["PATH"]
        == "/home/me/bin"
    )


SERVER = """
import json, sys
for line in sys.stdin:
    told = json.loads(line)
    if told["method"] == "initialize":
        {before}
        result = {{"serverInfo": {{"name": "x"}}}}
    elif told["method"] == "tools/list":
        result = {{"tools": [{{"name": "recall"}}]}}
    else:
        continue
    print(json.dumps({{"jsonrpc": "2.0", "id": told["id"], "result": result}}), flush=True)
open("left", "w").close()
"""


def test_a_server_is_asked_for_its_tools_and_left_as_clients_do(bench: Bench) -> None:
    answer = bench.server(SERVER.format(before="pass"))
    assert (answer.trouble, answer.tools) == ("", 1)
    assert (bench.folder / "canary" / "left").exists()


@pytest.mark.parametrize(
    ("body", "trouble"),
    [
        ("import sys; sys.exit('no module named gitmem')", "no module named gitmem"),
        (SERVER.format(before="print('hello', flush=True)"), "lines that are not JSON"),
        ('print(\'{"id": 1, "error": {"code": 1}}\', flush=True); input()', "with an error"),
        (SERVER.format(before="pass").replace('[{"name": "recall"}]', "[]"), "offers no tools"),
    ],
)
def test_a_server_that_is_no_good_is_reported_why(bench: Bench, body: str, trouble: str) -> None:
    assert trouble in bench.server(body).trouble


def test_a_server_that_never_answers_is_ended(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launch, "SERVER_LIMIT", 0.5)
    begin = time.monotonic()
    assert "did not answer within" in bench.server("import time; time.sleep(60)").trouble
    assert time.monotonic() - begin < 10


def test_what_is_no_program_is_reported(bench: Bench) -> None:
    call = InstalledCommand("codex", "", ("/nowhere/gitmem", "mcp"), "", (), "/x", "user")
    env = launch.host_environment(bench.given, bench.place, BY_NAME["codex"])
    assert "cannot be started: No such file" in launch.run_server(call, bench.place, env).trouble
