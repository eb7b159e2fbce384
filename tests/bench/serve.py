"""`gitmem serve` against an empty Starlette application, side by side in one run.

    python -m tests.bench.serve [--seconds 30] [--clients 50] [--requests 20000]

Prints the start to the first ``/health``, the time of ``GET`` of one memory, many clients with
writers beside them, and the memory of the process over many requests.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from tests.http.conftest import Serving, serving
from tests.mcp.conftest import Site, make_site

_EMPTY = """
import sys, uvicorn
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route

async def health(request):
    return Response(b'{"status":"ok"}', media_type="application/json")

application = Starlette(routes=[Route("/health", health)])
uvicorn.run(application, port=int(sys.argv[1]), log_level="critical", access_log=False)
"""
WRITERS = 2


@contextmanager
def empty(port: int) -> Iterator[subprocess.Popen[bytes]]:
    """The empty application on a port."""
    process = subprocess.Popen([sys.executable, "-c", _EMPTY, str(port)])
    try:
        yield process
    finally:
        process.kill()
        process.wait()


async def ask(port: int, path: str, body: bytes | None = None) -> Client:
    """A client that has asked once."""
    client = Client(port)
    await client.ask(path, body)
    return client


class Client:
    """A connection that stays open; ``times`` are those of its answers in milliseconds."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self.times: list[float] = []
        self.errors = 0

    async def ask(self, path: str, body: bytes | None = None) -> int:
        """Send a request; the status of its answer."""
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port)
        reader, writer = self._streams
        began = time.perf_counter()
        head = f"{'GET' if body is None else 'POST'} {path} HTTP/1.1\r\nHost: localhost\r\n"
        if body is not None:
            head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        writer.write(head.encode() + b"\r\n" + (body or b""))
        answer = await reader.readuntil(b"\r\n\r\n")
        length = int(answer.lower().partition(b"content-length:")[2].split()[0])
        await reader.readexactly(length)
        self.times.append((time.perf_counter() - began) * 1000)
        status = int(answer.split()[1])
        self.errors += status >= 400
        return status

    def close(self) -> None:
        """Close the connection."""
        if self._streams is not None:
            self._streams[1].close()


async def first_answer(port: int) -> None:
    """Wait until a server answers."""
    while True:
        try:
            await ask(port, "/health")
            return
        except OSError:
            await asyncio.sleep(0.002)


def percentile(times: list[float], share: float) -> float:
    """The time within which this share of the answers came."""
    return sorted(times)[min(len(times) - 1, int(len(times) * share))]


async def crowd(port: int, path: str, seconds: float, clients: int, writers: int) -> list[Client]:
    """Many clients that ask the same again and again, and writers beside them."""
    end = time.monotonic() + seconds

    async def read(client: Client) -> None:
        while time.monotonic() < end:
            await client.ask(path)

    async def write(client: Client, number: int) -> None:
        count = 0
        while time.monotonic() < end:
            text = f"Writer {number} wrote fact {count} at port {6000 + count}"
            await client.ask("/api/v1/remember", json.dumps({"text": text}).encode())
            count += 1
            await asyncio.sleep(0.2)

    readers = [Client(port) for _ in range(clients)]
    wrote = [Client(port) for _ in range(writers)]
    await asyncio.gather(*map(read, readers), *(write(c, n) for n, c in enumerate(wrote)))
    for client in (*readers, *wrote):
        client.close()
    errors = sum(client.errors for client in wrote)
    print(f"  writes {sum(len(c.times) for c in wrote)}, errors {errors}") if writers else None
    return readers


def resident_kib(pid: int) -> int:
    """The resident memory of a process."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0])


def measure_start(site: Site, runs: int = 5) -> None:
    """Milliseconds from the start of each process to its first answer."""
    times: dict[str, list[float]] = {"empty": [], "gitmem": []}
    for run in range(runs):
        port = 18400 + run
        began = time.perf_counter()
        with empty(port):
            asyncio.run(first_answer(port))
            times["empty"].append((time.perf_counter() - began) * 1000)
        began = time.perf_counter()
        with serving(site.path, site.env) as server:
            asyncio.run(first_answer(server.port))
            times["gitmem"].append((time.perf_counter() - began) * 1000)
    ratio = median(times["gitmem"]) / median(times["empty"])
    print(f"start to /health: {median(times['empty']):.0f} and {median(times['gitmem']):.0f} ms, "
          f"x{ratio:.2f}")  # fmt: skip


async def measure_one(port: int, path: str, requests: int = 500) -> float:
    """The median time of an answer."""
    client = Client(port)
    for _ in range(requests):
        await client.ask(path)
    client.close()
    return median(client.times)


async def measure_memory(server: Serving, path: str, requests: int) -> None:
    """The memory before and after many requests."""
    client = Client(server.port)
    for _ in range(1000):
        await client.ask(path)
    before = resident_kib(server.process.pid)
    for _ in range(requests):
        await client.ask(path)
    after = resident_kib(server.process.pid)
    client.close()
    print(f"memory over {requests:,} requests: {before / 1024:.1f} to {after / 1024:.1f} MB, "
          f"x{after / before:.3f}")  # fmt: skip


def main() -> None:
    """Run all of it."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seconds", type=float, default=30)
    options.add_argument("--clients", type=int, default=50)
    options.add_argument("--requests", type=int, default=20_000)
    given = options.parse_args()
    with TemporaryDirectory(prefix="gitmem-bench-") as folder:
        site = make_site(Path(folder))
        id = site.gitmem("remember", "Redis listens on 6380", "--json").json["id"]
        measure_start(site)
        path = f"/api/v1/show?id={id}"
        with empty(18500), serving(site.path, site.env) as server:
            asyncio.run(first_answer(18500))
            bare = asyncio.run(measure_one(18500, "/health"))
            result = asyncio.run(measure_one(server.port, path))
            print(f"one GET, p50: {bare:.2f} and {result:.2f} ms, {result - bare:.2f} more")
            for port, where, writers in ((18500, "/health", 0), (server.port, path, WRITERS)):
                readers = asyncio.run(crowd(port, where, given.seconds, given.clients, writers))
                times = [moment for client in readers for moment in client.times]
                errors = sum(client.errors for client in readers)
                print(f"{given.clients} clients, {where.partition('?')[0]}: {len(times)} answers, "
                      f"errors {errors}, p50 {median(times):.1f}, "
                      f"p99 {percentile(times, 0.99):.1f} ms")  # fmt: skip
            asyncio.run(measure_memory(server, path, given.requests))


if __name__ == "__main__":
    os.environ.setdefault("PYTHONHASHSEED", "0")
    main()
