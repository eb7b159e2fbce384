"""A question to many projects: `recall` and `search` with `--projects all`.

    python -m tests.bench.projects [--stores 20] [--memories 5000] [--runs 50] [--keep FOLDER]

The time of an answer in a process that stays, as a server's is, with its CPU time, and of the whole
command.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from gitmem import operations
from gitmem.app import App
from gitmem.clock import SystemClock
from gitmem.operations.maintenance import index
from gitmem.settings import Settings
from tests.bench import generate, measure
from tests.support.repos import isolated_environment

BAR = 150.0
COMMANDS = 5


def make(place: Path, stores: int, memories: int) -> list[Path]:
    """The projects, each with its own words, indexed; those that are there stay."""
    made = [place / f"project{number}" for number in range(stores)]
    for number, repository in enumerate(made):
        if not repository.exists():
            generate.repository(repository, 20, files=20)
            generate.store(repository, place / "home", memories, seed=number + 1)
            app = app_in(place, repository)
            try:
                index.index_repository(app, index.IndexRequest())
            finally:
                app.close()
    return made


def app_in(place: Path, repository: Path) -> App:
    """An App as a server has it for one call."""
    app = App(Settings(isolated_environment(place / "home")), SystemClock(), str(repository))
    app.resident = True
    return app


def warm(
    place: Path, repository: Path, verb: str, mode: str, questions: list[str]
) -> tuple[list[float], list[float]]:
    """Milliseconds of each answer in this process, wall and CPU; stores are opened for each."""
    operation, times, cpu = operations.load_operation(verb), [], []
    for question in questions:
        request = operation.request_class(query=question, projects=("all",), mode=mode)
        began, worked = time.perf_counter(), time.process_time()
        app = app_in(place, repository)
        try:
            answer = operation.run_request(app, request)
        finally:
            app.close()
        times.append((time.perf_counter() - began) * 1000)
        cpu.append((time.process_time() - worked) * 1000)
        if any("left out" in note for note in answer.notes):
            raise SystemExit("\n".join(answer.notes))
    return times, cpu


def main() -> int:
    """Make the projects and measure; the exit status."""
    options = measure.arguments(__doc__ or "", 50)
    options.add_argument("--stores", type=int, default=20)
    options.add_argument("--memories", type=int, default=5000)
    options.add_argument("--keep", help="a folder to make the projects in, or that holds them")
    given = options.parse_args()
    words, rows = generate.vocabulary(), []
    questions = [f"{words[50 + 7 * n]} {words[300 + 11 * n]}" for n in range(given.runs)]
    with tempfile.TemporaryDirectory(prefix="gitmem-bench-") as temporary:
        place = Path(given.keep or temporary).resolve()
        here = make(place, given.stores, given.memories)[0]
        env = measure.child_environment(isolated_environment(place / "home"))
        for verb in ("recall", "search"):
            for mode in ("hybrid", "keyword"):
                asked = [verb, questions[0], "--projects", "all", "--mode", mode]
                command = [*measure.gitmem(None), *asked]
                whole = [measure.run(command, cwd=here, env=env)[1] for _ in range(COMMANDS)]
                warm(place, here, verb, mode, questions[:COMMANDS])
                times, cpu = warm(place, here, verb, mode, questions)
                middle, late = measure.median(times), measure.percentile(times, 0.95)
                spent = measure.median(cpu)
                rows.append((f"{verb} {mode}", middle, late, spent, measure.median(whole)))
    print(measure.machine())
    print(f"{given.stores} stores of {given.memories} memories, milliseconds")
    print(measure.table(("", "warm p50", "warm p95", "warm CPU p50", "command p50"), rows))
    return measure.verdict(
        [f"{name}: {middle:.0f} ms" for name, middle, *_ in rows if middle > BAR]
    )


if __name__ == "__main__":
    raise SystemExit(main())
