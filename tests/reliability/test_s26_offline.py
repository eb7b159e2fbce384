"""Without network nothing is missing, and nothing asks for it (S-26; P4).

The whole suite runs under a guard (``tests/support/offline.py``); here the program runs where there
is no network at all, and the system tells which sockets it opened.
"""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from pathlib import Path

import pytest

from gitmem.errors import Unavailable
from tests.reliability.scoring import Score
from tests.support import offline
from tests.support.apps import Desk
from tests.support.cli import command

UNSHARE = shutil.which("unshare")
STRACE = shutil.which("strace")
ABSENT = "fastembed:BAAI/bge-small-en-v1.5"  # which nobody pulled


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
            one = socket.socket(family, getattr(socket, kind))
            with one, pytest.raises(offline.OffTheMachine):
                getattr(one, method)(address)
        one = socket.socket(family, socket.SOCK_DGRAM)
        with one, pytest.raises(offline.OffTheMachine):
            one.sendto(b"x", address)
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
    for words, told, model in commands[: score.size(quick=3, full=5)]:
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
        assert told in done.stdout, (words, model, done.stdout)
        assert "Traceback" not in done.stderr
        assert (model == ABSENT) == ("gitmem model pull" in done.stdout), done
    score.report("commands", cases=len(took), fired=len(took))
    score.limit("a command, ms", max(took) * 1000, at_most=3_000)


def test_where_the_model_is_absent_each_answer_says_so_once(desk: Desk, score: Score) -> None:
    desk.run("remember", text="Redis listens on port 6380")
    absent = Desk(desk.place, desk.home, **{**desk.env, "GITMEM_MODEL": ABSENT})
    asked: dict[str, dict[str, object]] = {
        "search": {"query": "redis"},
        "recall": {"query": "redis"},
        "ask": {"question": "what listens on 6380"},
        "context": {"query": "redis"},
    }
    for verb, values in asked.items():
        told = absent.text(verb, **values)
        assert "Redis listens" in told, told
        assert told.count("Only words were compared. The model") == 1, told
        assert told.count("gitmem model pull") == 1, told
        assert "Only words" not in desk.text(verb, **values), verb
    for other in ({"query": "nowhere"}, {"query": "redis", "mode": "keyword"}):
        assert ("Only words" in absent.text("recall", **other)) == ("mode" not in other)
    score.report("answers by words alone", cases=len(asked), fired=len(asked))


def test_an_index_run_that_fails_is_not_told_as_one_at_work(bare_desk: Desk, score: Score) -> None:
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
    seen = 0
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
        seen += len(lines)
    score.report("watched by strace", cases=len(commands), fired=len(commands), calls=seen)
