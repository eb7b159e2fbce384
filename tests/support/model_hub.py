"""A hub of models on the loopback, as Hugging Face answers: the files of one folder.

with serving(folder) as hub:
    env = {"HF_ENDPOINT": hub.address}
assert "authorization" not in hub.headers
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

REVISION = "a" * 40


@dataclass
class Hub:
    """Its address, what it was asked for, and every header by its name in lower case."""

    address: str
    paths: list[str] = field(default_factory=list)
    headers: dict[str, set[str]] = field(default_factory=dict)


@contextmanager
def serving(folder: Path) -> Iterator[Hub]:
    """A hub with one model, whatever it is asked for."""
    files = {path.name: path.read_bytes() for path in folder.iterdir()}

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            hub.paths.append(path)
            for name, value in self.headers.items():
                hub.headers.setdefault(name.lower(), set()).add(value)
            about = {}
            if "/resolve/" in path:
                data = files[path.rpartition("/")[2]]
                about = {"ETag": f'"{hashlib.sha1(data).hexdigest()}"', "X-Repo-Commit": REVISION}
            else:
                data = json.dumps(_listed(files) if "/tree/" in path else _model(files)).encode()
            self.send_response(200)
            for name, value in {**about, "Content-Length": str(len(data))}.items():
                self.send_header(name, value)
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(data)

        do_HEAD = do_GET

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    hub = Hub(f"http://127.0.0.1:{server.server_address[1]}")
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _model(files: dict[str, bytes]) -> object:
    siblings = [{"rfilename": name} for name in files]
    return {"id": "some/model", "modelId": "some/model", "sha": REVISION, "siblings": siblings}


def _listed(files: dict[str, bytes]) -> object:
    return [
        {"type": "file", "path": name, "size": len(data), "oid": _oid(data)}
        for name, data in files.items()
    ]


def _oid(data: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()
