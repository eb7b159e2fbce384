"""The real program, killed by the kernel at its n-th system call (S-02).

``test_s02_each_change`` does the same inside one process, for every verb and every change; here
nothing of ours counts the calls: strace does, where it is installed and may trace.
"""

from __future__ import annotations

import itertools
import shutil
import signal
import subprocess

import pytest

from tests.reliability.scoring import Score
from tests.reliability.worlds import problems
from tests.support.cli import Program
from tests.support.stores import open_store

CALLS = ("pwrite64", "fdatasync", "unlink", "fsync", "rename", "ftruncate")
WORK = (
    ("remember", "Said under strace"),
    ("backup",),
    ("restore-backup", "--yes"),
    ("export", "out.jsonl", "--force"),
    ("purge", "--yes"),
)


def traces() -> bool:
    """Whether there is an strace that may inject a signal."""
    if not shutil.which("strace"):
        return False
    words = ["strace", "-o", "/dev/null", "-e", "inject=write:signal=SIGKILL:when=1", "echo", "x"]
    return subprocess.run(words, capture_output=True, check=False).returncode != 0


def killed(program: Program, words: tuple[str, ...], call: str, number: int) -> bool:
    """Whether there was such a call to be killed at."""
    inject = f"inject={call}:signal=SIGKILL:when={number}"
    prefix = ("strace", "-f", "-o", "/dev/null", "-e", f"trace={call}", "-e", inject)
    return program(*words, status=None, prefix=prefix).status == -signal.SIGKILL


@pytest.mark.skipif(not traces(), reason="strace is not installed, or may not trace")
def test_a_command_killed_at_a_system_call_is_done_or_not(program: Program, score: Score) -> None:
    store = program.cwd / ".gitmem" / "memory.db"
    output = program("remember", "Redis listens on 6380", "--json").json["id"]
    program("backup")
    most = score.size(quick=1, full=2, nightly=60)
    works = WORK[: score.size(quick=2, full=len(WORK))]
    cases = fired = 0
    for work, call in itertools.product(works, CALLS[: score.size(quick=2, full=len(CALLS))]):
        for number in range(1, most + 1):
            words = work
            if work[0] == "purge":
                doomed = program("remember", f"Doomed {call} {number}", "--json").json["id"]
                words = (*work, doomed)
            cases += 1
            if not killed(program, words, call, number):
                break
            fired += 1
            database = open_store(str(store))
            assert problems(database) == [], (words, call, number)
            assert database.value("SELECT count(*) FROM memories WHERE id = ?", (output,)) == 1
            database.close()
    for work in works:
        if work[0] != "purge":
            program(*work)
    score.report("commands killed by strace", cases=cases, fired=fired)
