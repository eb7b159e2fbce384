"""The events of git hooks: ``.gitmem/spool/events``, a line each (``spool.event_log``)."""

from __future__ import annotations

import os
from contextlib import suppress
from functools import partial

from gitmem.model.frozen import dataclass
from gitmem.spool import event_log, lease
from gitmem.spool.event_log import LogLineBatch
from gitmem.spool.lease import SPOOL as SPOOL

MAIN = "."  # the main worktree: no folder of a linked worktree can have this name
WATCH = "watch-"  # followed by the name of a worktree: the lock of the process that watches it
MOST = 1 << 20  # bytes that may wait, as for the hooks
_MAGIC = "gm1"
_HEX = frozenset("0123456789abcdef")

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class CommitEvent:
    """An event that a git hook recorded: a commit was made; ``commit`` is empty if not known.

    In all such events ``key`` is the same each time the line is read; ``at_seconds`` is seconds
    since 1970, None where the shell has no clock; ``ref`` is the branch's full name, empty where
    HEAD is detached or the hook did not know it.
    """

    key: str
    at_seconds: int | None
    ref: str
    commit: str


@dataclass(frozen=True, slots=True)
class MergeEvent:
    """An event that a git hook recorded: a merge or a fast-forward ended at ``commit``.

    ``is_squash``: by ``git merge --squash``, so nothing was committed. Else as in CommitEvent.
    """

    key: str
    at_seconds: int | None
    ref: str
    commit: str
    is_squash: bool


@dataclass(frozen=True, slots=True)
class CheckoutEvent:
    """An event that a git hook recorded: a checkout moved HEAD from one commit to another.

    Without ``is_branch_checkout`` only files were checked out. Other fields as in CommitEvent.
    """

    key: str
    at_seconds: int | None
    ref: str
    old_commit: str
    new_commit: str
    is_branch_checkout: bool


@dataclass(frozen=True, slots=True)
class RewriteEvent:
    """An event that a git hook recorded: ``command`` (amend, rebase or other) replaced commits.

    ``old_new_pairs`` are (replaced commit, its replacement), ``commit`` is HEAD afterwards. A long
    rebase comes as several events. No pairs: the hook could not read them. Else as in CommitEvent.
    """

    key: str
    at_seconds: int | None
    ref: str
    commit: str
    command: str
    old_new_pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class WorktreeNamedEvent:
    """An event naming a worktree: the next event happened there, or its search tables are stale.

    ``worktree`` is the name of a linked worktree's folder in ``worktrees`` of the git directory,
    "." for the main worktree. ``at_seconds`` is None, ``ref`` and ``commit`` are empty.
    """

    key: str
    at_seconds: int | None
    ref: str
    commit: str
    worktree: str


@dataclass(frozen=True, slots=True)
class EditEvent:
    """An event that an agent's hook recorded: the file ``path`` of a worktree was changed.

    ``worktree`` is the name of a linked worktree's folder in ``worktrees`` of the git directory,
    "." for the main worktree. ``at_seconds`` is None, ``ref`` and ``commit`` are empty.
    """

    key: str
    at_seconds: int | None
    ref: str
    commit: str
    worktree: str
    path: str


Event = CommitEvent | MergeEvent | CheckoutEvent | RewriteEvent | WorktreeNamedEvent | EditEvent


def take_git_events(
    folder: str, log_line_token: str, *, now_ms: int, pid: int
) -> tuple[tuple[Event, ...], LogLineBatch]:
    """Read the git events that wait in ``folder``: (events, a LogLineBatch to discard them).

    ``folder`` is ``.gitmem/spool``; the batch is for ``event_log.discard_line_batch``.
    ``log_line_token`` is the secret word with which each line of this store's hooks begins; others
    are counted as invalid. Empty: every line is taken. ``now_ms`` (milliseconds since 1970) and
    ``pid`` name the file that the log is renamed to. Raises OSError.
    """
    return event_log.take_line_batch(
        folder, partial(_event, token=log_line_token), now_ms=now_ms, pid=pid
    )


def record_outdated_worktree(folder: str, worktree: str, log_line_token: str) -> bool:
    """Record that the search tables of a worktree are stale, for a background process to update.

    ``folder`` is ``.gitmem/spool``, ``worktree`` a name from ``worktree_name_in_events``,
    ``log_line_token`` the secret word with which each line of this store begins. Returns False if
    the log is full (1 MB). Raises OSError.
    """
    with suppress(FileExistsError):
        os.mkdir(folder, 0o700)
    line = os.fsencode(f"{log_line_token} {_MAGIC} tree - - - {worktree}\n")
    return event_log.append_lines(folder, line, max_bytes=MOST)


def record_edited_files(
    folder: str, worktree: str, paths: Iterable[str], log_line_token: str
) -> bool:
    """Record that files of a worktree were edited, for a background process to read them again.

    ``paths`` are relative to the worktree; the other arguments are as in
    ``record_outdated_worktree``. Returns False if the log is full (1 MB). Raises OSError.
    """
    with suppress(FileExistsError):
        os.mkdir(folder, 0o700)
    # A line end in a name would begin another event: then the whole worktree is noted.
    named = (
        f"edit - - - {worktree}/{path}" if "\n" not in path else f"tree - - - {worktree}"
        for path in paths
    )
    lines = b"".join(os.fsencode(f"{log_line_token} {_MAGIC} {event}\n") for event in named)
    return event_log.append_lines(folder, lines, max_bytes=MOST)


def worktree_name_in_events(git_dir: str, *, is_linked: bool) -> str:
    """The name of a worktree in events: the last part of its git directory, "." if not linked."""
    return os.path.basename(git_dir) if is_linked else MAIN


def parse_git_events(content: bytes, file_key: str, log_line_token: str) -> tuple[list[Event], int]:
    """The git events in the content of a log file, and the number of invalid lines.

    ``file_key`` identifies the file, and begins the keys of its events. Lines that do not begin
    with ``log_line_token``, the secret word of this store's hooks, are invalid; empty: all are
    accepted.
    """
    return event_log.parse_log_lines(content, partial(_event, token=log_line_token), file_key)


def remove_empty_spool(folder: str) -> None:
    """Remove ``folder`` (``.gitmem/spool``, the log of git events) unless events wait in it."""
    if event_log.count_unread_log_bytes(folder):
        return
    event_log.remove_log_files(folder)
    lease.remove_lease_files(folder)
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        if name.startswith(WATCH):
            with suppress(OSError):
                os.unlink(os.path.join(folder, name))
    with suppress(OSError):
        os.rmdir(folder)


def _event(line: bytes, key: str, token: str) -> Event | None:
    """The event of a line; where it follows half a line, the later one."""
    text = os.fsdecode(line)
    begin = max(text.rfind(_MAGIC + " "), 0)
    if token and not text[:begin].endswith(f"{token} "):
        return None
    words = text[begin:].split(" ")
    if len(words) < 5 or words[0] != _MAGIC or "\0" in text:
        return None
    _, word, time, ref, commit, *rest = words
    at = int(time) if time.isdecimal() and len(time) < 12 else None
    ref = ref if ref.startswith("refs/") else ""
    if not (_is_id(commit) or commit == "-"):
        return None
    commit = commit.strip("-")
    if word == "tree" and rest:
        # A name may hold blanks, and must not lead out of the worktree.
        tree = " ".join(rest)
        return (
            None
            if "/" in tree or tree in ("", "..")
            else WorktreeNamedEvent(key, at, ref, commit, tree)
        )
    if word == "edit" and rest:
        tree, _, path = " ".join(rest).partition("/")
        inside = tree not in ("", "..") and not {"", ".."}.intersection(path.split("/"))
        return EditEvent(key, at, ref, commit, tree, path) if inside else None
    if word == "commit" and not rest:
        return CommitEvent(key, at, ref, commit)
    if word == "merge" and len(rest) == 1:
        return MergeEvent(key, at, ref, commit, rest[0] == "1")
    if word == "checkout" and len(rest) == 3 and _is_id(rest[0]) and _is_id(rest[1]):
        return CheckoutEvent(key, at, ref, rest[0], rest[1], rest[2] == "1")
    if word == "rewrite" and len(rest) % 2 == 1 and all(map(_is_id, rest[1:])):
        command = rest[0] if rest[0] in ("amend", "rebase") else "other"
        pairs = tuple(zip(rest[1::2], rest[2::2], strict=True))
        return RewriteEvent(key, at, ref, commit, command, pairs)
    return None


def _is_id(text: str) -> bool:
    return len(text) in (40, 64) and _HEX.issuperset(text)
