"""Two ways to talk to a real ``gitmem mcp`` in a process of its own.

``Connected`` is the SDK's own client; ``Raw`` writes lines by hand, so that it can also write what
no client would.

    with connected(place, env) as client:
        client("recall", query="redis").structured_content

    with Raw(place, env) as raw:
        raw.open("2025-06-18")
        raw.ask("ping")
"""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_types import CallToolResult, Implementation

from tests.support import on_path, prefork
from tests.support.prefork import read_at_start

# Far more than anything needs; a loaded machine must not fail a test.
PATIENCE = 60.0
# For tests that use tools beyond the default ten.
FULL = ("--profile", "full")
BATCH = "the answers to a batch"


class Connected:
    """A client of the SDK, called from ordinary functions."""

    def __init__(self, portal: BlockingPortal, client: Client) -> None:
        self._portal = portal
        self.client = client

    def __call__(self, tool: str, **arguments: Any) -> CallToolResult:
        """Call a tool."""
        return self._portal.call(self.client.call_tool, tool, arguments)

    def ask(self, method: str, *arguments: Any, **named: Any) -> Any:
        """Call any method of the client, such as ``list_tools``."""
        return self._portal.call(partial(getattr(self.client, method), *arguments, **named))

    def read(self, uri: str) -> Any:
        """The one content of a resource."""
        (content,) = self.ask("read_resource", uri).contents
        return content


@contextmanager
def connected(
    place: Path,
    env: dict[str, str],
    *,
    name: str = "Claude Code",
    mode: str = "auto",
    options: Sequence[str] = (),
    roots: Callable[[Any], Awaitable[Any]] | None = None,
    ordinary: bool = False,
    here: bool = False,
) -> Iterator[Connected]:
    """A client connected over stdio to a server started for ``place``.

    ``options`` are more words of the command line; ``roots`` answers when the server asks for them.
    ``here``: it is not told the place, and starts in it. ``ordinary``: the server is not forked
    from a process that has loaded it, but started as a host starts it.
    """
    usual = read_at_start(env) == prefork.usual()
    named = () if here else ("-C", str(place))
    program, *words = on_path.words("mcp", *named, *options, ordinary=ordinary or not usual)
    parameters = StdioServerParameters(command=program, args=words, env=env, cwd=place)
    with start_blocking_portal() as portal:
        client = Client(
            stdio_client(parameters, errlog=sys.__stderr__ or sys.stderr),
            client_info=Implementation(name=name, version="1.0"),
            mode=mode,  # type: ignore[arg-type]
            list_roots_callback=roots,
        )
        with portal.wrap_async_context_manager(client):
            yield Connected(portal, client)


class Raw:
    """A server process and its three streams. Every line it writes must be JSON-RPC.

    ``notes`` are the notifications it sent; ``asked`` what it asked for, which is answered by
    ``reply`` (not at all where that gives None).
    """

    def __init__(
        self,
        place: Path,
        env: dict[str, str],
        *,
        words: list[str] | None = None,
        options: Sequence[str] = (),
    ) -> None:
        pipe = subprocess.PIPE
        self.process: subprocess.Popen[bytes] | prefork.Forked
        if words:
            self.process = subprocess.Popen(
                words, cwd=place, env=env, stdin=pipe, stdout=pipe, stderr=pipe
            )
        else:
            self.process = prefork.start(("mcp", "-C", str(place), *options), place, env)
        self.notes: list[dict[str, Any]] = []
        self.asked: list[dict[str, Any]] = []
        self.reply: Callable[[dict[str, Any]], dict[str, Any] | None] = lambda _: None
        self.out = b""
        self.errors = b""
        self._answers: queue.Queue[dict[str, Any]] = queue.Queue()
        self._kept: dict[Any, list[dict[str, Any]]] = {}
        self._threads = [
            threading.Thread(target=item, daemon=True) for item in (self._listen, self._collect)
        ]
        for thread in self._threads:
            thread.start()
        self._next = 0

    def _listen(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self.out += line
            message = json.loads(line)
            if "method" not in message:
                self._answers.put(message)
            elif "id" not in message:
                self.notes.append(message)
            else:
                self.asked.append(message)
                answer = self.reply(message)
                if answer is not None:
                    self.send({"jsonrpc": "2.0", "id": message["id"], **answer})

    def _collect(self) -> None:
        assert self.process.stderr
        self.errors = self.process.stderr.read()

    def send(self, *messages: Any) -> None:
        """Write messages: bytes as they are, anything else as a line of JSON."""
        assert self.process.stdin
        for message in messages:
            line = message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n"
            self.process.stdin.write(line)
        self.process.stdin.flush()

    def start(self, method: str, **params: Any) -> int:
        """Send a request; its id."""
        self._next += 1
        self.send({"jsonrpc": "2.0", "id": self._next, "method": method, "params": params})
        return self._next

    def answer(self, id: Any) -> Any:
        """The next answer to this id (None for an error that belongs to no request).

        The answers to a batch, a list, have the id ``BATCH``.
        """
        end = time.monotonic() + PATIENCE
        while not self._kept.get(id):
            message = self._answers.get(timeout=max(0.01, end - time.monotonic()))
            output = BATCH if isinstance(message, list) else message["id"]
            self._kept.setdefault(output, []).append(message)
        return self._kept[id].pop(0)

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """The answer to a request."""
        return self.answer(self.start(method, **params))

    def open(
        self, version: str = "2025-11-25", name: str = "raw", **capabilities: Any
    ) -> dict[str, Any]:
        """Shake hands; the result."""
        answer = self.ask(
            "initialize",
            protocolVersion=version,
            capabilities=capabilities,
            clientInfo={"name": name, "version": "0"},
        )
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return dict(answer["result"])

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The result of a tool call."""
        return dict(self.ask("tools/call", name=tool, arguments=arguments)["result"])

    def notify(self, method: str, **params: Any) -> None:
        """Send a notification."""
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def end(self) -> tuple[int, float]:
        """Close its input and wait; exit status and seconds."""
        assert self.process.stdin
        began = time.monotonic()
        self.process.stdin.close()
        return self.wait(), time.monotonic() - began

    def wait(self) -> int:
        """Wait for the end of the process; its exit status."""
        status = self.process.wait(timeout=PATIENCE)
        for thread in self._threads:
            thread.join(timeout=PATIENCE)
        return status

    def __enter__(self) -> Raw:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert stream
            stream.close()
