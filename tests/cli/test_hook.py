"""``gitmem hook`` as hosts start it: real processes, recorded payloads, and everything that goes
wrong around them. The status is 0, standard error empty, standard output the host's own."""

from __future__ import annotations

import array
import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO

import apsw
import pytest

from gitmem.agents.events import event_log, hook_event, responses, session_state
from gitmem.spool import lease
from tests.agents.events.payloads import ALL, CLAUDE, KIMI, OPENCODE, UUID, WINDSURF, Recorded
from tests.agents.events.test_responses import text_of
from tests.support import children
from tests.support.apps import Desk, small_repo
from tests.support.cli import command, environment, run
from tests.support.secrets import SECRET, leaked
from tests.support.waiting import wait_until

FACT = "Redis listens on port 6380 in the tests"
START = CLAUDE[0]
DEADLINE = 2.0
TRIES = 8  # the first does on a quiet machine


class Host:
    """A host that starts hooks: its environment, and a repository where gitmem is set up."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.tree = str(desk.place)
        self.env = environment(desk.home, GITMEM_BACKUP_INTERVAL_HOURS="0", GITMEM_COPY_MODE="off")
        self.log = desk.home / "gitmem" / "errors.log"

    def data(self, recorded: Recorded, session: str = UUID, **changes: object) -> bytes:
        """The payload, in a session of its own."""
        output = recorded.data(self.tree, str(self.desk.home), **changes)
        return output.replace(UUID.encode(), session.encode())

    def fire(
        self, agent: str, event: str, data: bytes, *, cwd: str = "/", **more: str
    ) -> subprocess.CompletedProcess[bytes]:
        """Start a hook the way a host does; what every hook has to keep to is checked."""
        done = run(("hook", agent, event), cwd, self.env | more, data)
        assert (done.returncode, done.stderr) == (0, b""), done
        assert len(done.stdout) <= responses.max_output_size(agent)
        return done

    def tell(self, recorded: Recorded, session: str = UUID, **changes: object) -> str:
        """The text that a recorded payload brings to the model."""
        data = self.data(recorded, session, **changes)
        output = self.fire(recorded.agent, recorded.event, data).stdout
        if output == responses.empty_answer(recorded.agent, recorded.event):
            return ""
        return text_of(hook_event.parse_hook_payload(recorded.agent, recorded.event, data), output)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    """A repository with a memory; each test takes sessions of its own.

    No hook starts a drain, which is more work than the hook: one is at work, by its lease.
    """
    repo = small_repo(tmp_path_factory.mktemp("hosts"))
    desk = Desk(repo.path, repo.home)
    desk.run("init")
    desk.run("remember", text=FACT)
    notes = desk.store.parent / event_log.FOLDER
    notes.mkdir(mode=0o700)
    held = lease.try_take_spool_lease(str(notes), os.getpid())
    assert held
    yield Host(desk)
    held.release()


@pytest.fixture
def host(desk: Desk) -> Host:
    """A repository of the test's own."""
    desk.run("remember", text=FACT)
    return Host(desk)


def find(agent: str, event: str) -> Recorded:
    return next(item for item in ALL if (item.agent, item.event) == (agent, event))


ORIENTS = {
    *((agent, "session-start") for agent in ("claude-code", "codex", "gemini", "cursor")),
    ("opencode", "session-start"),
    ("antigravity", "pre-invocation"),
    ("kimi", "prompt"),
}


def orients(recorded: Recorded) -> bool:
    """Whether it brings the orientation: of Copilot's two ways of speaking each has its own."""
    if recorded.agent != "copilot":
        return (recorded.agent, recorded.event) in ORIENTS
    named = {"hook_event_name", "hookEventName"} & set(recorded.payload)
    return recorded.event == ("session-start" if named else "prompt")


def test_what_went_wrong_is_logged_without_the_secrets_in_it(host: Host) -> None:
    host.fire(SECRET, "prompt", b"{}")
    host.fire("codex", SECRET, b"garbage " + SECRET.encode())
    assert "gitmem has no hook" in host.log.read_text()
    assert not leaked(host.log.read_bytes())


@pytest.mark.parametrize("number", range(len(ALL)), ids=[item.id for item in ALL])
def test_a_recorded_payload_is_answered_in_the_hosts_dialect(shared: Host, number: int) -> None:
    """CF-22, CT-22: each event of each host, fired by a real process."""
    recorded = ALL[number]
    text = shared.tell(recorded, f"session-of-{number:04d}")
    if orients(recorded):
        assert FACT in text
        assert text.startswith("<<<gitmem:")
        assert text.splitlines()[-1].endswith(">>>")
    else:
        assert text == ""


@pytest.mark.parametrize("name", ["wide", "narrow"])
def test_a_windows_code_page_loses_nothing(host: Host, name: str) -> None:
    host.desk.run("remember", text="Grüße an 日本 🎉")
    encoding = {"wide": "utf-8", "narrow": "cp1252"}[name]
    for attempt in range(TRIES):  # started from nothing, and a busy machine meets the deadline
        data = host.data(START, f"page-{name}-{attempt}")
        done = host.fire(START.agent, START.event, data, PYTHONIOENCODING=encoding, LC_ALL="C")
        if done.stdout:
            break
    assert "Grüße an 日本 🎉" in text_of(
        hook_event.parse_hook_payload(START.agent, START.event, data), done.stdout
    )
    assert done.stdout.isascii()


# --- once ----------------------------------------------------------------------------------------


def test_two_hosts_that_read_one_file_get_one_orientation(host: Host) -> None:
    """CF-22: Copilot reads Claude's hooks too; both are started at once with one session."""
    copilot = find("copilot", "session-start")
    times = []
    while times.count(1) < 3 and len(times) < TRIES:  # all four may meet the deadline
        session = f"shared-session-{len(times)}"
        with ThreadPoolExecutor(4) as pool:
            both = [START, copilot, START, copilot]
            output = list(pool.map(lambda item: host.tell(item, session), both))  # noqa: B023
        times.append(sum(map(bool, output)))
    assert max(times) == 1 and times.count(1) == 3, times


def test_another_session_is_informed_again(host: Host) -> None:
    assert FACT in host.tell(START, "first-session")
    assert FACT in host.tell(START, "second-session")


def test_a_session_that_is_resumed_still_has_what_it_was_shown(host: Host) -> None:
    assert FACT in host.tell(START)
    assert host.tell(START, source="resume") == ""


@pytest.mark.parametrize("source", ["compact", "clear"])
def test_where_the_context_may_be_gone_it_is_reported_again(host: Host, source: str) -> None:
    """ML-28, CF-22: again after a compaction, but not twice for the same one."""
    first = host.tell(START)
    assert host.tell(START) == ""
    again = host.tell(START, source=source)
    assert FACT in first
    assert FACT in again
    assert host.tell(START, source=source) == ""


def test_kimi_is_informed_with_the_first_prompt_only(host: Host) -> None:
    prompt = KIMI[0]
    assert FACT in host.tell(prompt)
    assert FACT not in host.tell(prompt)


@pytest.mark.parametrize("agent", ["kimi", "gemini"])
def test_a_host_without_a_start_after_compaction_is_informed_at_its_next_prompt(
    host: Host, agent: str
) -> None:
    """ML-28."""
    for event in ("session-start", "prompt"):
        if (agent, event) in ORIENTS:
            assert FACT in host.tell(find(agent, event))
    assert FACT not in host.tell(find(agent, "prompt"))
    assert host.tell(find(agent, "pre-compact")) == ""
    assert FACT in host.tell(find(agent, "prompt"))
    assert FACT not in host.tell(find(agent, "prompt"))


def test_antigravity_calls_at_every_turn_and_is_informed_once(host: Host) -> None:
    called = find("antigravity", "pre-invocation")
    messages = [host.tell(called, invocationNum=number) for number in range(4)]
    assert FACT in messages[0]
    assert messages[1:] == ["", "", ""]


def test_without_an_id_it_is_reported_once_in_a_while(host: Host) -> None:
    called = find("antigravity", "pre-invocation")
    assert FACT in host.tell(called, conversationId="")
    assert host.tell(called, conversationId="") == ""


# --- time ----------------------------------------------------------------------------------------


def seconds(host: Host, *, data: bytes | None) -> tuple[float, bytes]:
    """How long a hook takes whose standard input is never closed, and what it says."""
    begin = time.monotonic()
    child = subprocess.Popen(
        command("hook", "gemini", "session-start"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd="/",
        env=host.env,
    )
    assert child.stdin and child.stdout and child.stderr
    try:
        if data is not None:
            child.stdin.write(data)
            child.stdin.flush()
        assert child.wait(30) == 0
        took = time.monotonic() - begin
        assert child.stderr.read() == b""
        return took, child.stdout.read()
    finally:
        child.kill()
        for stream in (child.stdin, child.stdout, child.stderr):
            stream.close()
        child.wait()


@pytest.mark.parametrize("data", [None, b'{"session_id": "cut off', b"{}{"], ids=range(3))
def test_input_that_never_ends_ends_the_hook_in_time(host: Host, data: bytes | None) -> None:
    """CT-22: two seconds from the start of the process; of several tries, for busy machines."""
    for _ in range(TRIES):
        took, output = seconds(host, data=data)
        assert output == b"{}"
        if took < DEADLINE:
            break
    assert took < DEADLINE
    assert "gitmem hook gemini session-start: it had not finished" in host.log.read_text()


def test_an_object_that_is_whole_is_answered_although_the_pipe_stays_open(host: Host) -> None:
    _, output = seconds(host, data=host.data(find("gemini", "session-start")))
    assert FACT in text_of(hook_event.HookEvent("gemini", "session-start"), output)


@children.needs_fork
@pytest.mark.parametrize("journal", ["wal", "delete"])
def test_a_locked_store_holds_nobody_up(host: Host, journal: str) -> None:
    """CT-22: readers get through beside the first kind of lock, of the second nobody does."""
    data = host.data(find("gemini", "session-start"))
    connection = apsw.Connection(str(host.desk.store))
    assert connection.pragma("journal_mode", journal) == journal
    connection.close()
    with children.holding(str(host.desk.store), "BEGIN EXCLUSIVE"):
        for attempt in range(TRIES):
            begin = time.monotonic()
            name = f"{UUID}{attempt}".encode()
            done = host.fire("gemini", "session-start", data.replace(UUID.encode(), name))
            if time.monotonic() - begin < DEADLINE:
                break
        assert time.monotonic() - begin < DEADLINE
    if journal == "delete":
        assert done.stdout == b"{}"
        assert "gitmem hook gemini session-start: " in host.log.read_text()
    else:
        assert FACT in text_of(hook_event.HookEvent("gemini", "session-start"), done.stdout)


# --- bad input -----------------------------------------------------------------------------------

BAD = {
    "nothing": b"",
    "no JSON": b"hello",
    "half": b'{"session_id": "x",',
    "binary": bytes(range(256)) * 40,
    "a list": b"[1, 2]",
    "null": b"null",
    "too deep": b"[" * 200_000,
    "too much": b'{"prompt": "' + b"x" * (11 << 20) + b'"}',
    "wrong types": b'{"session_id": 7, "cwd": ["/"], "source": {}, "tool_input": "x"}',
    "a NUL in a path": b'{"session_id": "12345678", "cwd": "/\\u0000/etc"}',
}


@pytest.mark.parametrize("agent", ["claude-code", "gemini"])
@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_met_with_silence(shared: Host, name: str, agent: str) -> None:
    """CF-22, and the issue's list of bad input."""
    done = shared.fire(agent, "session-start", BAD[name])
    assert done.stdout == responses.empty_answer(agent, "session-start")
    if name in ("wrong types", "a NUL in a path"):
        return  # objects: what can be read of them is
    assert f"gitmem hook {agent} session-start: " in shared.log.read_text()


@pytest.mark.parametrize(
    "words", [("claude-code", "lunch"), ("nobody", "prompt"), ("claude-code",), ("a", "b", "c")]
)
def test_unknown_names_are_met_with_silence(shared: Host, words: tuple[str, ...]) -> None:
    done = subprocess.run(
        command("hook", *words), input=b"{}", capture_output=True, env=shared.env, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert "gitmem hook (unknown): " in shared.log.read_text()


def test_a_person_who_asks_is_informed(shared: Host) -> None:
    done = subprocess.run(
        command("hook", "--help"), capture_output=True, text=True, env=shared.env, check=True
    )
    assert "AGENT EVENT" in done.stdout
    assert "gitmem hook claude-code session-start" in done.stdout


def test_a_host_that_does_not_read_the_answer_is_no_error(host: Host) -> None:
    out, into = os.pipe()
    child = subprocess.Popen(
        command("hook", "gemini", "session-start"),
        stdin=subprocess.PIPE,
        stdout=into,
        stderr=subprocess.PIPE,
        env=host.env,
    )
    os.close(into)
    os.close(out)
    _, output = child.communicate(host.data(find("gemini", "session-start")), timeout=30)
    assert (child.returncode, output) == (0, b"")


@pytest.mark.skipif(sys.platform == "win32", reason="a shell closes the streams")
@pytest.mark.parametrize("closing", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_streams_that_are_closed_are_no_error(host: Host, closing: str) -> None:
    script = f'exec "$@" {closing}'
    done = subprocess.run(
        ["/bin/sh", "-c", script, "sh", *command("hook", "gemini", "session-start")],
        input=host.data(find("gemini", "session-start")),
        capture_output=True,
        env=host.env,
        timeout=30,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")


# --- places --------------------------------------------------------------------------------------


def test_the_hosts_folder_counts_before_the_process_s_own(host: Host, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    data = host.data(START, "folder-one")
    assert FACT in host.fire(START.agent, START.event, data, cwd=str(elsewhere)).stdout.decode()
    gone = host.data(START, "folder-two", cwd=str(tmp_path / "gone"))
    assert FACT in host.fire(START.agent, START.event, gone, cwd=host.tree).stdout.decode()
    lost = host.data(START, "folder-three", cwd="relative/../..")
    assert host.fire(START.agent, START.event, lost, cwd=str(elsewhere)).stdout == b""


def test_a_folder_on_the_command_line_counts_before_the_hosts(host: Host, tmp_path: Path) -> None:
    for attempt in range(TRIES):  # started from nothing, and a busy machine meets the deadline
        done = subprocess.run(
            command("-C", host.tree, "hook", START.agent, START.event),
            input=host.data(START, f"folder-{attempt}", cwd=str(tmp_path)),
            capture_output=True,
            env=host.env,
            cwd="/",
            check=True,
        )
        if done.stdout:
            break
    assert FACT in done.stdout.decode()


@pytest.mark.parametrize("where", ["outside", "not set up"])
def test_where_there_are_no_memories_nothing_is_reported_and_nothing_logged(
    host: Host, tmp_path: Path, where: str
) -> None:
    """A user's hooks are called in every folder that the user works in."""
    place = tmp_path / "other"
    place.mkdir()
    if where == "not set up":
        subprocess.run(["git", "init", "-q", str(place)], env=host.env, check=True)
    for recorded in (START, find("gemini", "prompt"), find("kimi", "pre-compact")):
        data = host.data(recorded, cwd=str(place))
        done = host.fire(recorded.agent, recorded.event, data, cwd=str(place))
        assert done.stdout == responses.empty_answer(recorded.agent, recorded.event)
    assert not host.log.exists()
    assert set(os.listdir(place)) <= {".git"}


def test_hooks_that_are_turned_off_say_nothing(host: Host) -> None:
    data = host.data(START)
    assert host.fire(START.agent, START.event, data, GITMEM_HOOKS_ENABLED="0").stdout == b""
    assert FACT in host.tell(START)


@pytest.fixture
def no_home(host: Host) -> Iterator[dict[str, str]]:
    names = ("HOME", "USERPROFILE", "GITMEM_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME")
    yield {name: value for name, value in host.env.items() if name not in names}


@pytest.mark.parametrize("data", ["good", "bad"])
def test_without_a_home_it_works_all_the_same(
    host: Host, no_home: dict[str, str], data: str, tmp_path: Path
) -> None:
    # Where no variable tells it, the system does; that one is the tester's, and left alone.
    app = host.desk.app()
    key = app.store.key.hex()
    app.close()
    host.env = no_home | {"GITMEM_HOME": "/dev/null/nowhere", "GITMEM_STORE_KEY": key}
    answer = host.data(START) if data == "good" else b"?"
    output = host.fire(START.agent, START.event, answer).stdout
    assert (FACT in output.decode()) == (data == "good")


def test_a_damaged_store_is_met_with_silence_and_logged(host: Host) -> None:
    host.desk.store.write_bytes(b"SQLite format 3\0" + b"\xff" * 5_000)
    assert host.fire(START.agent, START.event, host.data(START)).stdout == b""
    assert "gitmem hook claude-code session-start: " in host.log.read_text()


def test_a_store_that_git_tracks_is_not_read(host: Host) -> None:
    (host.desk.place / ".gitmem" / ".gitignore").unlink()
    run = ["git", "-C", host.tree]
    subprocess.run([*run, "add", "-f", ".gitmem/memory.db"], env=host.env, check=True)
    assert host.fire(START.agent, START.event, host.data(START)).stdout == b""


@pytest.mark.parametrize("number", range(len(CLAUDE)))
def test_a_store_that_came_with_a_clone_leads_nowhere(
    host: Host, tmp_path: Path, number: int
) -> None:
    """Links in it may name any folder of the user's: not a note is written, and nothing is said."""
    victim = tmp_path / "victim"
    victim.mkdir()
    gitmem = host.desk.place / ".gitmem"
    (gitmem / ".gitignore").unlink()
    for name in ("sessions", session_state.FOLDER, "spool"):
        shutil.rmtree(gitmem / name, ignore_errors=True)
        (gitmem / name).symlink_to(victim)
    if number % 2:  # git may have been told to forget them since
        run = ["git", "-C", host.tree]
        subprocess.run([*run, "add", "-f", ".gitmem"], env=host.env, check=True)
    result = CLAUDE[number]
    assert host.fire(result.agent, result.event, host.data(result)).stdout == b""
    assert list(victim.iterdir()) == []


@children.needs_fork
def test_a_store_that_cannot_be_written_is_still_reported(tmp_path: Path) -> None:
    with children.open_folder() as folder:
        repo = small_repo(folder)
        desk = Desk(repo.path, repo.home)
        desk.run("init")
        desk.run("remember", text=FACT)
        host = Host(desk)
        gitmem = desk.place / ".gitmem"
        for path in gitmem.rglob("*"):
            path.chmod(0o555 if path.is_dir() else 0o444)
        gitmem.chmod(0o555)
        prefix = []
        if os.geteuid() == 0:
            if not shutil.which("setpriv"):
                pytest.skip("root may write everything")
            children.give_away(folder)
            nobody = str(children.NOBODY)
            prefix = ["setpriv", f"--reuid={nobody}", f"--regid={nobody}", "--clear-groups"]
        done = subprocess.run(
            [*prefix, *command("hook", "claude-code", "session-start")],
            input=host.data(START),
            capture_output=True,
            env=host.env | {"PYTHONDONTWRITEBYTECODE": "1"},
            cwd="/",
            check=False,
        )
        gitmem.chmod(0o755)
        if prefix and b"No module named" in done.stderr + done.stdout:
            pytest.skip("another user cannot read this checkout")
        assert (done.returncode, done.stderr) == (0, b"")
        assert FACT in done.stdout.decode()


# --- nothing of the payload is kept ---------------------------------------------------------------


def test_what_a_payload_says_is_kept_nowhere(host: Host) -> None:
    """A prompt's text and a file's content are neither stored nor run."""
    word = "xyzzy" + "plugh"
    touched = Path(host.tree) / "touched"
    message = f"{word} $(touch {touched}) `touch {touched}`; touch {touched}"
    host.tell(START, initialPrompt=message)
    host.tell(find("claude-code", "prompt"), prompt=message)
    host.tell(find("kimi", "prompt"), prompt=message)
    assert not touched.exists()
    for path in (host.desk.place / ".gitmem").rglob("*"):
        if path.is_file():
            assert word.encode() not in path.read_bytes(), path
    assert not host.log.exists()


def waiting_in(pipe: IO[bytes]) -> int:
    """Bytes in a pipe that nobody has read yet."""
    count = array.array("i", [0])
    fcntl.ioctl(pipe, termios.FIONREAD, count)
    return count[0]


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="looks into /proc")
def test_an_interrupt_is_no_traceback(host: Host) -> None:
    child = subprocess.Popen(
        command("hook", "gemini", "session-start"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=host.env,
    )
    # Its second thread is the watch; once the pipe is empty it waits for the rest of its input.
    wait_until(lambda: "Threads:\t2" in Path(f"/proc/{child.pid}/status").read_text())
    assert child.stdin
    child.stdin.write(b"{")
    child.stdin.flush()
    wait_until(lambda: waiting_in(child.stdin) == 0)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=30)
    assert (child.returncode, err) == (0, b"")
    assert json.loads(out) == {}


def test_what_a_library_prints_does_not_reach_the_host(host: Host, tmp_path: Path) -> None:
    """ML-41: standard output is protected from stray prints, and standard error is empty."""
    stray = "import os, sys\ndef heard(event, args):\n" + (
        "    if event == 'import' and args[0] == 'apsw':\n"
        "        print('stray'); sys.stderr.write('stray'); os.write(1, b'stray')\n"
        "sys.addaudithook(heard)\n"
    )
    (tmp_path / "sitecustomize.py").write_text(stray)
    path = os.pathsep.join((str(tmp_path), host.env["PYTHONPATH"]))
    done = host.fire(
        "gemini", "session-start", host.data(find("gemini", "session-start")), PYTHONPATH=path
    )
    assert FACT in text_of(hook_event.HookEvent("gemini", "session-start"), done.stdout)
    checked = subprocess.run(
        command("status"), cwd=host.tree, env=host.env | {"PYTHONPATH": path}, capture_output=True
    )
    assert b"stray" in checked.stdout, "the library did print"


def test_a_start_brings_the_context_itself_and_leaves_no_flag(host: Host) -> None:
    """CT-22: what departs from a line, and flags READY and REQUIRED, in the documented hook."""
    before = {path for path in Path(host.tree).rglob("*") if ".git" not in path.parts[-2:]}
    payload = json.dumps({"cwd": host.tree, "session_id": UUID}).encode()
    answer = json.loads(host.fire("claude-code", "session-start", payload).stdout)
    context = answer["hookSpecificOutput"]["additionalContext"]
    assert FACT in context and len(context.splitlines()) > 1
    names = [path.name.upper() for path in Path(host.tree).parent.rglob("*")]
    assert not [name for name in names if "READY" in name or "REQUIRED" in name]
    after = {path for path in Path(host.tree).rglob("*") if ".git" not in path.parts[-2:]}
    assert {path for path in after - before if ".gitmem" not in path.parts} == set()


@pytest.mark.parametrize("agent", ["windsurf", "kimi", "zed", "generic", "antigravity"])
def test_a_host_that_hears_nothing_at_a_start_is_no_error(host: Host, agent: str) -> None:
    data = host.data(START)
    assert host.fire(agent, "session-start", data).stdout == responses.empty_answer(
        agent, "session-start"
    )
    assert not host.log.exists()


def test_windsurf_hears_nothing_and_opencode_plain_text(shared: Host) -> None:
    assert shared.tell(WINDSURF[0], "windsurf-one") == ""
    data = shared.data(OPENCODE[0]).replace(b"ses_6fA0", b"ses_0000")
    output = shared.fire("opencode", "session-start", data).stdout
    assert output.decode("utf-8").startswith("<<<gitmem:")
