"""A server on the loopback that stands for a model: it answers rightly, wrongly, late or never.

with serving(Reply(completion("Redis is on 6380 [1]."))) as server:
    ask(f"http://127.0.0.1:{server.port}/v1")
assert "Redis" in server.bodies[0]
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread


@dataclass
class Reply:
    """What is answered: ``body`` None hangs up; after ``wait`` seconds; ``drip`` between bytes."""

    body: bytes | None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    wait: float = 0.0
    drip: float = 0.0


@dataclass
class Serving:
    """A running server: its port, and what it was sent."""

    port: int
    paths: list[str] = field(default_factory=list)
    bodies: list[str] = field(default_factory=list)
    headers: list[Mapping[str, str]] = field(default_factory=list)


def completion(text: str) -> bytes:
    """The body of a chat completion that says this."""
    return json.dumps({"choices": [{"message": {"role": "assistant", "content": text}}]}).encode()


@contextmanager
def serving(reply: Reply | Callable[[str, str], Reply]) -> Iterator[Serving]:
    """A server that answers every request so, until the end of the block.

    A function is given the path and the body of the request.
    """
    over = Event()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers.get("Content-Length", 0))
            body = self.rfile.read(length).decode()
            result.paths.append(self.path)
            result.bodies.append(body)
            result.headers.append(dict(self.headers))
            given = reply if isinstance(reply, Reply) else reply(self.path, body)
            over.wait(given.wait)
            with suppress(OSError):
                self._answer(given)

        do_GET = do_POST

        def _answer(self, reply: Reply) -> None:
            if reply.body is None:
                self.close_connection = True
                return
            self.send_response(reply.status)
            for name, value in {**reply.headers, "Content-Length": str(len(reply.body))}.items():
                self.send_header(name, value)
            self.end_headers()
            if not reply.drip:
                self.wfile.write(reply.body)
                return
            for at in range(len(reply.body)):
                self.wfile.write(reply.body[at : at + 1])
                self.wfile.flush()
                if over.wait(reply.drip):
                    return

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    result = Serving(server.server_address[1])
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield result
    finally:
        over.set()
        server.shutdown()
        server.server_close()
        thread.join()
