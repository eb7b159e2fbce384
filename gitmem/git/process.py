"""Running a git process on POSIX, by ``os.posix_spawn`` and ``select.poll``.

It replaces ``subprocess.Popen`` for this use without its 5 ms of imports: two pipes, a time limit
on waiting, no zombie, no child left behind when the reader stops.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import suppress

from gitmem.errors import ForeignFile, GitmemError, NotARepository, NotFound, Unavailable
from gitmem.model.frozen import dataclass

MOST_ERRORS = 1 << 16  # bytes of standard error
_CHUNK = 1 << 16
# Written out because `signal` brings `enum` and its own tables: both numbers are POSIX's.
_SIGKILL, _SIGPIPE = 9, 13


class ChildProcess:
    """A running git on POSIX, with no standard input: read its output, wait for it, close it.

    ``timeout`` is in seconds of waiting for git. On a busy machine the clock may reach ``grace``
    times that, while git has used less CPU time than the limit.
    """

    def __init__(
        self, argv: list[str], env: dict[str, str], name: str, timeout: float, grace: float = 1.0
    ) -> None:
        import select  # noqa: PLC0415 - Windows has no poll

        self.name = name
        self.errors = bytearray()
        self._timeout = self._left = timeout
        self._grace = timeout * (grace - 1.0)
        self._status: int | None = None
        self._out, out_end = _pipe()
        self._err, err_end = _pipe()
        try:
            self._pid = _spawn(argv, env, out_end, err_end)
        except OSError as error:
            os.close(self._out)
            os.close(self._err)
            raise git_missing_error() from error
        finally:
            os.close(out_end)
            os.close(err_end)
        self._poll = select.poll()
        self._poll.register(self._out, select.POLLIN)
        self._poll.register(self._err, select.POLLIN)

    def read(self) -> bytes:
        """The next bytes of standard output; empty at its end.

        Raises Unavailable if git takes too long.
        """
        while True:
            ready = self._wait_ready(self._left)
            if not ready and self._late():
                raise git_timeout_error(self.name, self._timeout)
            if self._err in ready:
                self._keep_errors()
            if self._out in ready:
                return os.read(self._out, _CHUNK)

    def wait(self) -> int:
        """Wait for git to end, once standard output has ended; returns the exit status.

        Raises Unavailable if git takes too long.
        """
        self._forget(self._out)
        while self._status is None:
            self._status = self._reap(os.WNOHANG)
            if self._status is None and self._late():
                raise git_timeout_error(self.name, self._timeout)
            # Nearly always the child ends within this millisecond.
            if self._err in self._wait_ready(0.001 if self._status is None else 0):
                self._keep_errors()
        return self._status

    def close(self) -> None:
        """Close the pipes and end the child if it still runs; leaves no zombie."""
        os.close(self._out)
        os.close(self._err)
        if self._status is None:
            with suppress(ProcessLookupError):
                os.kill(self._pid, _SIGKILL)
            self._status = self._reap(0)

    def _late(self) -> bool:
        """Whether git's time is up; more by the clock is granted while it has used less CPU."""
        if self._left > 0:
            return False
        used = _cpu_seconds(self._pid) if self._grace > 0 else None
        if used is None or used >= self._timeout:
            return True
        more = min(max(self._timeout - used, 0.05), self._grace)
        self._grace -= more
        self._left = more
        return False

    def _reap(self, flags: int) -> int | None:
        """The exit status; None while it runs. 0 where the parent process ignores SIGCHLD."""
        try:
            pid, status = os.waitpid(self._pid, flags)
        except ChildProcessError:
            return 0
        return os.waitstatus_to_exitcode(status) if pid else None

    def _wait_ready(self, timeout: float) -> list[int]:
        begin = time.monotonic()
        ready = [fd for fd, _ in self._poll.poll(max(0.0, timeout) * 1000)]
        self._left -= time.monotonic() - begin
        return ready

    def _keep_errors(self) -> None:
        chunk = os.read(self._err, _CHUNK)
        if not chunk:
            self._forget(self._err)
        self.errors += chunk[: MOST_ERRORS - len(self.errors)]

    def _forget(self, fd: int) -> None:
        self._poll.unregister(fd)


def _cpu_seconds(pid: int) -> float | None:
    """Seconds of CPU that a child has used; None where the system does not report it."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        return None


def _pipe() -> tuple[int, int]:
    """A pipe whose writing end is not 0, 1 or 2, even in a process that closed those."""
    read_end, write_end = os.pipe()
    if write_end < 3:
        import fcntl  # noqa: PLC0415 - rare

        low, write_end = write_end, fcntl.fcntl(write_end, fcntl.F_DUPFD_CLOEXEC, 3)
        os.close(low)
    return read_end, write_end


def _spawn(argv: list[str], env: dict[str, str], out: int, err: int) -> int:
    """Start the child with its output on two pipes; returns its process id."""
    actions: list[tuple[int, int, str, int, int] | tuple[int, int, int]] = [
        (os.POSIX_SPAWN_DUP2, out, 1),
        (os.POSIX_SPAWN_DUP2, err, 2),
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
    ]
    # Python ignores SIGPIPE; git must not, or it would go on writing after the reader stopped.
    return os.posix_spawn(argv[0], argv, env, file_actions=actions, setsigdef=[_SIGPIPE])


_UNKNOWN_REVISION = (
    "unknown revision",
    "bad revision",
    "bad object",
    "ambiguous argument",
    "Needed a single revision",
    "Not a valid",
    "does not have any commits yet",
)
_NO_REPOSITORY = (
    "not a git repository",
    "cannot change to",
    "can only be used inside a git repository",  # also for one that git refuses
)
_WITH_VALUE = ("--git-dir", "--work-tree", "-c", "-C")  # git's own options with a value


@dataclass(frozen=True, slots=True)
class FinishedProcess:
    """The outcome of a git process: exit status, standard output, the first 64 KB of its errors."""

    status: int
    out: bytes
    err: bytes


def git_missing_error() -> Unavailable:
    """Return the error to raise where git is not installed."""
    return Unavailable("git was not found on PATH.", "Install git, or add its folder to PATH.")


def git_timeout_error(name: str, timeout: float) -> Unavailable:
    """Return the error to raise if ``git NAME`` did not finish in ``timeout`` seconds."""
    return Unavailable(
        f"git {name} took longer than {timeout:g} seconds and was stopped.",
        "Try again; if it stays slow, run git gc or git commit-graph write.",
    )


def git_output_limit_error(name: str, max_bytes: int) -> Unavailable:
    """Return the error to raise if the output of ``git NAME`` is larger than ``max_bytes``."""
    return Unavailable(
        f"git {name} printed more than {max_bytes} bytes.", "Ask for fewer files or commits."
    )


def git_failure_error(args: Sequence[str], finished: FinishedProcess, cwd: str) -> GitmemError:
    """Return the error to raise for a git command that failed, with the last line that it printed.

    ForeignFile if the repository is another user's, NotARepository, NotFound for an unknown
    revision, else Unavailable.
    """
    last = last_error_line(finished.err)
    if "dubious ownership" in last or "unsafe repository" in last:
        return ForeignFile(
            f"git refuses this repository: it belongs to another user ({cwd}).",
            f"If you trust it: git config --global --add safe.directory {_quoted(cwd)}",
        )
    if any(words in last for words in _NO_REPOSITORY):
        return NotARepository(
            f"git finds no usable repository at {cwd}: {last}.", "Check with: git status"
        )
    if "promisor remote" in last:
        return Unavailable(
            f"This partial clone lacks what git {git_subcommand(args)} needs, and gitmem fetches "
            "nothing.",
            f"Run git {git_subcommand(args)} by hand once: git itself fetches what is missing.",
        )
    if any(words in last for words in _UNKNOWN_REVISION):
        return NotFound(f"git does not know that revision: {last}.", "Check the name with: git log")
    return Unavailable(
        f"git {git_subcommand(args)} failed with status {finished.status}: "
        f"{last or 'git gave no reason'}.",
        "Run the same git command by hand; git fsck shows if the repository is damaged.",
    )


def git_subcommand(args: Sequence[str]) -> str:
    """The subcommand (such as ``log``) among git's arguments, after options of git itself."""
    words = iter(args)
    for word in words:
        if not word.startswith("-"):
            return word
        if word in _WITH_VALUE:
            next(words, "")
    return ""


def last_error_line(stderr: bytes) -> str:
    """The fatal line of git's errors, else the last line, without passwords; 300 characters."""
    lines = [line for line in stderr.decode("utf-8", "replace").splitlines() if line.strip()]
    fatal = [line for line in lines if line.startswith("fatal:")]
    line = (fatal or lines[-1:] or [""])[0]
    line = hide_credentials(line)
    return "".join(c if c.isprintable() else "?" for c in line)[:300].rstrip(".: ")


def hide_credentials(text: str) -> str:
    """The text without the user names and passwords in its URLs."""
    import re  # noqa: PLC0415 - only a failure pays for it

    return re.sub(r"(://)[^/@\s]*@", r"\1", text)


def _quoted(path: str) -> str:
    import shlex  # noqa: PLC0415 - only a failure pays for it

    return shlex.quote(path)
