"""How fast sessions of agents' hosts are imported, and in how much memory.

    python -m tests.bench.transcripts [--megabytes 500] [--line 200] [--keep FOLDER]
                                      [--index CLONE]

A home is filled with sessions of Claude Code: questions and answers are paragraphs of this
repository's documents, results of tools its source files, as long as such things are, until the
folder has so many megabytes; one session more has a single line of ``--line`` megabytes. Then
``gitmem session import`` runs in a repository of its own, twice: the second run finds nothing new.
The bars are 3 MB/s of CPU and 300 MB of memory. With ``--index`` the repository is a copy of a
clone; it and a copy without sessions are indexed in turns, from scratch, then with a changed file,
and the CPU of the one may be 1.1 of the other's.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.bench import measure
from tests.support.repos import RepoBuilder, isolated_environment

RATE, MEMORY, SLOWER = 3.0, 300.0, 1.1
_ROUNDS = 5
SOURCE = Path(__file__).parents[2]
_EXCHANGES = 40  # in a session


def main() -> int:
    """Run it; the exit status says whether the bars were reached."""
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--megabytes", type=int, default=500)
    options.add_argument("--line", type=int, default=200)
    options.add_argument("--keep", default="")
    options.add_argument("--index", type=Path)
    given = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="gitmem-bench-") as folder:
        return run(Path(given.keep or folder), given.megabytes, given.line, given.index)


def run(folder: Path, megabytes: int, line: int, clone: Path | None) -> int:
    for name in ("plain", "repo"):
        if clone is not None:
            shutil.copytree(clone, folder / name, symlinks=True)
        repo = RepoBuilder(folder / name)
        repo.commit("First", {"README.md": "# Example\n"})
    home = folder / "home"
    env = {**isolated_environment(home), "GITMEM_HOME": str(home / "gitmem")}
    env |= {"PYTHONPATH": os.pathsep.join(sys.path), "GITMEM_NO_BACKGROUND": "1"}
    place = (
        home
        / ".claude"
        / "projects"
        / str(repo.path.resolve()).replace("/", "-").replace(".", "-").replace("_", "-")
    )
    place.mkdir(parents=True)
    size = fill(place, str(repo.path.resolve()), megabytes << 20)
    if line:
        write_long_line(place / "long.jsonl", str(repo.path.resolve()), line << 20)
    program = [sys.executable, "-P", "-m", "gitmem"]
    subprocess.run([*program, "init"], cwd=repo.path, env=env, check=True, capture_output=True)
    wrong = []
    for time_run in ("first", "second"):
        cpu, wall, memory, out = timed([*program, "session", "import"], repo.path, env)
        total = size + (line << 20)
        print(f"{time_run}: {total >> 20} MB, {cpu:.1f} s CPU, {wall:.1f} s, {memory:.0f} MB")
        print("  " + out.strip().replace("\n", "\n  "))
        if time_run == "first":
            rate = (size >> 20) / cpu
            store = (repo.path / ".gitmem" / "memory.db").stat().st_size
            print(f"  {rate:.1f} MB/s (bar {RATE}), store {store >> 20} MB")
            wrong += [f"{rate:.1f} MB/s, the bar is {RATE}"] if rate < RATE else []
        wrong += [f"{memory:.0f} MB, the bar is {MEMORY:.0f}"] if memory > MEMORY else []
    if clone is not None:
        subprocess.run(
            [*program, "init"], cwd=folder / "plain", env=env, check=True, capture_output=True
        )
        wrong += compare_indexing(program, folder, env)
    return measure.verdict(wrong)


def compare_indexing(program: list[str], folder: Path, env: dict[str, str]) -> list[str]:
    """Index both copies in turns; what is too slow with sessions."""
    runs: dict[tuple[str, str], list[float]] = {}
    for number in range(_ROUNDS):
        for name in ("plain", "repo") if number % 2 else ("repo", "plain"):
            place = folder / name
            for what, more in (("from scratch", ["--full"]), ("with a changed file", [])):
                symbol = f"changed_{number}_{len(more)}"
                (place / "bench_changed.py").write_text(f"def {symbol}():\n    pass\n")
                cpu, *_ = timed([*program, "index", *more], place, env)
                runs.setdefault((what, name), []).append(cpu)
    wrong = []
    for what in dict.fromkeys(what for what, _ in runs):
        plain, with_sessions = (measure.median(runs[what, name]) for name in ("plain", "repo"))
        ratio = with_sessions / plain
        print(f"indexed {what}: {plain:.2f} s CPU, with sessions {with_sessions:.2f}, {ratio:.3f}")
        wrong += [f"{what}: {ratio:.2f}, the bar is {SLOWER}"] if ratio > SLOWER else []
    return wrong


def timed(command: list[str], cwd: Path, env: dict[str, str]) -> tuple[float, float, float, str]:
    """CPU and wall seconds of a command, the most megabytes of memory it had, and its output."""
    begin, before = time.monotonic(), os.times()
    done = subprocess.run(command, cwd=cwd, env=env, check=True, capture_output=True, text=True)
    after = os.times()
    cpu = after.children_user + after.children_system
    cpu -= before.children_user + before.children_system
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    return cpu, time.monotonic() - begin, memory, done.stdout


def fill(place: Path, cwd: str, size: int) -> int:
    """Write sessions until they have so many bytes; returns how many they have."""
    draw = random.Random(7)
    prose = [
        paragraph
        for path in sorted(SOURCE.glob("docs/**/*.md"))
        for paragraph in path.read_text().split("\n\n")
        if len(paragraph) > 60
    ]
    code = [path.read_text() for path in sorted(SOURCE.glob("gitmem/**/*.py"))]
    written = number = 0
    while written < size:
        path = place / f"{number:08x}-0000-4000-8000-000000000000.jsonl"
        with path.open("w") as file:
            for row in session(draw, prose, code, path.stem, cwd, number):
                file.write(json.dumps(row) + "\n")
        written += path.stat().st_size
        number += 1
    return written


def session(
    draw: random.Random, prose: list[str], code: list[str], id: str, cwd: str, number: int
) -> Iterator[dict[str, object]]:
    at = 1_790_000_000 + number * 10_000
    for turn in range(_EXCHANGES):
        yield row("user", draw.choice(prose)[:1500], id, cwd, at + turn * 100)
        for call in range(draw.randrange(1, 9)):
            key = f"toolu_{turn}_{call}"
            use = {
                "type": "tool_use",
                "id": key,
                "name": "Read",
                "input": {"file_path": f"{cwd}/src/{draw.randrange(99)}.py"},
            }
            text = {"type": "text", "text": f"{draw.randrange(10**6)} {draw.choice(prose)[:600]}"}
            yield row("assistant", [text, use], id, cwd, at + turn * 100 + call)
            result = {
                "type": "tool_result",
                "tool_use_id": key,
                "content": draw.choice(code)[:12_000],
            }
            yield row("user", [result], id, cwd, at + turn * 100 + call)
        yield row(
            "assistant",
            [{"type": "text", "text": draw.choice(prose)}],
            id,
            cwd,
            at + turn * 100 + 50,
        )


def row(role: str, content: object, id: str, cwd: str, at: int) -> dict[str, object]:
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(at))
    message = {"role": role, "content": content, "model": "claude-sonnet-4-5"}
    return {
        "parentUuid": None,
        "isSidechain": False,
        "type": role,
        "message": message,
        "uuid": f"{at:x}",
        "timestamp": stamp,
        "sessionId": id,
        "cwd": cwd,
        "version": "2.1.330",
        "gitBranch": "main",
        "userType": "external",
    }


def write_long_line(path: Path, cwd: str, size: int) -> None:
    with path.open("w") as file:
        file.write(json.dumps(row("user", "Before", "long", cwd, 1_790_000_000)) + "\n")
        file.write('{"type": "user", "message": {"role": "user", "content": "')
        for _ in range(size >> 20):
            file.write("x" * (1 << 20))
        file.write('"}}\n')
        file.write(json.dumps(row("user", "After", "long", cwd, 1_790_000_001)) + "\n")


if __name__ == "__main__":
    sys.exit(main())
