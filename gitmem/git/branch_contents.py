"""Local branches: their names, and the blobs of their tips."""

from __future__ import annotations

from gitmem.git.runner import run_git

_MOST_OUTPUT = 256 << 20


def blobs(cwd: str, most: int) -> frozenset[str]:
    """The ids of all blobs (and trees) in the tips of the ``most`` latest branches."""
    args = ["for-each-ref", f"--count={most}", "--sort=-committerdate"]
    named = run_git([*args, "--format=%(objectname)", "refs/heads"], cwd=cwd)
    heads = sorted(set(named.decode("ascii", "replace").split()))
    if not heads:
        return frozenset()
    # Folders that several tips share are walked once.
    walked = ["rev-list", "--objects", "--no-walk=unsorted", "--stdin"]
    lines = "".join(f"{head}\n" for head in heads).encode("ascii")
    out = run_git(walked, cwd=cwd, stdin=lines, max_bytes=_MOST_OUTPUT, timeout=60.0)
    return frozenset(line.partition(b" ")[0].decode("ascii") for line in out.split(b"\n") if line)


def names(cwd: str, most: int, beginning: str = "") -> list[str]:
    """Local branches whose names start with ``beginning``, the latest first; at most ``most``."""
    args = ["for-each-ref", "--sort=-committerdate", "--format=%(refname:lstrip=2)", "refs/heads"]
    branches = run_git(args, cwd=cwd).decode("utf-8", "replace").splitlines()
    return [name for name in branches if name.startswith(beginning)][:most]
