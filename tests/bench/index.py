"""What the index costs: at first, when nothing changed, and after a commit.

    python -m tests.bench.index --repository PATH [--runs 5] [--json FILE]

Three numbers, on clones of the repository. ``gitmem init`` on a fresh one, index included: 10 s of
wall time at most. ``gitmem index`` with nothing to do: 15 times the CPU of ``python -c pass`` at
most. A commit of one file, with gitmem's hooks, until ``gitmem search`` finds what is in it: 2 s of
wall time at most.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from tests.bench import measure
from tests.support import cli

BARS = {"init, s": 10.0, "no change, ratio": 15.0, "commit to hit, s": 2.0}
BARE, INDEX = "python -c pass", "index, no change"
# Longer than the bar, so that a miss is a number too.
PATIENCE = 30.0


def main() -> int:
    """Run it; the exit status."""
    options = measure.arguments(__doc__ or "", 5)
    options.add_argument("--repository", required=True, help="what to clone and index")
    options.add_argument("--json", help="a file to write the numbers to")
    given = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="gitmem-bench-") as temporary:
        env = cli.environment(
            Path(temporary) / "home", GITMEM_BACKUP_INTERVAL_HOURS="0", GITMEM_COPY_MODE="off"
        )
        env = measure.child_environment(env) | {"PYTHONPATH": env["PYTHONPATH"]}
        inits = []
        for number in range(3):
            place = Path(temporary) / str(number)
            clone = ["git", "clone", "-q", given.repository, str(place)]
            subprocess.run(clone, env=env, check=True)
            inits.append(measure.run(cli.command("init"), cwd=place, env=env)[1] / 1000)
        jobs = {BARE: [sys.executable, "-c", "pass"], INDEX: cli.command("index")}
        timings = measure.sample(jobs, given.runs * 2, cwd=place, env=env)
        waits = [_commit_to_hit(place, env, number) for number in range(given.runs)]
    numbers = {
        "init, s": min(inits),
        "no change, ratio": timings[INDEX].least / timings[BARE].least,
        "commit to hit, s": measure.median(waits),
    }
    worst = {
        "init, s": max(inits),
        "no change, ratio": max(timings[INDEX].cpu) / timings[BARE].least,
        "commit to hit, s": max(waits),
    }
    print(measure.machine())
    rows = [(n, f"{v:.2f}", f"{worst[n]:.2f}", f"{BARS[n]:g}") for n, v in numbers.items()]
    print(measure.table(("", "measured", "worst", "bar"), rows))
    if given.json:
        Path(given.json).write_text(json.dumps({"measured": numbers, "worst": worst}, indent=1))
    return measure.verdict(
        [f"{n}: {v:.2f}, the bar is {BARS[n]:g}" for n, v in numbers.items() if v > BARS[n]]
    )


def _commit_to_hit(place: Path, env: Mapping[str, str], number: int) -> float:
    """Seconds from the start of a commit until a search answers with what it added."""
    word = f"quokka{number}wombat"
    (place / f"found{number}.py").write_text(f"def {word}():\n    return {number}\n", "utf-8")
    subprocess.run(["git", "add", "-A"], cwd=place, env=dict(env), check=True)
    begin = time.perf_counter()
    subprocess.run(
        ["git", "commit", "-qm", f"Add file {number}"], cwd=place, env=dict(env), check=True
    )
    search = cli.command("search", word, "--in", "code", "--mode", "keyword", "--json")
    while time.perf_counter() - begin < PATIENCE:
        done = subprocess.run(search, cwd=place, env=dict(env), capture_output=True, check=True)
        if any(hit["path"] == f"found{number}.py" for hit in json.loads(done.stdout)["hits"]):
            return time.perf_counter() - begin
        time.sleep(0.05)
    return PATIENCE


if __name__ == "__main__":
    sys.exit(main())
