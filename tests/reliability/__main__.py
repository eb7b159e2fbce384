"""Run rows of the scoreboard, keep their results, and write docs/reliability.md.

    python -m tests.reliability --tier full --date 2026-11-23
    python -m tests.reliability --tier full --date 2026-11-23 --missing   # go on after a cut
    python -m tests.reliability --tier full --row S-03 --date 2026-11-23
    python -m tests.reliability --together --date 2026-11-23   # what the quick tier takes in all
    python -m tests.reliability --page            # only the page, from the results that are kept

Each row runs in a pytest of its own: first, one at a time, those that the clock judges, which need
a machine with nothing else to do; then the others, two at a time (``--workers``). A result is kept
and the page written as soon as a row ends. ``--missing`` leaves out what passed in this tier since
anything of gitmem or the tests changed. Exits with 1 where a row failed; the others run all the
same.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

from tests.reliability import running
from tests.reliability.page import PAGE, page
from tests.reliability.scoreboard import ROWS, Row
from tests.reliability.scoring import RESULTS, TIERS, result_file, total_file


def main() -> int:
    asked = _arguments()
    rows = [] if asked.page else _wanted(asked)
    RESULTS.mkdir(exist_ok=True)
    if asked.together:
        return _together(rows, asked)
    begun, cpu, failed = time.monotonic(), 0.0, []
    told: dict[str, Any] = {"tier": asked.tier, "date": asked.date}
    told |= {"commit": running.last_commit(), "versions": running.versions()}
    results = running.each(rows, lambda row: running.run(row, asked.tier), asked.workers)
    for number, result in enumerate(results, 1):
        _keep(result_file(result["row"], asked.tier), result | told)
        took = f"{result['seconds']:.0f} s, {result['cpu']:.0f} s of CPU"
        print(f"{number} of {len(rows)}: {result['row']} {result['result']} in {took}", flush=True)
        cpu += result["cpu"]
        failed += [result["row"]] if result["result"] != "passed" else []
        PAGE.write_text(page())
    seconds = time.monotonic() - begun
    if rows:
        print(f"{len(rows)} rows, {len(failed)} failed: {seconds:.0f} s, {cpu:.0f} s of CPU")
    if rows and not (asked.row or asked.missing):
        took = {"seconds": round(seconds, 1), "cpu": round(cpu, 1), "workers": asked.workers}
        _keep(total_file(asked.tier), {"rows": len(rows), "failed": failed} | took | told)
    PAGE.write_text(page())
    return 1 if failed else 0


def _together(rows: list[Row], asked: argparse.Namespace) -> int:
    told: dict[str, Any] = running.together(rows, asked.tier, asked.workers)
    print(f"{told['result']}: {told['seconds']:.0f} s, {told['cpu']:.0f} s of CPU")
    told |= {"rows": len(rows), "workers": asked.workers, "date": asked.date}
    told |= {"failed": [] if told["result"] == "passed" else ["see there"], "together": True}
    if not asked.row:
        _keep(total_file(asked.tier), told | {"commit": running.last_commit()})
        PAGE.write_text(page())
    return int(told["result"] != "passed")


def _keep(file: Path, told: dict[str, Any]) -> None:
    file.write_text(json.dumps(told, indent=1) + "\n")


def _wanted(asked: argparse.Namespace) -> list[Row]:
    rows = [row for row in ROWS if not row.waits and row.id in (asked.row or [row.id])]
    if asked.missing:
        rows = [row for row in rows if not running.is_kept(row, asked.tier)]
    return running.longest_first(rows, asked.tier)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.reliability")
    parser.add_argument("--tier", choices=TIERS, default="quick")
    parser.add_argument("--row", action="append", choices=[row.id for row in ROWS])
    parser.add_argument("--date", default="", help="of this run, for the page: YYYY-MM-DD")
    parser.add_argument("--missing", action="store_true", help="only what has no result yet")
    parser.add_argument("--workers", type=int, default=2, help="rows at a time, without a clock")
    parser.add_argument("--together", action="store_true", help="all in one pytest, for its time")
    parser.add_argument("--page", action="store_true", help="run nothing")
    asked = parser.parse_args()
    if not (asked.page or asked.date):
        parser.error("--date is missing")
    return asked


if __name__ == "__main__":
    raise SystemExit(main())
