"""Whether each test of a fix that the scoreboard names fails without the fix: on real commits.

    python -m tests.reliability.fixes --date 2026-11-23

In a clone, each test runs as its commit has it: first with the program of the commit before, which
it must fail, then with the commit's own. The outcomes are kept for docs/reliability.md. Exits with
1 where a test passes without the fix, or fails with it.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.reliability.page import PAGE, page
from tests.reliability.scoreboard import ROOT, ROWS, Bug
from tests.reliability.scoring import FIXES

PROGRAM = ("gitmem", "hooks")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.reliability.fixes")
    parser.add_argument("--date", required=True, help="of this run, for the page: YYYY-MM-DD")
    options = parser.parse_args()
    shown = {}
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder, "gitmem")
        subprocess.run(["git", "clone", "-q", "--shared", ROOT, tree], check=True)
        for bug in [bug for row in ROWS for bug in row.found]:
            shown[bug.test] = output = proven(tree, bug) | {"date": options.date}
            print(
                f"{bug.commit} {bug.test}: {output['before']}, then {output['after']}", flush=True
            )
    FIXES.write_text(json.dumps(shown, indent=1, sort_keys=True) + "\n")
    PAGE.write_text(page())
    return int(
        any(
            (output["before"], output["after"]) != ("failed", "passed") for output in shown.values()
        )
    )


def proven(tree: Path, bug: Bug) -> dict[str, str]:
    """How its test ends without the fix (``before``) and with it (``after``)."""
    _git(tree, "checkout", "-q", "-f", bug.commit)
    after = _ended(tree, bug.test)
    # A module that the commit added stays: nothing calls it, and what tests import is there.
    _git(tree, "checkout", "-q", f"{bug.commit}^", "--", *PROGRAM)
    return {"before": _ended(tree, bug.test), "after": after}


def _ended(tree: Path, test: str) -> str:
    """passed, failed, or what else pytest's exit status means."""
    words = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", "-p", "no:cacheprovider", test]
    status = subprocess.run(words, cwd=tree, capture_output=True, check=False).returncode
    return {0: "passed", 1: "failed"}.get(status, f"status {status}")


def _git(tree: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=tree, check=True)


if __name__ == "__main__":
    raise SystemExit(main())
