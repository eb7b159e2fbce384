"""The start of a session while sharing by itself hangs: compared with sharing turned off.

    python -m tests.bench.sync_start [--runs 20]

The remote accepts connections and never answers. Clock of the whole hook, the median of runs taken
in turn, and their ratio.
"""

from __future__ import annotations

import argparse
import json
import socket
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import apsw

from tests.bench import measure
from tests.support.repos import RepoBuilder, isolated_environment

# The start with a remote that hangs may take so many times the start without sharing.
BAR = 1.1


def _start(place: Path, env: dict[str, str], number: int) -> float:
    session = f"0f8fad5b-d9cb-469f-a165-7086{number:08d}"
    payload = {"session_id": session, "cwd": str(place), "source": "startup"}
    begin = time.perf_counter()
    subprocess.run(
        [*measure.gitmem(None), "hook", "claude-code", "session-start"],
        cwd=place,
        env=env,
        input=json.dumps(payload).encode(),
        check=True,
        capture_output=True,
    )
    return time.perf_counter() - begin


def main() -> None:
    """Measure, print, and end with status 1 beyond the bar."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20)
    runs = parser.parse_args().runs
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        socket.create_server(("127.0.0.1", 0), backlog=128) as server,
    ):
        repo = RepoBuilder(Path(folder, "repo"))
        repo.commit("Start", {"README.md": "# Shop\n"})
        home = Path(folder, "home-of-it")
        home.mkdir()
        env = isolated_environment(home)
        port = server.getsockname()[1]
        repo.git("remote", "add", "origin", f"git://127.0.0.1:{port}/shop.git")

        def gitmem(*args: str) -> None:
            words = [*measure.gitmem(None), *args]
            subprocess.run(words, cwd=repo.path, env=env, check=True, capture_output=True)

        gitmem("init")
        gitmem("remember", "Redis listens on 6380")
        gitmem("sync", "enable", "--yes")
        times: dict[str, list[float]] = {"0": [], "1": []}
        for number in range(runs + 1):
            for value, taken in times.items():
                # Each start with sharing is due: its note of the last time is taken away.
                more = {"GITMEM_SYNC_AUTO": value}
                _forget(repo.path)
                taken.append(_start(repo.path, env | more, number * 2 + int(value)))
        server.settimeout(5)
        server.accept()[0].close()  # it was asked at all, else this ends with an error
        off, hangs = (statistics.median(taken[1:]) for taken in times.values())
    ratio = hangs / off
    print(f"start {off * 1000:.0f} ms, with a remote that hangs {hangs * 1000:.0f} ms: {ratio:.2f}")
    if ratio > BAR:
        raise SystemExit(1)


def _forget(place: Path) -> None:
    connection = apsw.Connection(str(place / ".gitmem" / "memory.db"))
    connection.set_busy_timeout(10_000)
    connection.execute("DELETE FROM meta WHERE key IN ('sync_auto', 'sync_last')")
    connection.close()


if __name__ == "__main__":
    main()
