"""Rows of the scoreboard, each in a pytest of its own: two at a time, those with a clock alone."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from importlib.metadata import version
from pathlib import Path
from typing import Any

import apsw

from tests.reliability.scoreboard import ROOT, Row
from tests.reliability.scoring import quiet, result_file

# What a result is about: as long as nothing of it changed, the row need not run again.
TESTED = ("gitmem", "hooks", "tests", "pyproject.toml", ":!tests/reliability/results")
SETTLE = 30.0  # seconds, at most, until the load of the row before has left the average
LONGEST = 9000  # seconds for one test


def settle() -> None:
    """Wait until nothing else runs, as far as the average of a minute tells."""
    end = time.monotonic() + SETTLE
    while not quiet() and time.monotonic() < end:
        time.sleep(1)


def each(
    rows: Sequence[Row],
    call: Callable[[Row], dict[str, Any]],
    workers: int = 2,
    wait: Callable[[], None] = settle,
) -> Iterator[dict[str, Any]]:
    """The results of rows as they come in: first the timed ones, one at a time, each after a
    ``wait``, then the others.

    A row whose result cannot be had counts as failed, and the others run all the same.
    """
    for row in rows:
        if row.timed:
            wait()
            yield _caught(call, row)
    with ThreadPoolExecutor(workers) as pool:
        begun = [pool.submit(_caught, call, row) for row in rows if not row.timed]
        for done in as_completed(begun):
            yield done.result()


def _caught(call: Callable[[Row], dict[str, Any]], row: Row) -> dict[str, Any]:
    try:
        return call(row)
    except Exception as error:
        print(f"{row.id}: {error!r}", file=sys.stderr)
        return _result(row, "failed", seconds=0.0, cpu=0.0)


def longest_first(rows: Iterable[Row], tier: str) -> list[Row]:
    """By what each took the last time, the unknown first: the end is not one long row."""
    return sorted(rows, key=lambda row: -_seconds(row, tier))


def _seconds(row: Row, tier: str) -> float:
    file = result_file(row.id, tier)
    return float(json.loads(file.read_text())["seconds"]) if file.exists() else float("inf")


def together(rows: Iterable[Row], tier: str, workers: int) -> dict[str, Any]:
    """All files of rows in one pytest, as in an ordinary run: how it ended and what it took."""
    files = sorted({file for row in rows for file in row.files})
    with tempfile.TemporaryDirectory() as folder:
        result, begun = Path(folder, "said"), time.monotonic()
        words = [sys.executable, "-m", "pytest", "-q", "-n", str(workers), f"--tier={tier}", *files]
        status, cpu = _finished(words, result)
        if status:
            print(result.read_text(errors="replace")[-6000:])
    seconds = round(time.monotonic() - begun, 1)
    return {"result": "failed" if status else "passed", "seconds": seconds, "cpu": round(cpu, 1)}


def run(row: Row, tier: str) -> dict[str, Any]:
    """The result of one row: what its tests told, and what they took."""
    with tempfile.TemporaryDirectory() as folder:
        scores, result = Path(folder, "scores"), Path(folder, "said")
        begun = time.monotonic()
        words = [
            *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "0"),
            *(f"--timeout={LONGEST}", f"--tier={tier}", f"--scores={scores}", *row.files),
        ]
        status, cpu = _finished(words, result)
        lines = scores.read_text().splitlines() if scores.exists() else []
        out = result.read_text(errors="replace")
    if status:
        print(out[-6000:])
    took = {"seconds": round(time.monotonic() - begun, 1), "cpu": round(cpu, 1)}
    messages = [json.loads(line) for line in sorted(lines)]
    return _result(row, "failed" if status else "passed", messages, passed=_passed(out), **took)


def _result(
    row: Row, result: str, told: Sequence[dict[str, Any]] = (), *, passed: int = 0, **took: float
) -> dict[str, Any]:
    return {
        "row": row.id,
        "result": result,
        "passed": passed,
        **took,
        "reports": _added_up([report for line in told for report in line["reports"]]),
        "limits": [limit for line in told for limit in line["limits"]],
    }


def _finished(words: list[str], path: Path) -> tuple[int, float]:
    """Run a command: its status and seconds of CPU, those it waited for included."""
    with path.open("wb") as out:
        process = subprocess.Popen(
            words, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT
        )
        # By itself, for other rows are children too.
        _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, used.ru_utime + used.ru_stime


def is_kept(row: Row, tier: str) -> bool:
    """Whether it passed, and nothing of what it tries has changed since."""
    file = result_file(row.id, tier)
    if not file.exists():
        return False
    data = json.loads(file.read_text())
    changed = subprocess.run(
        ["git", "diff", "--quiet", data["commit"], "--", *TESTED],
        cwd=ROOT,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    return data["result"] == "passed" and changed.returncode == 0


def _added_up(reports: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Reports of one name as one: a test may be cut into batches for several processes."""
    sums: dict[str, dict[str, Any]] = {}
    for report in reports:
        of = sums.setdefault(report["name"], {"name": report["name"], "cases": 0, "fired": 0})
        of["cases"], of["fired"] = of["cases"] + report["cases"], of["fired"] + report["fired"]
        numbers = of.setdefault("numbers", {})
        for name, value in report["numbers"].items():
            numbers[name] = numbers.get(name, 0) + value
    return [*sums.values()]


def _passed(out: str) -> int:
    """How many tests passed, by pytest's last line."""
    words = out.strip().rpartition("\n")[2].replace(",", "").split()
    return int(words[words.index("passed") - 1]) if "passed" in words else 0


def last_commit() -> str:
    """The short name of the last commit."""
    return _message("git", "rev-parse", "--short", "HEAD")


def versions() -> dict[str, str]:
    """What a result may depend on: name -> version."""
    return {
        "Python": platform.python_version(),
        "SQLite": apsw.sqlite_lib_version(),
        "sqlite-vec": version("sqlite-vec"),
        "git": _message("git", "--version").removeprefix("git version "),
    }


def _message(*words: str) -> str:
    return subprocess.run(
        words, cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.strip()
