"""Finding the commits that each release added, by one walk over all release tags."""

from __future__ import annotations

from fnmatch import fnmatch

from gitmem.git.history import NOT_RELEASES
from gitmem.git.lines.line_history import GRACE, read_until_deadline
from gitmem.git.runner import call_git, stream_git

# Seconds of CPU; for a history that takes longer no releases are known.
SECONDS = 3.0
# Of an annotated tag its commit. In the order of commit dates: tags may be made much later.
_COMMIT = "%(if)%(*objectname)%(then)%(*committerdate:unix) %(*objectname)%(else)"
_FORMAT = f"--format={_COMMIT}%(committerdate:unix) %(objectname)%(end) %(refname:lstrip=2)"


def commits_by_release(cwd: str, *, timeout: float = SECONDS) -> list[tuple[str, list[str]]]:
    """(tag, ids of the commits that this release added) of each release, the oldest first.

    A release tag has a digit; pre-releases (rc, alpha, nightly) count only where there are no
    others. Empty where git takes longer than ``timeout`` seconds of CPU. Raises GitmemError.
    """
    tags = _tags(cwd)
    if not tags:
        return []
    args = ["rev-list", "--parents", "--tags", "--end-of-options"]
    records, whole = read_until_deadline(
        stream_git(args, cwd=cwd, timeout=timeout, grace_factor=GRACE)
    )
    if not whole:
        return []
    rows = (line.split() for line in b"".join(records).decode("ascii").split("\n") if line)
    parents = {row[0]: row[1:] for row in rows}
    releases = []
    for name, commit in tags:
        gained, open_ends = [], [commit]
        while open_ends:
            sha = open_ends.pop()
            if (above := parents.pop(sha, None)) is not None:
                gained.append(sha)
                open_ends += above
        releases.append((name, gained))
    return releases


def _tags(cwd: str) -> list[tuple[str, str]]:
    """The release tags with their commits, the oldest first."""
    done = call_git(["for-each-ref", _FORMAT, "refs/tags"], cwd=cwd)
    lines = done.out.decode("utf-8", "replace").split("\n") if done.status == 0 else []
    rows = []
    for line in lines:
        at, _, rest = line.partition(" ")
        commit, _, name = rest.partition(" ")
        if at.isdigit() and any(map(str.isdigit, name)):
            rows.append((int(at), name, commit))
    final = [row for row in rows if not any(fnmatch(row[1], pattern) for pattern in NOT_RELEASES)]
    return [(name, commit) for _, name, commit in sorted(final or rows)]
