"""Run rows of the scoreboard, keep their results, and write docs/reliability.md.

    python -m tests.reliability --tier full --date 2026-11-23
    python -m tests.reliability --tier full --row S-03 --date 2026-11-23
    python -m tests.reliability --page            # only the page, from the results that are kept

Rows run one after the other, each in a pytest of its own, so that no time is another row's. Exits
with 1 where a row failed; its result is kept all the same.
"""

from __future__ import annotations

import argparse
import json
import platform
import resource
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

import apsw

from tests.reliability.page import PAGE, page
from tests.reliability.scoreboard import ROOT, ROWS, Row
from tests.reliability.scoring import RESULTS, TIERS, result_file


def main() -> int:
    asked = _arguments()
    failed = []
    for row in ROWS:
        if asked.page or row.waits or (asked.row and row.id not in asked.row):
            continue
        told = _run(row, asked.tier) | {"date": asked.date}
        RESULTS.mkdir(exist_ok=True)
        result_file(row, asked.tier).write_text(json.dumps(told, indent=1) + "\n")
        print(f"{row.id}: {told['result']} in {told['seconds']:.0f} s", flush=True)
        failed += [row.id] if told["result"] != "passed" else []
    PAGE.write_text(page())
    return 1 if failed else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.reliability")
    parser.add_argument("--tier", choices=TIERS, default="quick")
    parser.add_argument("--row", action="append", choices=[row.id for row in ROWS])
    parser.add_argument("--date", default="", help="of this run, for the page: YYYY-MM-DD")
    parser.add_argument("--page", action="store_true", help="run nothing")
    asked = parser.parse_args()
    if not (asked.page or asked.date):
        parser.error("--date is missing")
    return asked


def _run(row: Row, tier: str) -> dict[str, Any]:
    """The result of one row: what its tests told, and what they took."""
    with tempfile.TemporaryDirectory() as folder:
        scores = Path(folder, "scores")
        before, begun, commit = _cpu(), time.monotonic(), _commit()
        done = subprocess.run(
            [
                *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "0"),
                *("--timeout=3000", f"--tier={tier}", f"--scores={scores}", *row.files),
            ],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        lines = scores.read_text().splitlines() if scores.exists() else []
    told = [json.loads(line) for line in sorted(lines)]
    if done.returncode:
        print(done.stdout[-4000:], done.stderr[-2000:], sep="\n")
    return {
        "row": row.id,
        "tier": tier,
        "result": "failed" if done.returncode else "passed",
        "passed": _passed(done.stdout),
        "seconds": round(time.monotonic() - begun, 1),
        "cpu": round(_cpu() - before, 1),
        "commit": commit,
        "versions": _versions(),
        "reports": _added_up([one for line in told for one in line["reports"]]),
        "limits": [one for line in told for one in line["limits"]],
    }


def _added_up(reports: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Reports of one name as one: a test may be cut into batches for several processes."""
    sums: dict[str, dict[str, Any]] = {}
    for one in reports:
        of = sums.setdefault(one["name"], {"name": one["name"], "cases": 0, "fired": 0})
        of["cases"], of["fired"] = of["cases"] + one["cases"], of["fired"] + one["fired"]
        numbers = of.setdefault("numbers", {})
        for name, value in one["numbers"].items():
            numbers[name] = numbers.get(name, 0) + value
    return [*sums.values()]


def _passed(out: str) -> int:
    """How many tests passed, by pytest's last line."""
    words = out.strip().rpartition("\n")[2].replace(",", "").split()
    return int(words[words.index("passed") - 1]) if "passed" in words else 0


def _cpu() -> float:
    """Seconds of CPU that the children took so far, grandchildren that were waited for included."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _commit() -> str:
    return _said("git", "rev-parse", "--short", "HEAD")


def _versions() -> dict[str, str]:
    return {
        "Python": platform.python_version(),
        "SQLite": apsw.sqlite_lib_version(),
        "sqlite-vec": version("sqlite-vec"),
        "git": _said("git", "--version").removeprefix("git version "),
    }


def _said(*words: str) -> str:
    return subprocess.run(
        words, cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.strip()


if __name__ == "__main__":
    raise SystemExit(main())
