"""Finding the files that differ from a commit, and the earlier versions of a file.

Names are taken literally, never as patterns; no diff driver or filter of the repository runs.
"""

from __future__ import annotations

from gitmem.git.content_filters import settings_disabling_filters
from gitmem.git.display import decode_path
from gitmem.git.history import resolve_commit
from gitmem.git.runner import run_git, stream_git

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gitmem.git.layout import RepositoryLayout

_STATUS = (
    *("--porcelain=v1", "-z", "--no-renames", "--untracked-files=all", "--ignore-submodules=all"),
    "--no-ahead-behind",
)
_RAW = ("--raw", "--no-abbrev", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-relative")


def files_changed_since(
    layout: RepositoryLayout, commit: str, head_commit: str
) -> list[str] | None:
    """The paths of the worktree's files that differ from ``commit``, untracked ones included.

    ``head_commit`` is the commit of HEAD. None where git cannot compare: in a plain folder (one
    without git), in a bare repository, or if ``commit`` is not here.
    """
    if layout.worktree is None or layout.plain or not (commit and head_commit):
        return None
    paths = _unsaved(layout.worktree, settings_disabling_filters(layout))
    if head_commit != commit:
        if resolve_commit(layout.cwd, commit) is None:
            return None
        args = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", "--no-ext-diff"]
        out = run_git([*args, "--end-of-options", commit, head_commit, "--"], cwd=layout.cwd)
        paths += [decode_path(name) for name in out.split(b"\0") if name]
    return list(dict.fromkeys(paths))


def _unsaved(worktree: str, config: tuple[tuple[str, str], ...]) -> list[str]:
    out = run_git(["status", *_STATUS], cwd=worktree, config=config)
    return [decode_path(record[3:]) for record in out.split(b"\0") if len(record) > 3]


def versions_of_path(
    cwd: str, path: str, *, since: str = "", until: str = "HEAD", limit: int = 50
) -> list[tuple[str, str]]:
    """The versions of a file as (commit, blob id) up to the commit ``until``, newest first.

    The blob id is empty where the path was deleted or is no file. Commits that ``since`` reaches
    are left out, if it still exists. Empty if ``until`` names no commit.
    """
    head = resolve_commit(cwd, until)
    if head is None:
        return []
    ends = [head]
    if since and resolve_commit(cwd, since) is not None:
        ends.append(f"^{since}")
    args = ["log", "-z", "--format=%H", *_RAW, f"--max-count={limit}", "--no-show-signature"]
    args += ["-O/dev/null", "--end-of-options", *ends, "--", path]
    return list(_entries(_tokens(stream_git(args, cwd=cwd))))


def _tokens(chunks: Iterable[bytes]) -> Iterator[bytes]:
    rest = b""
    for chunk in chunks:
        *whole, rest = (rest + chunk).split(b"\0")
        yield from whole
    if rest:
        yield rest


def _entries(tokens: Iterator[bytes]) -> Iterator[tuple[str, str]]:
    """A commit's id, then ``:modes old new letter`` and the path; a merge may have no change."""
    commit = ""
    for token in tokens:
        word = token.strip(b"\n").decode("ascii", "replace")
        if word.startswith(":"):
            next(tokens, b"")
            fields = word.split(" ")
            file = len(fields) > 3 and fields[1].startswith("100")
            yield commit, fields[3] if file else ""
        elif word:
            commit = word
