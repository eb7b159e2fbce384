"""Measuring whole processes, and showing what came out.

The unit is CPU: user plus system time of a process and of every child it waited for, as the kernel
counted it. Wall time says more about what else the machine was doing; it is shown beside it.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Timing:
    """What some runs of one thing took, in milliseconds."""

    name: str
    cpu: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)

    @property
    def least(self) -> float:
        """The smallest CPU time: what the thing itself costs, without the neighbours."""
        return min(self.cpu)


def run(command: Sequence[str], *, cwd: Path, env: Mapping[str, str]) -> tuple[float, float]:
    """CPU and wall milliseconds of one command. It must succeed."""
    begin = time.perf_counter()
    with subprocess.Popen(
        command,
        cwd=cwd,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as child:
        assert child.stderr is not None
        result = child.stderr.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - begin
    if child.returncode:
        raise SystemExit(f"{' '.join(command)} failed: {result.decode('utf-8', 'replace')}")
    return (usage.ru_utime + usage.ru_stime) * 1000, wall * 1000


def sample(
    jobs: Mapping[str, Sequence[str]],
    runs: int,
    *,
    cwd: Path | Mapping[str, Path],
    env: Mapping[str, str],
    before: Callable[[str], None] = lambda _name: None,
) -> dict[str, Timing]:
    """Each job ``runs`` times, in turn, so that a slow minute of the machine hits all alike.

    ``before`` prepares a job outside the measured time. A first round writes byte code and fills
    the disk's cache; it is thrown away.
    """
    timings = {name: Timing(name) for name in jobs}
    for number in range(runs + 1):
        for name, command in jobs.items():
            before(name)
            cpu, wall = run(command, cwd=cwd if isinstance(cwd, Path) else cwd[name], env=env)
            if number:
                timings[name].cpu.append(cpu)
                timings[name].wall.append(wall)
    return timings


def child_environment(base: Mapping[str, str]) -> dict[str, str]:
    """The environment of a user's shell: byte code is written and read."""
    unwanted = (
        "PYTHONDONTWRITEBYTECODE",
        "PYTHONUNBUFFERED",
        "PYTHONPATH",
        "PYTHONPROFILEIMPORTTIME",
    )
    return {name: value for name, value in base.items() if name not in unwanted}


def gitmem(script: str | None) -> list[str]:
    """How gitmem is started: the installed console script, else ``python -m gitmem``."""
    beside = Path(sys.executable).with_name("gitmem")
    if script:
        return [script]
    return [str(beside)] if beside.exists() else [sys.executable, "-m", "gitmem"]


def table(heads: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Columns, the first to the left and the others to the right."""
    cells = [list(heads), *([_cell(value) for value in row] for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(heads))]
    return "\n".join(
        "  ".join(
            text.ljust(width) if column == 0 else text.rjust(width)
            for column, (text, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in cells
    )


def _cell(value: object) -> str:
    return f"{value:.1f}" if isinstance(value, float) else str(value)


def median(values: Sequence[float]) -> float:
    """The middle one."""
    return statistics.median(values)


def percentile(values: Sequence[float], share: float) -> float:
    """The value below or at which that share of all values lies (nearest rank)."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, max(0, round(share * len(ordered)) - 1))]


def machine() -> str:
    """One line on where the numbers were taken."""
    import apsw

    git = subprocess.run(["git", "--version"], capture_output=True, text=True, check=True).stdout
    return (
        f"{platform.system()} {platform.machine()}, {os.cpu_count()} CPUs, load "
        f"{os.getloadavg()[0]:.1f}; Python {platform.python_version()}, "
        f"SQLite {apsw.sqlite_lib_version()}, {git.strip()}"
    )


def arguments(text: str, runs: int) -> argparse.ArgumentParser:
    """The options every benchmark has."""
    parser = argparse.ArgumentParser(
        description=text, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=runs, help=f"repeats ({runs} if not given)")
    return parser


def verdict(failures: Sequence[str]) -> int:
    """Say what is over its bar; the exit status."""
    for failure in failures:
        print(f"OVER THE BAR: {failure}")
    if not failures:
        print("within all bars")
    return 1 if failures else 0
