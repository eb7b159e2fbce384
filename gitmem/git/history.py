"""Queries on a repository's history, each a single git command.

Every function takes ``cwd``: ``RepositoryLayout.cwd``, the root of a worktree or a bare git
directory. Commits are streamed: the child ends when the reader stops. No query makes git verify a
signature, run a diff driver or fetch what a partial clone lacks.
"""

from __future__ import annotations

from itertools import pairwise

from gitmem.errors import NotFound, Unavailable
from gitmem.git.head import is_commit_id
from gitmem.git.log_output import (
    FORMAT,
    LATEST,
    Commit,
    merged_branch_names,
    parse_commit_timestamp,
    parse_commits,
)
from gitmem.git.process import git_failure_error
from gitmem.git.runner import call_git, run_git, stream_git

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

__all__ = [
    "Commit",
    "commits_between",
    "branch_tip_commits",
    "commit_time",
    "latest_release_tag",
    "list_commits",
    "unreferenced_commits",
    "merged_branch_names",
    "commit_before_amend",
    "resolve_commit",
    "root_commits",
]

# Renames would need the content of both sides, which a partial clone may lack; a rename appears as
# its two paths. An order file named by the repository is disabled.
_PATHS = ("--name-only", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-relative")
_ORDER = "-O/dev/null"
_LONGEST_REVISION = 1000
_MOST_TIPS = 1000  # passed to git at once
_REFLOG = 1000  # entries of a reflog examined for an amended commit
# Parts of the tags of pre-releases.
NOT_RELEASES = ("*dev*", "*rc[0-9]*", "*-rc*", "*alpha*", "*beta*", "*nightly*", "*[0-9]a[0-9]*")


def list_commits(
    cwd: str,
    *,
    since_commit: str | None = None,
    until: str = "HEAD",
    since_seconds: int | None = None,
    limit: int | None = None,
    with_paths: bool = False,
    first_parent_only: bool = False,
    merges: bool | None = None,
    author: str | None = None,
) -> Iterator[Commit]:
    """Yield each Commit reachable from ``until`` and not from ``since_commit``, newest first.

    ``since_seconds`` is the earliest commit date, in seconds since 1970; ``merges`` True gives only
    merges, False none; ``author`` is a part of a name, as plain text. ``with_paths`` adds the
    changed paths to each commit, unless a partial clone lacks them. Empty on a branch without
    commits. Raises NotFound for an unknown revision: for a name at once, for a full id with the
    first commit.
    """
    tip = _end(cwd, until) if until != "HEAD" else _head(cwd)
    if tip is None:
        return iter(())
    args = ["-z", f"--format={FORMAT}", "--no-show-signature", "--no-color"]
    args += [f"--max-count={limit}"] if limit is not None else []
    args += ["--first-parent"] if first_parent_only else []
    args += [] if merges is None else ["--merges" if merges else "--no-merges"]
    args += [] if author is None else ["--fixed-strings", f"--author={author}"]
    # With its zone: git reads a bare small "@1" as "now".
    args += (
        [] if since_seconds is None else [f"--since=@{min(max(since_seconds, 0), LATEST)} +0000"]
    )
    ends = [tip] if since_commit is None else [tip, f"^{_end(cwd, since_commit)}"]
    return _commits(cwd, args, ends, with_paths)


def _commits(cwd: str, args: Sequence[str], ends: Sequence[str], paths: bool) -> Iterator[Commit]:
    """Parse the stream; where trees are missing go on without paths after the last good commit."""
    yielded = 0
    try:
        for commit in _run_log(cwd, [*args, *(_PATHS if paths else ()), _ORDER], ends):
            yield commit
            yielded += 1
    except Unavailable:
        if not paths:
            raise
        for number, commit in enumerate(_run_log(cwd, args, ends)):
            if number >= yielded:
                yield commit


def _run_log(cwd: str, args: Sequence[str], ends: Sequence[str]) -> Iterator[Commit]:
    yield from parse_commits(stream_git(["log", *args, "--end-of-options", *ends, "--"], cwd=cwd))


def resolve_commit(cwd: str, revision: str) -> str | None:
    """The full id of the commit that ``revision`` names; None when it names none.

    Safe for any text: a leading dash is no option, a range no revision. Raises GitmemError only
    when the repository itself cannot be read.
    """
    if is_commit_id(revision):
        question = ["cat-file", "-e", f"{revision}^{{commit}}"]
        return revision if _answers(cwd, question) is not None else None
    if not revision or len(revision) > _LONGEST_REVISION or not revision.isprintable():
        return None
    out = _answers(
        cwd, ["rev-parse", "--verify", "-q", "--end-of-options", f"{revision}^{{commit}}"]
    )
    lines = (out or b"").decode("ascii", "replace").split()
    return lines[-1] if lines and is_commit_id(lines[-1]) else None


def _answers(cwd: str, question: list[str]) -> bytes | None:
    """The output of a command about a revision; None when git says that it does not exist."""
    done = call_git(question, cwd=cwd)
    if done.status == 0:
        return done.out
    error = git_failure_error(question, done, cwd)
    if done.status not in (1, 128) or not isinstance(error, (NotFound, Unavailable)):
        raise error
    return None


def _end(cwd: str, revision: str) -> str:
    """A revision for a walk, checked unless it is a full id: the walk itself checks that."""
    return revision if is_commit_id(revision) else _known(cwd, revision)


def _known(cwd: str, revision: str) -> str:
    sha = resolve_commit(cwd, revision)
    if sha is None:
        raise NotFound(f"There is no commit {revision!r} here.", "Check the name with: git log")
    return sha


def _head(cwd: str) -> str | None:
    """``HEAD``, or None on a branch without commits."""
    return resolve_commit(cwd, "HEAD")


def commit_time(cwd: str, revision: str) -> int | None:
    """The commit date in seconds since 1970; None when there is no such commit."""
    sha = resolve_commit(cwd, revision)
    if sha is None:
        return None
    return parse_commit_timestamp(
        run_git(["log", "-1", "--format=%ct", "--no-show-signature", sha, "--"], cwd=cwd)
    )


def latest_release_tag(cwd: str, revision: str = "HEAD") -> str | None:
    """The nearest tag of a release in the history of ``revision``; None when there is none.

    A release tag has a digit. Those of pre-releases (dev, rc, alpha, beta, nightly) count only when
    there are no others.
    """
    sha = resolve_commit(cwd, revision)
    if sha is None:
        return None
    plain = ["describe", "--tags", "--abbrev=0", "--match=*[0-9]*"]
    strict = [*plain, *(f"--exclude={pattern}" for pattern in NOT_RELEASES)]
    for args in (strict, plain):
        done = call_git([*args, sha], cwd=cwd)
        if done.status == 0:
            return done.out.decode("utf-8", "surrogateescape").rstrip("\n")
    return None


def read_reflog(cwd: str, ref: str = "HEAD", *, timeout: float = 10.0) -> list[tuple[str, str]]:
    """(commit id, git's message) of a ref's last 1,000 moves, newest first; empty if unknown.

    ``timeout`` is in seconds.
    """
    args = ["log", "-g", "-z", f"--max-count={_REFLOG}", "--format=%H %gs", "--no-show-signature"]
    done = call_git([*args, "--end-of-options", ref, "--"], cwd=cwd, timeout=timeout)
    lines = done.out.decode("utf-8", "replace").split("\0") if done.status == 0 else []
    pairs = [line.partition(" ")[::2] for line in lines]
    return [(commit, message) for commit, message in pairs if is_commit_id(commit)]


def commit_before_amend(cwd: str, ref: str, commit: str) -> str | None:
    """The id of the commit that ``git commit --amend`` replaced by ``commit`` on the ref ``ref``.

    None where the reflog does not say: it is missing, has expired, or holds something else.
    """
    for (new, message), (old, _) in pairwise(read_reflog(cwd, ref)):
        if new == commit and message.startswith("commit (amend)"):
            return old
    return None


def reachable_commits(cwd: str) -> frozenset[str]:
    """The ids of all commits that HEAD or any ref reaches."""
    head = _head(cwd)
    out = run_git(["rev-list", "--all", *([head] if head else []), "--"], cwd=cwd, timeout=60.0)
    return frozenset(out.decode("ascii", "replace").split())


def commits_between(cwd: str, old_commit: str, new_commit: str) -> frozenset[str]:
    """The ids of the commits in the history of ``new_commit`` and not in that of ``old_commit``.

    An empty ``new_commit`` is HEAD, an empty ``old_commit`` leaves nothing out. Raises NotFound for
    a revision that does not exist.
    """
    ends = [
        _known(cwd, new_commit or "HEAD"),
        *([f"^{_known(cwd, old_commit)}"] if old_commit else []),
    ]
    out = run_git(["rev-list", *ends, "--"], cwd=cwd, timeout=60.0)
    return frozenset(out.decode("ascii", "replace").split())


def branch_tip_commits(cwd: str, head_commit: str) -> frozenset[str]:
    """The ids of the newest commits of all local branches, and ``head_commit`` (empty: none)."""
    out = run_git(["for-each-ref", "--format=%(objectname)", "refs/heads"], cwd=cwd)
    return frozenset([*out.decode("ascii", "replace").split(), *filter(None, [head_commit])])


def unreferenced_commits(
    cwd: str, old_tip_commits: Collection[str], head_commit: str
) -> frozenset[str]:
    """The ids of commits that only ``old_tip_commits`` lead to, neither a ref nor ``head_commit``.

    ``old_tip_commits`` are commit ids, of which 1,000 are looked at; ``head_commit`` is the commit
    of HEAD, or empty.
    """
    if not old_tip_commits:
        return frozenset()
    ends = ["--not", "--all", *filter(None, [head_commit])]
    args = ["rev-list", "--ignore-missing", *sorted(old_tip_commits)[:_MOST_TIPS], *ends, "--"]
    return frozenset(run_git(args, cwd=cwd, timeout=60.0).decode("ascii", "replace").split())


def root_commits(cwd: str) -> tuple[tuple[int, str], ...]:
    """(commit date, id) of each commit without parents on local branches and HEAD, oldest first.

    Dates are seconds since 1970. Wrong in a shallow clone, whose history is cut.
    """
    args = ["log", "--max-parents=0", "--format=%ct %H", "--no-show-signature", "--branches"]
    head = _head(cwd)
    out = run_git([*args, *([head] if head else []), "--"], cwd=cwd, timeout=60.0)
    pairs = (line.split() for line in out.decode("ascii", "replace").splitlines())
    return tuple(sorted((parse_commit_timestamp(when.encode()), sha) for when, sha in pairs))
