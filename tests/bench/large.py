"""What a large repository costs: the drain of a one-line commit, `orient`, a symbol's look-up.

    python -m tests.bench.large [--files 30000] [--repository PATH] [--runs 9]
                                [--program FOLDER ...] [--keep FOLDER] [--json FILE]

The repository is made (a class, three functions and an import in every file, 200 files a folder, in
12 commits), or is a clone of the one that ``--repository`` names. Each ``--program`` names a
folder with a ``gitmem``, the working tree if none is given; each has a copy of the repository with
a store of its own, and all commands are run in turn with ``python -c pass``, so one run compares
them. CPU counts git's processes too. A drain is what the post-commit hook starts, after a line was
added to a file of middle size; it also waits 0.3 s for other hooks, which costs no CPU. Bars for a
made repository of 30,000 files: drain 400 ms of CPU (250 for Flask, by ``--repository``), `orient`
7 times bare, `search NAME` and `graph NAME` 8.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from gitmem.clock import SystemClock
from tests.bench import generate, measure
from tests.support.repos import isolated_environment

BARE = "python -c pass"
DRAIN_BAR, FLASK_BAR = 400.0, 250.0
BARS = {"orient": 7.0, "search NAME": 8.0, "graph NAME": 8.0}
COMMITS = 12


def main() -> int:
    """Run it; the exit status."""
    options = measure.arguments(__doc__ or "", 9)
    options.add_argument("--files", type=int, default=30_000)
    options.add_argument("--repository", help="what to clone instead of making one")
    options.add_argument("--program", nargs="*", default=[str(Path(__file__).parents[2])])
    options.add_argument("--keep", help="a folder for the repositories and stores")
    options.add_argument("--json", help="a file to write the numbers to")
    given = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="gitmem-bench-") as temporary:
        folder = Path(given.keep or temporary)
        folder.mkdir(exist_ok=True)
        source = Path(given.repository) if given.repository else folder / "made"
        if not source.exists():
            _make(source, given.files)
        places = [_Place(folder, source, Path(program)) for program in given.program]
        timings = _measured(places, given.runs)
    print(measure.machine())
    bare = timings[BARE].least
    rows = [
        (name, item.least, measure.median(item.cpu), item.least / bare)
        for name, item in timings.items()
    ]
    print(measure.table(("CPU ms", "least", "median", "times bare"), rows))
    if given.json:
        numbers = {name: item.cpu for name, item in timings.items()}
        Path(given.json).write_text(json.dumps(numbers, indent=1))
    return measure.verdict(_over(timings, places[-1], FLASK_BAR if given.repository else DRAIN_BAR))


def _over(timings: Mapping[str, measure.Timing], place: _Place, drain: float) -> list[str]:
    """What the last program is over with."""
    bare = timings[BARE].least
    values = {command: timings[f"{command}: {place.program}"].least for command in BARS}
    took = timings[f"drain: {place.program}"].least
    over = [
        f"{name}: {value / bare:.1f} times bare, the bar is {BARS[name]:g}"
        for name, value in values.items()
        if value > BARS[name] * bare
    ]
    return over + ([f"drain: {took:.0f} ms, the bar is {drain:g}"] if took > drain else [])


class _Place:
    """A copy of the repository, indexed by one of the programs."""

    def __init__(self, folder: Path, source: Path, program: Path) -> None:
        self.program = program
        here = folder / str(program.resolve()).strip("/").replace("/", "-")
        self.path = here / "repo"
        self.env = measure.child_environment(isolated_environment(here / "home")) | {
            "PYTHONPATH": str(program.resolve()),
            "GITMEM_HOME": str(here / "gitmem"),
            "GITMEM_BACKUP_INTERVAL_HOURS": "0",
            "GITMEM_COPY_MODE": "off",
        }
        # Its own interpreter where it has one: another version may need other packages.
        own = program / ".venv" / "bin" / "python"
        self.start = [str(own) if own.exists() else sys.executable, "-P", "-m", "gitmem"]
        if not self.path.exists():
            here.mkdir(parents=True, exist_ok=True)
            clone = ["git", "clone", "-q", str(source), str(self.path)]
            subprocess.run(clone, env=self.env, check=True)
            measure.run([*self.start, "init"], cwd=self.path, env=self.env)
        listed = ["git", "ls-files", "*.py"]
        names = subprocess.run(listed, cwd=self.path, capture_output=True, text=True, check=True)
        files = [self.path / name for name in names.stdout.split()]
        self.edited = sorted(files, key=lambda path: (os.path.getsize(path), path))[len(files) // 2]
        defined = (
            line.split("(")[0].split()[1]
            for line in self.edited.read_text("utf-8").split("\n")
            if line.startswith("def ")
        )
        self.name = next(defined, self.edited.stem)

    def commit_a_line(self) -> None:
        """Commit a line, and leave its drain to be run."""
        with self.edited.open("a", encoding="utf-8") as file:
            file.write("\n# One more line.\n")
        spool = self.path / ".gitmem" / "spool"
        # The hook starts no drain while the last one lives, which is us.
        (spool / "drain").write_text(f"{os.getpid()}\n", "utf-8")
        commit = ["git", "commit", "-qam", "Add a line"]
        subprocess.run(commit, cwd=self.path, env=self.env, check=True)


def _measured(places: list[_Place], runs: int) -> dict[str, measure.Timing]:
    """Every command of every program in turn; the first round counts not."""
    timings = {BARE: measure.Timing(BARE)}
    commands = {"orient": ["orient"], "search NAME": ["search"], "graph NAME": ["graph"]}
    for number in range(runs + 1):
        _take(timings, BARE, [sys.executable, "-c", "pass"], places[0], count=number > 0)
        for place in places if number % 2 else places[::-1]:
            for command, words in commands.items():
                argv = [*place.start, *words, *([place.name] if words != ["orient"] else [])]
                _take(timings, f"{command}: {place.program}", argv, place, count=number > 0)
            place.commit_a_line()
            argv = [*place.start, "drain"]
            _take(timings, f"drain: {place.program}", argv, place, count=number > 0)
    return timings


def _take(
    timings: dict[str, measure.Timing], name: str, argv: list[str], place: _Place, *, count: bool
) -> None:
    cpu, wall = measure.run(argv, cwd=place.path, env=place.env)
    timing = timings.setdefault(name, measure.Timing(name))
    if count:
        timing.cpu.append(cpu)
        timing.wall.append(wall)


def _make(path: Path, files: int) -> None:
    """A repository of so many Python files, each of which imports another."""
    path.mkdir(parents=True)
    env = isolated_environment(path.parent / "home")
    words = generate.vocabulary()
    start = SystemClock().now() // 1000 - 86_400 * COMMITS
    parts = []
    for number in range(COMMITS):
        some = range(number * files // COMMITS, (number + 1) * files // COMMITS)
        changes = [_file(item, words) for item in some]
        parts.append(generate._commit(number, start + 86_400 * number, b"", changes))
    generate._git(path, env, "init", "-q", "-b", "main")
    generate._git(path, env, "fast-import", "--quiet", stdin=b"".join(parts))
    generate._git(path, env, "reset", "-q", "--hard", "main")


def _file(number: int, words: list[str]) -> tuple[str, bytes]:
    first, second, third = (words[(number * step) % len(words)] for step in (7, 11, 13))
    other = number * 31 % max(number, 1)
    return (
        f"src/part{number // 200}/{first}_{number}.py",
        f'''\
"""How the {first} of {second} is {third}."""

from src.part{other // 200}.{words[other * 7 % len(words)]}_{other} import make_{other}


class {first.title()}{number}:
    """A {second} that holds its {third}."""

    def __init__(self, {second}: int) -> None:
        self.{second} = {second}

    def {third}(self) -> int:
        """The {third} of this {first}."""
        return self.{second} * {number % 97}


def make_{number}({second}: int) -> {first.title()}{number}:
    """Make one by its {second}."""
    return {first.title()}{number}({second} + 1)


def use_{number}() -> int:
    """What is made of file {other}."""
    return make_{number}(2).{third}() + len(str(make_{other}(3)))


def check_{number}(value: int) -> bool:
    """Whether a {third} is one."""
    return use_{number}() > value
'''.encode(),
    )


if __name__ == "__main__":
    sys.exit(main())
