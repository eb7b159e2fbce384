"""Sharing by a remote: pushing a large store, pushing one more memory, pulling many.

    python -m tests.bench.sync [--memories 10000] [--new 1000] [--runs 3]

Whole commands over a bare repository on the same disk: CPU of gitmem and git, which the bars are
for, and the clock. And by how much the remote grows for each memory, packed as a server has it.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

from gitmem.app import App
from gitmem.clock import SystemClock
from gitmem.settings import Settings
from tests.bench import generate, measure
from tests.support.repos import isolated_environment

# Seconds, and bytes for each memory.
PUSH, MORE, PULL, GROWTH = 5.0, 1.0, 2.0, 2048


def _git(place: Path, env: dict[str, str], *args: str) -> None:
    subprocess.run(["git", *args], cwd=place, env=env, check=True, capture_output=True)


class Clone:
    """A clone of the remote with a home folder of its own, and what runs in it."""

    def __init__(self, place: Path, name: str, hub: Path) -> None:
        self.path, self.home = place / name, place / f"home-{name}"
        self.home.mkdir()
        self.env = isolated_environment(self.home)
        _git(place, self.env, "clone", "-q", str(hub), name)

    def gitmem(self, *args: str) -> tuple[float, float]:
        """The seconds of CPU and of the clock that a command took."""
        cpu, wall = measure.run([*measure.gitmem(None), *args], cwd=self.path, env=self.env)
        return cpu / 1000, wall / 1000

    def count(self) -> int:
        """The number of memories in the clone."""
        app = App(Settings(self.env), SystemClock(), str(self.path))
        try:
            return int(app.store.value("SELECT count(*) FROM memories"))
        finally:
            app.close()


def _size(hub: Path, env: dict[str, str]) -> int:
    _git(hub, env, "gc", "-q", "--prune=now")
    return sum(
        os.path.getsize(os.path.join(folder, name))
        for folder, _, names in os.walk(hub / "objects")
        for name in names
    )


def main() -> int:
    """Make the clones and measure; the exit status."""
    options = measure.arguments(__doc__ or "", 3)
    options.add_argument("--memories", type=int, default=10_000)
    options.add_argument("--new", type=int, default=1000)
    given = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="gitmem-bench-") as temporary:
        place = Path(temporary).resolve()
        env = isolated_environment(place)
        generate.repository(place / "origin", 20, files=200)
        _git(place, env, "clone", "-q", "--bare", "origin", "hub.git")
        hub = place / "hub.git"
        first, other = Clone(place, "first", hub), Clone(place, "other", hub)
        generate.store(first.path, first.home, given.memories, anchored=given.memories // 10)
        before = _size(hub, env)
        first.gitmem("sync", "enable", "--yes")
        push = first.gitmem("sync", "push")
        growth = (_size(hub, env) - before) / given.memories
        more = []
        for number in range(given.runs):
            first.gitmem("remember", f"Fact number {number} that nobody has told before")
            more.append(first.gitmem("sync", "push"))
        other.gitmem("init")
        other.gitmem("sync", "enable", "--yes")
        whole = other.gitmem("sync", "pull")
        generate.store(other.path, other.home, given.new, seed=7)
        other.gitmem("sync", "push")
        pull = first.gitmem("sync", "pull")
        timed = (
            ("push of everything", push, PUSH),
            ("push of one memory", sorted(more)[len(more) // 2], MORE),
            (f"pull of {given.new} memories", pull, PULL),
            ("pull of everything", whole, None),
        )
        rows = [
            (name, f"{cpu:.2f} s", f"{wall:.2f} s", f"{bar} s" if bar else "")
            for name, (cpu, wall), bar in timed
        ]
        rows.append(("growth for a memory", f"{growth:.0f} bytes", "", f"{GROWTH} bytes"))
        print(f"{measure.machine()}; {first.count()} memories in the end")
        print(measure.table(("what", "CPU", "clock", "bar"), rows))
        failures = [f"{name}: {cpu:.2f} s" for name, (cpu, _), bar in timed if bar and cpu > bar]
        failures += [f"growth: {growth:.0f} bytes"] if growth > GROWTH else []
    return measure.verdict(failures)


if __name__ == "__main__":
    raise SystemExit(main())
