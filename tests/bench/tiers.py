"""How long a resident process takes to read each of the three tiers (ML-1).

    python -m tests.bench.tiers REPOSITORY [--times 30]

The repository is set up and indexed. Working: the running session with its files and working
memories; indexed: a search of code and notes by words and meaning; archive: a search among archived
memories. Each is asked ``--times`` times after one call that is not counted, and the CPU (user and
system) and wall-clock milliseconds of the median are printed. The store is copied first, since
questions leave counts in it.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from gitmem import operations
from gitmem.app import App
from gitmem.clock import SystemClock
from gitmem.settings import Settings

WITHIN_MS = {"working": 10, "indexed": 100, "archive": 500}
QUERIES = ("how is a fixture resolved", "where is the configuration read", "what closes a session")


def main(words: list[str] | None = None) -> int:
    """Run it; 1 if a median takes longer than its tier may."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repository", type=Path)
    parser.add_argument("--times", type=int, default=30)
    options = parser.parse_args(words)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "repository"
        shutil.copytree(options.repository, place, symlinks=True)
        environment = {**os.environ, "GITMEM_NO_BACKGROUND": "1"}
        return _measure(str(place), environment, options.times)


def _measure(place: str, environment: dict[str, str], times: int) -> int:
    app = App(Settings(environment), SystemClock(), place)
    app.resident = True
    _run(app, "session start", goal="measure")
    for number in range(50):
        memory = _run(app, "remember", text=f"Fact {number} of the session closes with the fixture")
        if number % 2:
            _run(app, "forget", id=(memory.id,))
    late = 0
    for tier, ask in _tiers(app).items():
        wall, cpu = _median(ask, times)
        late += wall > WITHIN_MS[tier]
        print(f"{tier:<8} {wall:6.1f} ms wall, {cpu:6.1f} ms CPU; at most {WITHIN_MS[tier]}")
    app.close()
    return int(late > 0)


def _tiers(app: App) -> dict[str, Callable[[int], object]]:
    def query(number: int) -> str:
        return QUERIES[number % len(QUERIES)]

    return {
        "working": lambda _: _run(app, "session show"),
        "indexed": lambda number: _run(app, "search", query=query(number)),
        "archive": lambda number: _run(app, "recall", query=query(number), state=("archived",)),
    }


def _run(app: App, verb: str, **values: object) -> object:
    operation = operations.load_operation(verb)
    return operation.run_request(app, operation.request_class(**values))


def _median(ask: Callable[[int], object], times: int) -> tuple[float, float]:
    ask(0)
    took: list[tuple[float, float]] = []
    for number in range(times):
        wall, cpu = time.perf_counter(), time.process_time()
        ask(number)
        took.append((time.perf_counter() - wall, time.process_time() - cpu))
    walls, cpus = zip(*took, strict=True)
    return 1000 * statistics.median(walls), 1000 * statistics.median(cpus)


if __name__ == "__main__":
    raise SystemExit(main())
