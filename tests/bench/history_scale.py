"""What the length of a history costs ``gitmem orient``.

    python -m tests.bench.history_scale [--runs 15] [--script PATH]

Two generated repositories, of 500 and of 17,000 commits, with the same work tree and the same
twelve new commits since the last session. The bar: the long history costs at most 1.2 times the
CPU of the short one, first session or later.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import apsw

from tests.bench import generate, measure
from tests.support.repos import isolated_environment

BAR = 1.2
SIZES = (500, 17_000)
NEW_COMMITS = 12
_KINDS = ("first", "returning")


def main() -> int:
    """Run it; the exit status."""
    options = measure.arguments(__doc__ or "", 15)
    options.add_argument("--script", help="the gitmem to start")
    given = options.parse_args()
    start = measure.gitmem(given.script)
    with tempfile.TemporaryDirectory(prefix="gitmem-bench-") as temporary:
        env = measure.child_environment(isolated_environment(Path(temporary) / "home"))
        places = {size: Path(temporary) / str(size) for size in SIZES}
        observed = {size: _build(place, size, start, env) for size, place in places.items()}
        names = {f"{kind}, {size}": (kind, size) for kind in _KINDS for size in SIZES}
        timings = measure.sample(
            {name: [*start, "orient"] for name in names},
            given.runs,
            cwd={name: places[size] for name, (_, size) in names.items()},
            env=env,
            before=lambda name: _prepare(places[names[name][1]], names[name][0], observed),
        )
    print(measure.machine())
    print(f"orient with {NEW_COMMITS} new commits; {' '.join(start)}")
    rows = [
        (name, item.least, measure.median(item.cpu), min(item.wall))
        for name, item in timings.items()
    ]
    print(measure.table(("session, commits", "CPU min", "CPU median", "wall min"), rows))
    failures = []
    for kind in _KINDS:
        short, long = (timings[f"{kind}, {size}"].least for size in SIZES)
        print(f"{kind}: {long / short:.2f} times")
        if long > BAR * short:
            failures.append(f"{kind}: {long / short:.2f} times, the bar is {BAR:g}")
    return measure.verdict(failures)


def _build(place: Path, commits: int, start: list[str], env: dict[str, str]) -> str:
    """A repository with a store, then the new commits; the head before them."""
    generate.repository(place, commits)
    measure.run([*start, "init"], cwd=place, env=env)
    command = ["git", "rev-parse", "HEAD"]
    head = subprocess.run(command, cwd=place, capture_output=True, text=True, check=True).stdout
    generate.grow(place, NEW_COMMITS)
    measure.run([*start, "orient"], cwd=place, env=env)
    return head.strip()


def _prepare(place: Path, kind: str, observed: dict[int, str]) -> None:
    connection = apsw.Connection(str(place / ".gitmem" / "memory.db"))
    connection.set_busy_timeout(5000)
    try:
        if kind == "first":
            connection.execute("DELETE FROM presence")
        else:
            connection.execute(
                "UPDATE presence SET seen_at = seen_at - 86400000, head = ?, base_at = NULL",
                (observed[int(place.name)],),
            )
    finally:
        connection.close()


if __name__ == "__main__":
    sys.exit(main())
