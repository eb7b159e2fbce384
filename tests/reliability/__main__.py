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
    answer = _arguments()
    rows = [] if answer.page else _selected(answer)
    RESULTS.mkdir(exist_ok=True)
    if answer.together:
        return _together(rows, answer)
    begun, cpu, failed = time.monotonic(), 0.0, []
    output: dict[str, Any] = {"tier": answer.tier, "date": answer.date}
    output |= {"commit": running.last_commit(), "versions": running.versions()}
    results = running.each(rows, lambda row: running.run(row, answer.tier), answer.workers)
    for number, result in enumerate(results, 1):
        _keep(result_file(result["row"], answer.tier), result | output)
        took = f"{result['seconds']:.0f} s, {result['cpu']:.0f} s of CPU"
        print(f"{number} of {len(rows)}: {result['row']} {result['result']} in {took}", flush=True)
        cpu += result["cpu"]
        failed += [result["row"]] if result["result"] != "passed" else []
        PAGE.write_text(page())
    seconds = time.monotonic() - begun
    if rows:
        print(f"{len(rows)} rows, {len(failed)} failed: {seconds:.0f} s, {cpu:.0f} s of CPU")
    if rows and not (answer.row or answer.missing):
        took = {"seconds": round(seconds, 1), "cpu": round(cpu, 1), "workers": answer.workers}
        _keep(total_file(answer.tier), {"rows": len(rows), "failed": failed} | took | output)
    PAGE.write_text(page())
    return 1 if failed else 0


def _together(rows: list[Row], options: argparse.Namespace) -> int:
    output: dict[str, Any] = running.together(rows, options.tier, options.workers)
    print(f"{output['result']}: {output['seconds']:.0f} s, {output['cpu']:.0f} s of CPU")
    output |= {"rows": len(rows), "workers": options.workers, "date": options.date}
    output |= {"failed": [] if output["result"] == "passed" else ["see there"], "together": True}
    if not options.row:
        _keep(total_file(options.tier), output | {"commit": running.last_commit()})
        PAGE.write_text(page())
    return int(output["result"] != "passed")


def _keep(file: Path, reported: dict[str, Any]) -> None:
    file.write_text(json.dumps(reported, indent=1) + "\n")


def _selected(options: argparse.Namespace) -> list[Row]:
    rows = [row for row in ROWS if not row.waits and row.id in (options.row or [row.id])]
    if options.missing:
        rows = [row for row in rows if not running.is_kept(row, options.tier)]
    return running.longest_first(rows, options.tier)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.reliability")
    parser.add_argument("--tier", choices=TIERS, default="quick")
    parser.add_argument("--row", action="append", choices=[row.id for row in ROWS])
    parser.add_argument("--date", default="", help="of this run, for the page: YYYY-MM-DD")
    parser.add_argument("--missing", action="store_true", help="only what has no result yet")
    parser.add_argument("--workers", type=int, default=2, help="rows at a time, without a clock")
    parser.add_argument("--together", action="store_true", help="all in one pytest, for its time")
    parser.add_argument("--page", action="store_true", help="run nothing")
    options = parser.parse_args()
    if not (options.page or options.date):
        parser.error("--date is missing")
    return options


if __name__ == "__main__":
    raise SystemExit(main())
