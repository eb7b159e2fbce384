"""Streamable HTTP in front of ``gitmem mcp``, for the suite that speaks HTTP alone.

Lines are carried as they are. Each MCP session has a server of its own; requests of the revisions
without sessions share one, and a request of neither kind gets a new one, as its sender would.
"""

from __future__ import annotations

import json
import queue
import subprocess
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.mcp.peers import FULL
from tests.support.cli import command

_LOCAL = {"localhost", "127.0.0.1", "::1"}
_VERSION = "io.modelcontextprotocol/protocolVersion"
# Seconds in which a request must be answered.
PATIENCE = 20.0
# HTTP statuses of errors, as revisions without sessions have them.
_STATUS = {-32601: 404, -32602: 400, -32600: 400, -32020: 400, -32021: 400, -32022: 400}


class Server:
    """One ``gitmem mcp`` with all it has; what it says goes to whoever waits for it."""

    def __init__(self, place: Path, env: dict[str, str]) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            command("mcp", "-C", str(place), *FULL), cwd=place, env=env, stdin=pipe, stdout=pipe
        )
        self._waiting: dict[Any, queue.Queue[dict[str, Any]]] = {}
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            message = json.loads(line)
            # Notifications and requests of the server go to all: the suite asks one by one.
            ours = "method" not in message and message.get("id") in self._waiting
            for one in [self._waiting[message["id"]]] if ours else [*self._waiting.values()]:
                one.put(message)

    def send(self, message: Any) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, message: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """What the server says until it has answered; the answer comes last."""
        heard = self._waiting[message["id"]] = queue.Queue()
        try:
            self.send(message)
            while True:
                told = heard.get(timeout=PATIENCE)
                yield told
                if "method" not in told:
                    return
        finally:
            del self._waiting[message["id"]]

    def end(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait(timeout=PATIENCE)


class Servers:
    """All servers of a run."""

    def __init__(self, place: Path, env: dict[str, str]) -> None:
        self._place = place
        self._env = env
        self._lock = threading.Lock()
        self._by_session: dict[str, Server] = {}

    def of(self, session: str, message: dict[str, Any]) -> tuple[str, Server]:
        """The server for a message, and the id of its session."""
        meta = (message.get("params") or {}).get("_meta") or {}
        if message.get("method") == "initialize" or not (session or _VERSION in meta):
            session = uuid.uuid4().hex
        with self._lock:
            if session not in self._by_session:
                self._by_session[session] = Server(self._place, self._env)
            return session, self._by_session[session]

    def end(self) -> None:
        for one in self._by_session.values():
            one.end()


@contextmanager
def bridged(place: Path, env: dict[str, str]) -> Iterator[str]:
    """The address of a bridge to servers of a repository, while it stands."""
    servers = Servers(place, env)

    class Handler(_Handler):
        pass

    Handler.servers = servers
    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=http.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{http.server_port}/mcp"
    finally:
        http.shutdown()
        http.server_close()
        servers.end()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    servers: Servers

    def log_message(self, *_: object) -> None:
        """Say nothing on standard error."""

    def do_GET(self) -> None:
        """There is no stream without a request."""
        self._end(405)

    def do_DELETE(self) -> None:
        """The end of a session; its server is ended with all others."""
        self._end(200)

    def do_POST(self) -> None:
        """One message."""
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if not self._is_local():
            self._end(403)
            return
        message = json.loads(body)
        session, server = self.servers.of(self.headers.get("mcp-session-id", ""), message)
        if "id" not in message or "method" not in message:
            server.send(message)
            self._end(202)
            return
        self._answer(server.ask(message), session)

    def _is_local(self) -> bool:
        """Whether neither a rebound name nor another site's page asks."""
        host = urlsplit(f"//{self.headers.get('host', '')}").hostname
        origin = self.headers.get("origin")
        return host in _LOCAL and (not origin or urlsplit(origin).hostname in _LOCAL)

    def _answer(self, told: Iterator[dict[str, Any]], session: str) -> None:
        first = next(told)
        modern = not self.headers.get("mcp-session-id") and "mcp-method" in self.headers
        status = _STATUS.get(first.get("error", {}).get("code"), 200) if modern else 200
        self.send_response(status)
        if not modern:
            self.send_header("mcp-session-id", session)
        kind = "application/json" if "method" not in first else "text/event-stream"
        self.send_header("content-type", kind)
        if kind == "application/json":
            line = json.dumps(first).encode()
            self.send_header("content-length", str(len(line)))
            self.end_headers()
            self.wfile.write(line)
            return
        self.send_header("connection", "close")
        self.end_headers()
        for one in (first, *told):
            self.wfile.write(f"event: message\ndata: {json.dumps(one)}\n\n".encode())
            self.wfile.flush()
        self.close_connection = True

    def _end(self, status: int) -> None:
        self.send_response(status)
        self.send_header("content-length", "0")
        self.end_headers()
