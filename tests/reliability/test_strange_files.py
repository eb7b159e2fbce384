"""Pipes, sockets, folders and links where gitmem keeps files: nobody waits for them (S-11)."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from gitmem.errors import GitmemError
from gitmem.spool import lease
from tests.support import children
from tests.support.apps import Desk, copy_of
from tests.support.repos import RepoBuilder

pytestmark = [
    children.needs_fork,
    pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with names are of POSIX"),
]
PATIENCE = 5  # seconds; a commit takes a hundredth of that


def make_socket(path: Path) -> None:
    # The name of a socket has at most a hundred bytes.
    here = os.getcwd()
    os.chdir(path.parent)
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.chdir(here)


def make_link(path: Path) -> None:
    target = path.parent / "pipe-elsewhere"
    if not target.exists():
        os.mkfifo(target)
    path.symlink_to(target)


KINDS: dict[str, Callable[[Path], None]] = {
    "pipe": os.mkfifo,
    "socket": make_socket,
    "folder": Path.mkdir,
    "link to a pipe": make_link,
}
# What git's hook reads or writes, then what only the program does.
OF_THE_HOOK = ("spool", "spool/events", "spool/drain", "spool/lock")
NAMES = (
    *OF_THE_HOOK,
    "config.toml",
    "memory.db",
    "memory.db-wal",
    "memory.db-shm",
    "memory.db-journal",
    "memory.db.usage",
    "backups",
    "sessions",
    "sessions/events",
    "sessions/lock",
    "hooks.json",
)


def put(place: Path, make: Callable[[Path], None]) -> None:
    """Put something strange where a file or folder of ours stands."""
    if place.is_dir() and not place.is_symlink():
        shutil.rmtree(place)
    else:
        place.unlink(missing_ok=True)
    place.parent.mkdir(exist_ok=True)
    make(place)


@pytest.fixture
def hooked(repo: RepoBuilder) -> tuple[RepoBuilder, Desk]:
    desk = Desk(repo.path, repo.home)
    desk.run("init")
    desk.run("hooks install")
    desk.run("remember", text="Redis is on 6380")
    return repo, desk


def committed(repo: RepoBuilder, path: Path) -> tuple[int | None, bytes]:
    """The exit status of a commit and all it said; None where it was still waiting."""
    with path.open("wb") as out:
        process = subprocess.Popen(
            ["git", "commit", "-q", "--allow-empty", "-m", "x"],
            cwd=repo.path,
            env=repo.env,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            start_new_session=True,
        )
        try:
            return process.wait(PATIENCE), path.read_bytes()
        except subprocess.TimeoutExpired:
            # The hook's shell waits, not git: both are ended.
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return None, b""


def test_a_commit_waits_for_no_strange_file(
    hooked: tuple[RepoBuilder, Desk], tmp_path: Path
) -> None:
    repo, _ = hooked
    spool = repo.path / ".gitmem" / "spool"
    for kind, make in KINDS.items():
        for name in OF_THE_HOOK:
            put(spool, Path.mkdir)
            # It names a process that is alive: no drain is started, and the hook alone is timed.
            (spool / lease.HINT).write_text(f"{os.getpid()}\n")
            put(repo.path / ".gitmem" / name, make)
            assert committed(repo, tmp_path / "told") == (0, b""), (kind, name)


@pytest.mark.parametrize("kind", ["pipe", "folder"])
def test_no_command_waits_for_a_strange_file(
    hooked: tuple[RepoBuilder, Desk], tmp_path: Path, kind: str
) -> None:
    repo, desk = hooked
    at = tmp_path / "at"

    def work() -> None:
        for number, name in enumerate(NAMES):
            copied = copy_of(repo, tmp_path / str(number))
            put(copied.path / ".gitmem" / name, KINDS[kind])
            there = desk.at(copied.path)
            verbs = ("hooks status",) if name == "hooks.json" else ("drain", "list")
            for verb in verbs:
                at.write_text(f"{verb}, {kind} at {name}")
                with suppress(GitmemError):
                    there.run(verb)

    pid = children.start(work)
    until = time.monotonic() + 4 * PATIENCE
    while (ended := os.waitpid(pid, os.WNOHANG)) == (0, 0):
        if time.monotonic() > until:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            pytest.fail(f"it waits: {at.read_text()}")
        time.sleep(0.02)
    assert os.waitstatus_to_exitcode(ended[1]) == children.DONE, at.read_text()
