"""A real server process, and a client that sends what a test wants."""

from __future__ import annotations

import http.client
import json
import re
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.mcp.conftest import Site, make_site
from tests.support import on_path

PATIENCE = 60.0
_ADDRESS = re.compile(r"at http://(\S+):(\d+);")
_OPEN = re.compile(r"/open/[0-9a-f]+\n")
_LAST = re.compile(r"serves for reading|/open/[0-9a-f]+\n")


@dataclass(frozen=True)
class Answer:
    """An answer: its status, its headers in lower case, its body."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)

    @property
    def code(self) -> str:
        """The code of an error, which must have all of its fields."""
        assert set(self.json) == {"error"}
        assert set(self.json["error"]) == {"code", "message", "hint"}
        return str(self.json["error"]["code"])


class Serving:
    """A running server; ``said`` is what it printed before it answered."""

    def __init__(self, process: subprocess.Popen[str], said: str, host: str, port: int) -> None:
        self.process = process
        self.said = said
        self.host = host
        self.port = port

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://{self.host}:{self.port}"

    @property
    def opened(self) -> str:
        """The path that lets a browser change memories; empty for a server that only reads."""
        found = _OPEN.search(self.said)
        return found[0].strip() if found else ""

    def send(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """Send one request on a connection of its own."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=PATIENCE)
        try:
            connection.request(method, path, body, dict(headers or {}))
            answer = connection.getresponse()
            named = {name.lower(): value for name, value in answer.getheaders()}
            return Answer(answer.status, named, answer.read())
        finally:
            connection.close()

    def get(self, path: str, **headers: str) -> Answer:
        """GET a path."""
        return self.send("GET", path, headers={k.replace("_", "-"): v for k, v in headers.items()})

    def post(self, path: str, body: Any = None, **headers: str) -> Answer:
        """POST JSON."""
        sent = json.dumps({} if body is None else body).encode()
        named = {k.replace("_", "-"): v for k, v in headers.items()}
        return self.send("POST", path, sent, {"Content-Type": "application/json", **named})

    def stop(self) -> int:
        """End the server as Ctrl-C does; its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        return self.process.wait(PATIENCE)


@contextmanager
def serving(place: Path, env: Mapping[str, str], options: Sequence[str] = ()) -> Iterator[Serving]:
    """A server on a free port."""
    words = on_path.words("serve", "-C", str(place), "--port", "0", *options, ordinary=True)
    process = subprocess.Popen(
        words, cwd=place, env=dict(env), stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True
    )
    assert process.stderr is not None
    said = ""
    try:
        while (match := _ADDRESS.search(said)) is None or not _LAST.search(said):
            line = process.stderr.readline()
            assert line, f"the server ended: {said}"
            said += line
        server = Serving(process, said, "127.0.0.1", int(match[2]))
        yield server
    finally:
        process.kill()
        process.wait(PATIENCE)
        process.stderr.close()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """A repository with three memories."""
    made = make_site(tmp_path_factory.mktemp("served"))
    for text in ("Redis listens on 6380", "Sessions end after an hour", "The queue is durable"):
        made.gitmem("remember", text)
    return made


@pytest.fixture(scope="module")
def server(site: Site) -> Iterator[Serving]:
    """A server of that repository, shared by the tests of a module."""
    with serving(site.path, site.env) as running:
        yield running
