"""Local branches: their names, and the blobs of the commits in which they end."""

from __future__ import annotations

from gitmem.git.runner import run_git

_MOST_OUTPUT = 256 << 20


def blobs(cwd: str, most: int) -> frozenset[str]:
    """The ids of all blobs (and trees) in which the ``most`` latest branches end."""
    args = ["for-each-ref", f"--count={most}", "--sort=-committerdate"]
    named = run_git([*args, "--format=%(objectname)", "refs/heads"], cwd=cwd)
    heads = sorted(set(named.decode("ascii", "replace").split()))
    if not heads:
        return frozenset()
    # Folders that several have in common are walked once.
    walked = ["rev-list", "--objects", "--no-walk=unsorted", "--stdin"]
    lines = "".join(f"{head}\n" for head in heads).encode("ascii")
    out = run_git(walked, cwd=cwd, stdin=lines, max_bytes=_MOST_OUTPUT, timeout=60.0)
    return frozenset(line.partition(b" ")[0].decode("ascii") for line in out.split(b"\n") if line)


def names(cwd: str, most: int, beginning: str = "") -> list[str]:
    """Local branches whose names begin so, the latest used first; at most ``most``."""
    args = ["for-each-ref", "--sort=-committerdate", "--format=%(refname:lstrip=2)", "refs/heads"]
    branches = run_git(args, cwd=cwd).decode("utf-8", "replace").splitlines()
    return [name for name in branches if name.startswith(beginning)][:most]
