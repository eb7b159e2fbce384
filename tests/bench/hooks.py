"""What gitmem's hooks add to ``git commit`` and to a rebase, against hooks that do nothing.

    python -m tests.bench.hooks [--pairs 100] [--pause 2] [--rounds 1] [--drain COMMAND]
                                [--rebase 200]

Commits come in pairs, one with the hooks of a no-op shell script and one with gitmem's, now this
one first and now the other; ``--pause`` seconds pass after each with gitmem's, so that its drain
does not run into the next. Their output is read through a pipe. The unit is wall milliseconds: this
is about waiting. The bars are +10 ms at the median and +30 ms at the 95th percentile, and +10 % for
the rebase. ``--drain`` is the program that the hook starts; without it that is ``python -P -m
gitmem`` of this interpreter.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from gitmem.git import layout, runner
from gitmem.githooks import installer, shims
from gitmem.store.db import preflight
from tests.bench import measure
from tests.support.repos import RepoBuilder

P50, P95, REBASE = 10.0, 30.0, 1.10
OLD_GIT = (2, 39)
WITHOUT_DRAIN = ("none", "no-op")  # whose hooks start nothing


def main() -> int:
    """Run it; the exit status says whether the bars were reached."""
    given = _arguments()
    with tempfile.TemporaryDirectory(prefix="gitmem-bench-") as folder:
        command = given.drain.split() if given.drain else [sys.executable, "-P", "-m", "gitmem"]
        places = {name: place(Path(folder) / name, command) for name in ("none", "no-op", "ours")}
        ratio = _rebases(places, given.rebase) if given.rebase else 0.0
        reached = [compared(places, given.pairs, given.pause) for _ in range(given.rounds)]
    middle = sorted(reached)[len(reached) // 2]
    print(f"median round: p50 {middle[0]:+.1f} ms (bar +{P50:.0f}), p95 {middle[1]:+.1f} ms")
    bars = (
        ("commit, p50, ms", middle[0], P50),
        ("commit, p95, ms", middle[1], P95),
        ("rebase, times", ratio, REBASE),
    )
    return measure.verdict(
        [f"{name}: {value:.2f}, the bar is {bar:g}" for name, value, bar in bars if value > bar]
    )


def _arguments() -> argparse.Namespace:
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--pairs", type=int, default=100)
    options.add_argument("--pause", type=float, default=2.0)
    options.add_argument("--rounds", type=int, default=1)
    options.add_argument("--rebase", type=int, default=200)
    options.add_argument("--drain", default="")
    return options.parse_args()


def place(folder: Path, command: list[str]) -> RepoBuilder:
    """A repository of 200 files with the hooks that its folder's name says."""
    repo = RepoBuilder(folder)
    repo.commit("Start", {f"dir{n % 20}/file{n}.txt": f"{n}\n" for n in range(200)})
    runner.configure_git_environment(repo.env)
    if folder.name == "no-op":
        for event in shims.EVENTS:
            path = folder / ".git" / "hooks" / event
            path.parent.mkdir(exist_ok=True)
            path.write_text("#!/bin/sh\nexit 0\n")
            path.chmod(0o755)
    if folder.name == "ours":
        found = layout.find_repository(str(folder))
        preflight.create_store_folder(installer.store_folder_path(found))
        installer.install_hooks(found, command, known_git_version=OLD_GIT)
    return repo


def _timed(repo: RepoBuilder, *words: str) -> float:
    begin = time.perf_counter()
    subprocess.run(
        ["git", *words],
        cwd=repo.path,
        env=repo.env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=True,
    )
    return (time.perf_counter() - begin) * 1000


def compared(places: dict[str, RepoBuilder], pairs: int, pause: float) -> tuple[float, float]:
    """Differences at the median and the 95th percentile, of ours to the no-op."""
    table = commits(places, pairs, pause)
    for name, (p50, p95) in table.items():
        print(f"{name:6} p50 {p50:6.1f} ms  p95 {p95:6.1f} ms")
    ours, noop = table["ours"], table["no-op"]
    return ours[0] - noop[0], ours[1] - noop[1]


def commits(
    places: dict[str, RepoBuilder], count: int, pause: float
) -> dict[str, tuple[float, float]]:
    """Commit in all places in turn: place -> milliseconds at the median and 95th percentile."""
    took: dict[str, list[float]] = {name: [] for name in places}
    for number in range(count):
        for name in [*places] if number % 2 else reversed(places):
            repo = places[name]
            (repo.path / "dir1" / "file1.txt").write_text(f"{number} {time.time_ns()}\n")
            took[name].append(_timed(repo, "commit", "-q", "-a", "-m", f"Change {number}"))
            if name not in WITHOUT_DRAIN:
                time.sleep(pause)
    return {name: (statistics.median(each), p95(each)) for name, each in took.items()}


def p95(values: list[float]) -> float:
    return sorted(values)[round(0.95 * (len(values) - 1))]


def _rebases(places: dict[str, RepoBuilder], commits: int, runs: int = 5) -> float:
    """The ratio of a rebase of ``commits`` commits, ours to the no-op, the least of some runs."""
    took = dict.fromkeys(places, float("inf"))
    for repo in places.values():
        for number in range(commits):
            repo.git("commit", "-q", "--allow-empty", "-m", f"x {number}")
    for _ in range(runs):
        for name, repo in places.items():
            step = _timed(repo, "rebase", "-q", "--force-rebase", f"HEAD~{commits}")
            took[name] = min(took[name], step)
            time.sleep(1)
    for name, least in took.items():
        print(f"{name:6} rebase of {commits}: {least:7.0f} ms")
    ratio = took["ours"] / took["no-op"]
    print(f"rebase: {(ratio - 1) * 100:+.1f} % (bar +{(REBASE - 1) * 100:.0f} %)")
    return ratio


if __name__ == "__main__":
    sys.exit(main())
