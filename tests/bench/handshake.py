"""How long an MCP client waits for the answer to ``initialize``: ours against an empty server.

    python -m tests.bench.handshake [--runs 15]

The empty server is the same SDK's, with its own stdio transport and no tool at all. Both are
started in turn, in the same repository with a store. Prints wall milliseconds from the start of the
process to the line of the answer, the CPU of the whole process beside them, and the ratio of the
medians; the bar is 1.3. What is started is the console script beside the interpreter, if gitmem is
installed there, else ``python -m gitmem``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.bench import generate, measure
from tests.bench.measure import Timing
from tests.support.repos import isolated_environment

BAR = 1.3
COMMITS = 50
OURS, EMPTY = "gitmem mcp", "empty server"
# As short as the SDK allows, and nothing of it that a server with tools would not need.
SCRIPT = """
import asyncio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

async def main():
    server = Server("empty")
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())

asyncio.run(main())
"""
_REQUEST = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {"roots": {"listChanged": True}},
        "clientInfo": {"name": "bench", "version": "1"},
    },
}


def main() -> int:
    """Run it; the exit status."""
    options = measure.arguments(__doc__ or "", 15)
    options.add_argument("--script", help="the gitmem to start")
    given = options.parse_args()
    start = measure.gitmem(given.script)
    jobs = {EMPTY: [sys.executable, "-c", SCRIPT], OURS: [*start, "mcp"]}
    timings = {name: Timing(name) for name in jobs}
    with tempfile.TemporaryDirectory(prefix="gitmem-bench-") as temporary:
        place = Path(temporary)
        env = measure.child_environment(isolated_environment(place / "home"))
        generate.repository(place / "repo", COMMITS)
        subprocess.run(
            [*start, "init", "--no-hooks"],
            cwd=place / "repo",
            env=env,
            check=True,
            stdout=subprocess.DEVNULL,
        )
        # A first round writes byte code and fills the disk's cache.
        for number in range(given.runs + 1):
            for name, command in jobs.items():
                cpu, wall = shake(command, cwd=place / "repo", env=env)
                if number:
                    timings[name].cpu.append(cpu)
                    timings[name].wall.append(wall)
    return _tell(timings, start)


def shake(command: Sequence[str], *, cwd: Path, env: Mapping[str, str]) -> tuple[float, float]:
    """CPU milliseconds of the whole process, and wall milliseconds until it has answered."""
    began = time.perf_counter()
    with subprocess.Popen(
        command, cwd=cwd, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(json.dumps(_REQUEST).encode() + b"\n")
        child.stdin.flush()
        answer = json.loads(child.stdout.readline())
        wall = time.perf_counter() - began
        child.stdin.close()
        child.stdout.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if "result" not in answer or child.returncode:
        raise SystemExit(f"{' '.join(command[:3])} failed: {answer}, {child.returncode}")
    return (usage.ru_utime + usage.ru_stime) * 1000, wall * 1000


def _tell(timings: Mapping[str, Timing], start: Sequence[str]) -> int:
    print(measure.machine())
    print(" ".join(start))
    base = measure.median(timings[EMPTY].wall)
    rows = [
        (
            name,
            min(item.wall),
            measure.median(item.wall),
            measure.median(item.cpu),
            f"{measure.median(item.wall) / base:.2f}",
        )
        for name, item in timings.items()
    ]
    print(measure.table(("", "wall min", "wall median", "CPU median", "ratio"), rows))
    ratio = measure.median(timings[OURS].wall) / base
    late = [f"the handshake takes {ratio:.2f} times an empty server's, the bar is {BAR:g}"]
    return measure.verdict(late if ratio > BAR else [])


if __name__ == "__main__":
    sys.exit(main())
