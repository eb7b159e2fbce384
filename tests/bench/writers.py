"""Eight processes that write to one store at the same time.

    python -m tests.bench.writers [--runs 1] [--processes 8] [--memories 500]

Each process keeps its memories one by one through ``operations.remember``, each in a durable
transaction of its own, as an agent's session does. The bars: 99 of 100 writes within 250 ms of wall
time, no write lost, no "busy" and no "locked". Wall time counts here, since waiting for the lock is
what is measured; leave the machine alone meanwhile.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import apsw

from gitmem.app import App
from gitmem.clock import SystemClock
from gitmem.errors import GitmemError
from gitmem.operations.remember import remember
from gitmem.operations.start import init
from gitmem.settings import Settings
from tests.bench import generate, measure
from tests.support.repos import isolated_environment

BAR_MS = 250.0
_ROOT = Path(__file__).parents[2]


def main() -> int:
    """Run it; the exit status."""
    options = measure.arguments(__doc__ or "", 1)
    options.add_argument("--processes", type=int, default=8)
    options.add_argument("--memories", type=int, default=500, help="of each process")
    options.add_argument("--worker", help="internal: write into this repository")
    options.add_argument("--number", type=int, default=0, help="internal: which worker this is")
    given = options.parse_args()
    if given.worker:
        return _work(Path(given.worker), given.number, given.memories)
    print(measure.machine())
    failures: list[str] = []
    rows = []
    for number in range(given.runs):
        waits, output, stored = _round(given.processes, given.memories)
        expected = given.processes * given.memories
        late = measure.percentile(waits, 0.99)
        shares = [measure.percentile(waits, share) for share in (0.5, 0.95)]
        rows.append(
            (f"run {number + 1}", *shares, late, max(waits), expected - stored, len(output))
        )
        if late > BAR_MS:
            failures.append(f"p99 is {late:.0f} ms, the bar is {BAR_MS:g}")
        if stored != expected:
            failures.append(f"{expected - stored} of {expected} memories are lost")
        failures += sorted(set(output))
    print(f"{given.processes} processes, {given.memories} memories each; wall ms of one write")
    print(measure.table(("", "p50", "p95", "p99", "max", "lost", "errors"), rows))
    return measure.verdict(failures)


def _round(processes: int, memories: int) -> tuple[list[float], list[str], int]:
    """Waits of all writes, errors, and how many memories are in the store at the end."""
    with tempfile.TemporaryDirectory(prefix="gitmem-bench-") as temporary:
        place = Path(temporary)
        generate.repository(place / "repo", 20)
        app = _app(place / "repo")
        init.initialize_repository(app, init.InitRequest())
        app.close()
        command = [sys.executable, "-m", "tests.bench.writers", "--worker", str(place / "repo")]
        children = [
            subprocess.Popen(
                [*command, "--number", str(number), "--memories", str(memories)],
                cwd=_ROOT,
                env=isolated_environment(place / "home"),
                stdout=subprocess.PIPE,
                text=True,
            )
            for number in range(processes)
        ]
        reports = [json.loads(child.communicate()[0]) for child in children]
        connection = apsw.Connection(str(place / "repo" / ".gitmem" / "memory.db"))
        stored = len(connection.execute("SELECT seq FROM memories").fetchall())
        connection.close()
    waits = [wait for report in reports for wait in report["waits"]]
    return waits, [error for report in reports for error in report["errors"]], stored


def _app(repository: Path) -> App:
    settings = Settings(isolated_environment(repository.parent / "home"))
    return App(settings, SystemClock(), str(repository))


def _work(repository: Path, number: int, memories: int) -> int:
    """One writer; prints the wall milliseconds of each write and what went wrong."""
    app = _app(repository)
    waits, errors = [], []
    app.store  # noqa: B018 - opened before the clock runs: a server has it open
    for place, draft in enumerate(generate.drafts(memories, seed=100 + number)):
        request = remember.RememberRequest(f"{number}.{place}: {draft.content}", tag=draft.tags)
        begin = time.perf_counter()
        try:
            remember.remember(app, request)
        except GitmemError as error:
            errors.append(error.message)
        waits.append((time.perf_counter() - begin) * 1000)
    app.close()
    print(json.dumps({"waits": waits, "errors": errors}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
