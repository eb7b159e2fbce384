"""At most one drain of a spool (S-16)."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

from gitmem.spool import lease

HOLD = (
    "import sys; from gitmem.spool import lease; l = lease.try_take_spool_lease(sys.argv[1], 1); "
)


def other(folder: Path, code: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", HOLD + code, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
    )


def test_a_second_one_is_refused_until_the_first_is_released(tmp_path: Path) -> None:
    first = lease.try_take_spool_lease(str(tmp_path), 11)
    assert first is not None
    assert (tmp_path / "drain").read_text() == "11\n"
    assert lease.try_take_spool_lease(str(tmp_path), 12) is None
    assert lease.is_spool_lease_held(str(tmp_path))
    first.release()
    first.release()
    assert not (tmp_path / "drain").exists()
    assert not lease.is_spool_lease_held(str(tmp_path))
    second = lease.try_take_spool_lease(str(tmp_path), 12)
    assert second is not None
    second.release()


def test_a_killed_drain_holds_nothing(tmp_path: Path) -> None:
    with other(tmp_path, "print('held', flush=True); sys.stdin.read()") as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        assert lease.try_take_spool_lease(str(tmp_path), 2) is None
        holder.kill()
    mine = lease.try_take_spool_lease(str(tmp_path), 2)
    assert mine is not None
    mine.release()


def test_of_eight_at_once_one_has_it(tmp_path: Path) -> None:
    code = "print(bool(l), flush=True); sys.stdin.read()"
    many = [other(tmp_path, code) for _ in range(8)]
    answers = [process.stdout.readline() for process in many if process.stdout]
    for process in many:
        process.communicate()
    assert sorted(answers) == [b"False\n"] * 7 + [b"True\n"]


def test_the_hint_of_one_that_lost_the_race_goes_too(tmp_path: Path) -> None:
    mine = lease.try_take_spool_lease(str(tmp_path), 3)
    assert mine is not None
    (tmp_path / "drain").write_text("4711\n")
    mine.release()
    assert not (tmp_path / "drain").exists()


def test_a_settled_drain_is_low_alone_and_unlimited() -> None:
    code = (
        "import os, resource; from gitmem.spool import lease; lease.become_background_process();"
        "print(os.getpriority(os.PRIO_PROCESS, 0), os.getsid(0) == os.getpid(),"
        "resource.getrlimit(resource.RLIMIT_FSIZE)[0])"
    )
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    output = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        check=True,
        cwd=Path(__file__).parents[2],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, hard)),
    ).stdout.split()
    assert output == [b"19", b"True", str(hard).encode()]
    assert os.getpriority(os.PRIO_PROCESS, 0) < 19
