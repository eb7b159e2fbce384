"""The outcome of a git process, and the gitmem error for a failed one."""

from __future__ import annotations

from gitmem.errors import GitmemError, NotARepository, NotFound, NotOurs, Unavailable
from gitmem.model.frozen import dataclass

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Sequence

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
class Finished:
    """The outcome of a git process: exit status, standard output, the start of its errors."""

    status: int
    out: bytes
    err: bytes


def git_missing_error() -> Unavailable:
    """The error for a machine where git is not installed."""
    return Unavailable("git was not found on PATH.", "Install git, or add its folder to PATH.")


def timeout_error(name: str, timeout: float) -> Unavailable:
    """The error for a git command that did not finish in time."""
    return Unavailable(
        f"git {name} took longer than {timeout:g} seconds and was stopped.",
        "Try again; if it stays slow, run git gc or git commit-graph write.",
    )


def output_limit_error(name: str, max_bytes: int) -> Unavailable:
    """The error for a git command with more output than allowed."""
    return Unavailable(
        f"git {name} printed more than {max_bytes} bytes.", "Ask for a smaller part."
    )


def failure_error(args: Sequence[str], done: Finished, cwd: str) -> GitmemError:
    """The error for a failed command, with the last line that git printed."""
    last = _last_line(done.err)
    if "dubious ownership" in last or "unsafe repository" in last:
        return NotOurs(
            f"git refuses this repository: it belongs to another user ({cwd}).",
            f"If you trust it: git config --global --add safe.directory {_quoted(cwd)}",
        )
    if any(words in last for words in _NO_REPOSITORY):
        return NotARepository(
            f"git finds no usable repository at {cwd}: {last}.", "Check with: git status"
        )
    if "promisor remote" in last:
        return Unavailable(
            f"This partial clone lacks what git {subcommand(args)} needs, and gitmem fetches "
            "nothing.",
            f"Run git {subcommand(args)} by hand once: git itself fetches what is missing.",
        )
    if any(words in last for words in _UNKNOWN_REVISION):
        return NotFound(f"unknown revision: {last}.", "Check the name with: git log")
    return Unavailable(
        f"git {subcommand(args)} failed with status {done.status}: {last or 'it gave no reason'}.",
        "Run the same git command by hand; git fsck shows if the repository is damaged.",
    )


def subcommand(args: Sequence[str]) -> str:
    """The command among git's arguments, such as log, after git's own options."""
    words = iter(args)
    for word in words:
        if not word.startswith("-"):
            return word
        if word in _WITH_VALUE:
            next(words, "")
    return ""


def _last_line(err: bytes) -> str:
    """Git's fatal line, else its last, without control characters and credentials."""
    import re  # noqa: PLC0415 - only a failure pays for it

    lines = [line for line in err.decode("utf-8", "replace").splitlines() if line.strip()]
    fatal = [line for line in lines if line.startswith("fatal:")]
    line = (fatal or lines[-1:] or [""])[0]
    line = re.sub(r"(://)[^/@\s]*@", r"\1", line)
    return "".join(c if c.isprintable() else "?" for c in line)[:300].rstrip(".: ")


def _quoted(path: str) -> str:
    import shlex  # noqa: PLC0415 - only a failure pays for it

    return shlex.quote(path)
