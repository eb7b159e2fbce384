"""Firing a hook to see that its line arrives, where nothing of the repository can be touched.

A copy of the repository's shape (a HEAD, and the way from there to a spool) stands in a folder of
its own, and ``GIT_DIR`` points the hook at it. Its spool names this process as the drain at work,
so none is started. Of a script that others share only our lines run: a user's hook may send mail.
"""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager, suppress

from gitmem.githooks import shims
from gitmem.model.frozen import dataclass
from gitmem.spool import git_events, lease
from gitmem.spool.git_events import CheckedOut, Committed, Event, Merged, Rewritten

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

COMMIT = "ca" * 20
BRANCH = "refs/heads/gitmem-canary"
SECONDS = 20.0

_GIVEN = {
    "post-commit": ((), b"", Committed),
    "post-merge": (("0",), b"", Merged),
    "post-checkout": ((COMMIT, COMMIT, "1"), b"", CheckedOut),
    "post-rewrite": (("amend",), f"{COMMIT} {COMMIT}\n".encode(), Rewritten),
}


@dataclass(frozen=True, slots=True)
class Program:
    """What is run for an event: words to start, or ``content``, a script that is copied first."""

    words: tuple[str, ...]
    content: bytes = b""


@dataclass(frozen=True, slots=True)
class Sandbox:
    """The copy of the shape: its folder, the git directory and the spool's file in it."""

    folder: str
    git_dir: str
    events: str
    environment: Mapping[str, str]


@contextmanager
def opened(way: str, script: bytes, environment: Mapping[str, str]) -> Iterator[Sandbox]:
    """A sandbox for all hooks of a repository, gone afterwards with all that they wrote.

    ``way`` leads from the common git directory to ``.gitmem``, ``script`` is what hooks source.
    """
    with tempfile.TemporaryDirectory(prefix="gitmem-canary-") as folder:
        git_dir, store = _shape(folder, way, script)
        events = os.path.join(store, git_events.SPOOL, "events")
        yield Sandbox(folder, git_dir, events, _environment(environment, git_dir))


def fire(sandbox: Sandbox, event: str, program: Program) -> str:
    """Run a hook as git does; why its line did not arrive, empty where it did."""
    with suppress(FileNotFoundError):
        os.unlink(sandbox.events)  # of the hook before
    words = program.words
    if program.content:
        copy = os.path.join(sandbox.folder, event)
        _write(copy, program.content)
        words = (*words, copy)
    arguments, given, kind = _GIVEN[event]
    if reason := _run((*words, *arguments), sandbox.environment, sandbox.git_dir, given):
        return reason
    return _arrived(sandbox.events, kind)


def interpreter(content: bytes) -> tuple[str, ...]:
    """The words by which the kernel runs a script: the program of its first line, one argument."""
    first = os.fsdecode(content.partition(b"\n")[0]).removeprefix("#!").strip(" \t")
    return tuple(first.split(None, 1))


def answer(command: Sequence[str], environment: Mapping[str, str]) -> str:
    """What the program that a hook starts says of its version; empty where it does not answer."""
    import subprocess  # noqa: PLC0415, TID251 - gitmem starts itself, as the hooks do

    env = {name: value for name, value in environment.items() if not name.startswith("GIT_")}
    try:
        done = subprocess.run(
            [*command, "--version"],
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    told = done.stdout.decode("utf-8", "replace").strip()
    return told if done.returncode == 0 and told.startswith("gitmem ") else ""


def _shape(folder: str, way: str, script: bytes) -> tuple[str, str]:
    """A git directory and a store that lie to each other as the real ones do."""
    above = way.split("/").count("..")
    git_dir = os.path.join(folder, *["below"] * above, "git")
    store = os.path.normpath(os.path.join(git_dir, way))
    os.makedirs(os.path.join(git_dir, os.path.dirname(BRANCH)))
    os.makedirs(os.path.join(store, git_events.SPOOL))
    _write(os.path.join(git_dir, "HEAD"), f"ref: {BRANCH}\n".encode())
    _write(os.path.join(git_dir, BRANCH), f"{COMMIT}\n".encode())
    _write(os.path.join(store, git_events.SPOOL, lease.HINT), f"{os.getpid()}\n".encode())
    sourced = os.path.join(git_dir, *shims.SCRIPT.split("/"))
    os.mkdir(os.path.dirname(sourced))
    _write(sourced, script)
    return git_dir, store


def _environment(given: Mapping[str, str], git_dir: str) -> dict[str, str]:
    """What git gives a hook; the switch that turns our hooks off is left out."""
    kept = {k: v for k, v in given.items() if not k.startswith("GIT_") and k != "GITMEM_HOOKS"}
    return {**kept, "GIT_DIR": git_dir, "GIT_EDITOR": ":", "GIT_PREFIX": ""}


def _run(words: Sequence[str], env: Mapping[str, str], cwd: str, given: bytes) -> str:
    import subprocess  # noqa: PLC0415, TID251 - it stands for git, which starts the hooks

    try:
        done = subprocess.run(
            list(words),
            env=env,
            cwd=cwd,
            input=given,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"it did not exit within {SECONDS:.0f} seconds"
    except OSError as error:
        return f"it cannot be started: {error.strerror}"
    return f"it exited with status {done.returncode}" if done.returncode else ""


def _arrived(path: str, kind: type[Event]) -> str:
    try:
        with open(path, "rb") as file:
            events, skipped = git_events.parse(file.read(), "canary", "")
    except OSError:
        events, skipped = [], 0
    if not events and not skipped:
        return "it ran, but its line did not arrive in the spool"
    if skipped or len(events) != 1:
        return f"it wrote {len(events) + skipped} lines instead of one"
    if not isinstance(events[0], kind) or events[0].ref not in ("", BRANCH):
        return "it wrote a line that does not say what git did"
    return ""


def _write(path: str, content: bytes) -> None:
    with open(path, "wb") as file:
        file.write(content)
