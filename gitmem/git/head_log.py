"""Where a worktree's HEAD was, and which commits were made in it when, from git's reflog.

The file is read, git is not run. Without a reflog, or once its lines expired, nothing is known.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress

from gitmem.files.plain_file import open_regular_file
from gitmem.git.head import is_commit_id
from gitmem.model.frozen import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.git.layout import RepositoryLayout

_MOST = 4 << 20  # bytes read from the end
_MOVED = "checkout: moving from "
# The commands that make a commit, by the beginnings of what git notes of them.
_MAKING = ("commit", "cherry-pick", "merge", "rebase", "revert", "am", "pull")


@dataclass(frozen=True, slots=True)
class HeadReflogEntry:
    """An entry of HEAD's reflog: HEAD moved to ``commit`` at ``at_ms`` (ms since 1970).

    ``message`` is git's text about it, such as "checkout: moving from main to dev".
    """

    commit: str
    at_ms: int
    message: str


def read_head_reflog(layout: RepositoryLayout) -> list[HeadReflogEntry]:
    """The HeadMoves in the reflog of a worktree's HEAD, oldest first; empty if there is none."""
    path = os.path.join(layout.git_dir, "logs", "HEAD")
    head_moves = []
    with (
        suppress(OSError),
        open_regular_file(path, extra_flags=getattr(os, "O_NOFOLLOW", 0)) as file,
    ):
        file.seek(max(0, os.fstat(file.fileno()).st_size - _MOST))
        for line in file.read().decode("utf-8", "replace").splitlines():
            about, _, message = line.partition("\t")
            words = about.split(" ")
            if len(words) > 4 and is_commit_id(words[1]) and words[-2].isdecimal():
                head_moves.append(HeadReflogEntry(words[1], int(words[-2]) * 1000, message))
    return head_moves


def branch_checked_out_at(
    reflog_entries: Sequence[HeadReflogEntry], at_ms: int, current_branch: str
) -> str:
    """The branch that was checked out at ``at_ms`` (ms since 1970); empty if unknown.

    ``reflog_entries`` come from ``read_head_reflog``; ``current_branch`` is the branch of now.
    """
    if not reflog_entries or at_ms < reflog_entries[0].at_ms:
        return ""
    for move in reflog_entries:
        if move.at_ms > at_ms and move.message.startswith(_MOVED):
            source = move.message.removeprefix(_MOVED).partition(" to ")[0]
            return "" if is_commit_id(source) else source
    return current_branch


def commits_made_between(
    reflog_entries: Sequence[HeadReflogEntry], begin_ms: int, end_ms: int
) -> list[str]:
    """The ids of the commits made between two times (ms), by ``reflog_entries``, oldest first."""
    made = [
        move.commit
        for move in reflog_entries
        if begin_ms <= move.at_ms <= end_ms
        and move.message.startswith(_MAKING)
        and not move.message.startswith(("rebase (start)", "rebase (finish)"))
    ]
    return list(dict.fromkeys(made))
