"""Without network nothing is missing, and nothing asks for it (S-26; P4).

The whole suite runs under a guard (``tests/support/offline.py``); here the program runs where there
is no network at all, and the system tells which sockets it opened.
"""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from gitmem.errors import Unavailable
from tests.embedding import tiny_model
from tests.reliability import watched
from tests.reliability.scoring import Score
from tests.support import model_hub, offline
from tests.support.apps import Desk
from tests.support.cli import command, environment
from tests.support.git_states import seed_repository

UNSHARE = shutil.which("unshare")
STRACE = shutil.which("strace")
ABSENT = "fastembed:BAAI/bge-small-en-v1.5"  # which nobody pulled
# Every verb in one process, in a home that nobody wrote to before; at the end it reaches out, which
# sends nothing and shows that it would be seen.
EVERY = """
import os, socket, sys
from pathlib import Path
from tests.support import every_verb
from tests.support.apps import Desk
place, home, out = map(Path, sys.argv[1:])
desk = Desk(place, home)
desk.env.clear()
desk.env.update(os.environ)
desk.run("init", no_hooks=True, no_index=True)
texts = ("The till is odd", "The cart is even", "This one is lost")
ids = [desk.run("remember", text=text, duplicates="allow").id for text in texts]
for name, values in every_verb.calls(ids, out):
    print(name, every_verb.answer(desk, name, values) or "done")
socket.socket(type=socket.SOCK_DGRAM).connect(("192.0.2.1", 9))
"""
HELLO = (
    b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",'
    b'"capabilities":{},"clientInfo":{"name":"x","version":"1"}}}\n'
    b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n'
)
QUESTIONS = b"".join(
    b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"%s","arguments":%s}}\n'
    % call
    for call in (
        (2, b"search", b'{"query":"till"}'),
        (3, b"remember", b'{"text":"A server lives here"}'),
    )
)


def answers_alone() -> bool:
    """Whether a process may have a network of its own here, which is none."""
    words = [UNSHARE or "false", "-rn", "true"]
    return bool(UNSHARE) and subprocess.run(words, capture_output=True, check=False).returncode == 0


def test_the_guard_lets_nobody_off_the_machine(score: Score) -> None:
    outside = [("192.0.2.1", 80), ("2001:db8::1", 80, 0, 0), ("example.org", 443), ("10.0.0.1", 1)]
    for address in outside:
        with pytest.raises(offline.OffTheMachine):
            socket.create_connection(address[:2])
        family = socket.AF_INET6 if len(address) == 4 else socket.AF_INET
        for kind, method in (("SOCK_STREAM", "connect_ex"), ("SOCK_DGRAM", "connect")):
            result = socket.socket(family, getattr(socket, kind))
            with result, pytest.raises(offline.OffTheMachine):
                getattr(result, method)(address)
        result = socket.socket(family, socket.SOCK_DGRAM)
        with result, pytest.raises(offline.OffTheMachine):
            result.sendto(b"x", address)
    assert len(offline.tried) == 4 * len(outside)
    offline.tried.clear()
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname()).close()
    score.report("attempts", cases=4 * len(outside), fired=4 * len(outside))


@pytest.mark.skipif(not answers_alone(), reason="no process may have a network of its own here")
def test_every_answer_without_a_network_and_without_the_model(
    desk: Desk, tmp_path: Path, score: Score
) -> None:
    """Also with a model that was never pulled: search goes by words, and says so once."""
    desk.run("remember", text="Redis listens on port 6380")
    env = desk.env | {"GITMEM_BACKUP_INTERVAL_HOURS": "0", "GITMEM_COPY_MODE": "off"}
    took = []
    commands = (
        (("index",), "", "builtin"),
        (("search", "cart"), "src/cart/cart.py", "builtin"),
        (("ask", "what", "listens", "on", "6380"), "Redis", ABSENT),
        (("recall", "redis"), "6380", "builtin"),
        (("search", "cart"), "src/cart/cart.py", ABSENT),
    )
    for words, output, model in commands[: score.size(quick=3, full=5)]:
        begun = time.monotonic()
        done = subprocess.run(
            [UNSHARE or "", "-rn", *command(*words)],
            cwd=desk.place,
            env=env | {"GITMEM_MODEL": model},
            capture_output=True,
            text=True,
            check=False,
        )
        took.append(time.monotonic() - begun)
        assert done.returncode == 0, (words, model, done.stderr)
        assert output in done.stdout, (words, model, done.stdout)
        assert "Traceback" not in done.stderr
        assert (model == ABSENT) == ("gitmem model pull" in done.stdout), done
    score.report("commands", cases=len(took), fired=len(took))
    score.limit("a command, ms", max(took) * 1000, at_most=3_000)


def test_where_the_model_is_absent_each_answer_says_so_once(desk: Desk, score: Score) -> None:
    desk.run("remember", text="Redis listens on port 6380")
    absent = Desk(desk.place, desk.home, **{**desk.env, "GITMEM_MODEL": ABSENT})
    query: dict[str, dict[str, object]] = {
        "search": {"query": "redis"},
        "recall": {"query": "redis"},
        "ask": {"question": "what listens on 6380"},
        "context": {"query": "redis"},
    }
    for verb, values in query.items():
        text = absent.text(verb, **values)
        assert "Redis listens" in text, text
        assert text.count("Only words were compared. The model") == 1, text
        assert text.count("gitmem model pull") == 1, text
        assert "Only words" not in desk.text(verb, **values), verb
    for other in ({"query": "nowhere"}, {"query": "redis", "mode": "keyword"}):
        assert ("Only words" in absent.text("recall", **other)) == ("mode" not in other)
    score.report("answers by words alone", cases=len(query), fired=len(query))


def test_an_index_run_that_fails_is_not_reported_as_one_at_work(
    bare_desk: Desk, score: Score
) -> None:
    desk = bare_desk
    desk.run("init", no_hooks=True, no_index=True)
    absent = Desk(desk.place, desk.home, **{**desk.env, "GITMEM_MODEL": ABSENT})
    with pytest.raises(Unavailable, match="not on this machine"):
        absent.run("index")
    index = absent.run("status").index
    assert (index.state, index.running) == ("unknown", False)
    assert "run `gitmem index`" in absent.text("status")
    assert "indexing now" not in absent.text("search", query="cart")
    assert desk.run("index").memories >= 0  # another one, of a model that is there
    assert desk.run("status").index.state == "current"
    score.report("index runs without the model", cases=1, fired=1)


@pytest.mark.skipif(not STRACE, reason="needs strace")
def test_no_command_opens_a_socket_that_could_leave(
    desk: Desk, tmp_path: Path, score: Score
) -> None:
    trace = tmp_path / "trace"
    observed = 0
    commands = [("index", "--full"), ("search", "cart"), ("doctor",), ("status",), ("orient",)]
    commands = commands[: score.size(quick=1, full=5)]
    for words in commands:
        watched = [STRACE or "", "-f", "-qq", "-e", "trace=socket,execve", "-o", str(trace)]
        done = subprocess.run(
            [*watched, *command(*words)],
            cwd=desk.place,
            env=desk.env,
            capture_output=True,
            check=False,
        )
        if not trace.exists() or b"ptrace" in done.stderr:
            pytest.skip("no process may be watched here")
        lines = trace.read_text(errors="replace").splitlines()
        assert any("execve(" in line for line in lines), done.stderr
        assert not [line for line in lines if "AF_INET" in line], words
        observed += len(lines)
    score.report("watched by strace", cases=len(commands), fired=len(commands), calls=observed)


class Fresh:
    """A repository and a home where nobody was yet, with what may be written to."""

    def __init__(self, folder: Path, **more: str) -> None:
        folder.mkdir()
        repo = seed_repository(folder)
        self.place, self.home = repo.path, folder / "fresh"
        self.temporary, self.out, self.traces = (
            folder / name for name in ("temporary", "out", "traces")
        )
        for made in (self.home, self.temporary, self.out):
            made.mkdir()
        places = {"HOME": str(self.home), "TMPDIR": str(self.temporary)}
        self.env = environment(repo.home, PYTHONDONTWRITEBYTECODE="1", **places, **more)
        del self.env["GITMEM_HOME"]
        own = [self.home / name / "gitmem" for name in (".config", ".local/share", ".local/state")]
        self.own = [*own, self.temporary, self.out, self.place / ".gitmem", self.place / ".git"]

    def run(self, words: list[str]) -> subprocess.CompletedProcess[str]:
        """A program in it, traced, that ends well."""
        done = subprocess.run(
            watched.traced(words, self.traces),
            cwd=self.place,
            env=self.env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done

    def serve(self) -> subprocess.Popen[bytes]:
        """A server for it, traced."""
        for verb in ("init", "index"):  # the second is refused where the model is absent
            subprocess.run(command(verb), cwd=self.place, env=self.env, capture_output=True)
        words, pipe = watched.traced(command("mcp"), self.traces), subprocess.PIPE
        return subprocess.Popen(words, cwd=self.place, env=self.env, stdin=pipe, stdout=pipe)

    def check(self, made: watched.Made) -> None:
        """Nothing lies elsewhere, and nothing temporary is left."""
        assert made.outside(*self.own) == []
        assert [path for path in self.temporary.rglob("*") if not path.is_dir()] == []


def models(folder: Path, count: int) -> list[tuple[str, dict[str, str]]]:
    """A name for each kind of model, and the settings that choose it."""
    tiny = tiny_model.make(folder / "tiny")
    reads = tiny_model.make_reranker(folder / "reads")
    named = {"hashed": "hashed", "builtin": "builtin", "contextual": "contextual", "absent": ABSENT}
    chosen = [(name, {"GITMEM_MODEL": model}) for name, model in named.items()]
    both = {"GITMEM_MODEL": f"fastembed:{tiny}", "GITMEM_SEARCH_RERANK": f"fastembed:{reads}"}
    return [*chosen, ("folder", both)][:count]


@pytest.mark.skipif(not watched.can(), reason="no process may be watched here")
def test_no_verb_reaches_out_or_leaves_a_file_elsewhere(tmp_path: Path, score: Score) -> None:
    """Neither gitmem nor a library that it loads: some of them report their use to their makers."""
    for name, chosen in models(tmp_path, score.size(quick=1, full=5)):
        world = Fresh(tmp_path / name, **chosen)
        words = [sys.executable, "-P", "-c", EVERY, *map(str, (world.place, world.home, world.out))]
        done = world.run(words)
        answers = set(done.stdout.splitlines())
        ended = "unavailable" if name == "absent" else "done"
        assert {"model list done", "search done", f"index {ended}"} <= answers, answers
        observed = watched.seen(world.traces)
        assert len(observed.reached) == 1 and "192.0.2.1" in observed.reached[0], observed.reached
        world.check(observed)
        score.report(f"{name}: all verbs", cases=done.stdout.count("\n"), fired=len(observed.made))


@pytest.mark.skipif(not watched.can(), reason="no process may be watched here")
def test_a_server_that_lives_for_minutes_reaches_nobody(tmp_path: Path, score: Score) -> None:
    """Reports of use are sent when a process has been there for a while."""
    if not (seconds := score.size(quick=0, full=150)):
        pytest.skip("minutes are for the full tier")
    worlds = {name: Fresh(tmp_path / name, **chosen) for name, chosen in models(tmp_path, 5)}
    with ExitStack() as stack:
        servers = [stack.enter_context(world.serve()) for world in worlds.values()]
        for server in servers:
            stack.callback(server.kill)
            assert server.stdin
            server.stdin.write(HELLO + QUESTIONS)
            server.stdin.flush()
        time.sleep(seconds)
        answers = [server.communicate(QUESTIONS, 60)[0] for server in servers]
    for (name, world), answer in zip(worlds.items(), answers, strict=True):
        assert answer.count(b'"isError":false') == 4, answer
        observed = watched.seen(world.traces)
        assert observed.reached == (), name
        world.check(observed)
        score.report(f"{name}: a server", cases=4, fired=len(observed.made), seconds=seconds)


@pytest.mark.skipif(not watched.can(), reason="no process may be watched here")
def test_a_download_sends_no_more_than_what_is_wanted(tmp_path: Path, score: Score) -> None:
    """Neither the user's token nor the agent's name, and nothing lies but in the models' folder."""
    if not score.size(quick=0, full=1):
        pytest.skip("starting the library under strace takes seconds: in the full tier")
    model = tiny_model.make(tmp_path / "hub")
    (model / "model.onnx").rename(model / "model_optimized.onnx")
    with model_hub.serving(model) as hub:
        world = Fresh(tmp_path / "world", HF_ENDPOINT=hub.address, CLAUDECODE="1")
        token = world.home / ".cache" / "huggingface" / "token"
        token.parent.mkdir(parents=True)
        token.write_text("hf_not_yours")
        world.run(command("model", "pull", ABSENT))
    assert any(path.endswith("model_optimized.onnx") for path in hub.paths)
    assert "authorization" not in hub.headers
    assert not [value for value in hub.headers["user-agent"] if "agent/" in value], hub.headers
    observed = watched.seen(world.traces)
    assert observed.reached == ()
    world.check(observed)
    score.report("a download", cases=len(hub.paths), fired=len(observed.made))
