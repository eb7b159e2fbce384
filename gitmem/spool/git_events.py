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
    """An event: a commit was made. ``commit`` is empty if the hook did not know it.

    In all events ``key`` is the same each time the line is read; ``at_seconds`` is since the epoch,
    None where the shell has no clock; ``ref`` is the branch's full name, empty where HEAD is
    detached or the hook did not know it.
    """

    key: str
    at_seconds: int | None
    ref: str
    commit: str


@dataclass(frozen=True, slots=True)
class MergeEvent:
    """An event: a merge or a fast-forward ended at ``commit``.

    ``is_squash``: nothing was committed.
    """

    key: str
    at_seconds: int | None
    ref: str
    commit: str
    is_squash: bool


@dataclass(frozen=True, slots=True)
class CheckoutEvent:
    """An event: HEAD moved to another commit; without ``is_branch_checkout`` only files changed."""

    key: str
    at_seconds: int | None
    ref: str
    old_commit: str
    new_commit: str
    is_branch_checkout: bool


@dataclass(frozen=True, slots=True)
class RewriteEvent:
    """An event: ``command`` (amend or rebase) replaced commits: pairs of old and new.

    ``commit`` is HEAD afterwards. A long rebase comes as several events. Without pairs the hook
    shares its input with another tool, and only the reflog knows what was amended.
    """

    key: str
    at_seconds: int | None
    ref: str
    commit: str
    command: str
    old_new_pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class WorktreeNamedEvent:
    """An event that names a worktree: the next ones are of it, or its index is behind.

    ``worktree`` is the name of a linked worktree's folder in ``worktrees`` of the git directory,
    ``MAIN`` for the main worktree. ``at_seconds`` is None, ``ref`` and ``commit`` are empty.
    """

    key: str
    at_seconds: int | None
    ref: str
    commit: str
    worktree: str


@dataclass(frozen=True, slots=True)
class EditEvent:
    """An event: the file ``path`` of a worktree was changed.

    ``worktree`` names the folder in ``worktrees`` of the git directory, or is ``MAIN``.
    ``at_seconds`` is None, ``ref`` and ``commit`` are empty.
    """

    key: str
    at_seconds: int | None
    ref: str
    commit: str
    worktree: str
    path: str


Event = CommitEvent | MergeEvent | CheckoutEvent | RewriteEvent | WorktreeNamedEvent | EditEvent


def take_git_events(
    folder: str, store_token: str, *, now_ms: int, pid: int
) -> tuple[tuple[Event, ...], LogLineBatch]:
    """The waiting events in the spool ``folder``, and the batch for ``discard_line_batch``.

    ``store_token`` is the word that each line of this store begins with: other lines are skipped,
    since any program or archive can bring a spool. With an empty token every line is taken.
    ``now_ms`` and ``pid`` name the renamed file. Raises OSError.
    """
    return event_log.take_line_batch(
        folder, partial(_event, token=store_token), now_ms=now_ms, pid=pid
    )


def record_outdated_worktree(folder: str, worktree: str, store_token: str) -> bool:
    """Record that the index of a worktree is behind; False if the spool is full. Raises OSError."""
    with suppress(FileExistsError):
        os.mkdir(folder, 0o700)
    line = os.fsencode(f"{store_token} {_MAGIC} tree - - - {worktree}\n")
    return event_log.append_lines(folder, line, max_bytes=MOST)


def record_edited_files(folder: str, worktree: str, paths: Iterable[str], store_token: str) -> bool:
    """Record that files of a worktree were edited; False if the spool is full. Raises OSError."""
    with suppress(FileExistsError):
        os.mkdir(folder, 0o700)
    # A line end in a name would begin another event: then the whole worktree is noted.
    named = (
        f"edit - - - {worktree}/{path}" if "\n" not in path else f"tree - - - {worktree}"
        for path in paths
    )
    lines = b"".join(os.fsencode(f"{store_token} {_MAGIC} {event}\n") for event in named)
    return event_log.append_lines(folder, lines, max_bytes=MOST)


def event_name_of_worktree(git_dir: str, *, is_linked: bool) -> str:
    """The name that events have for the worktree with this git directory."""
    return os.path.basename(git_dir) if is_linked else MAIN


def parse_git_events(content: bytes, file_key: str, store_token: str) -> tuple[list[Event], int]:
    """The events in a file, and the number of invalid lines.

    ``file_key`` identifies the file; lines that do not begin with ``store_token`` are invalid.
    """
    return event_log.parse_lines(content, partial(_event, token=store_token), file_key)


def remove_empty_spool(folder: str) -> None:
    """Remove the folder with the logs of events if nothing waits in it."""
    if event_log.count_unread_bytes(folder):
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
