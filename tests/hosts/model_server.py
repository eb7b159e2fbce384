"""A model on loopback that answers from a script, and keeps every request that reached it."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.hosts import wire_formats
from tests.hosts.wire_formats import Step

DONE: Step = {"text": "All done."}
TITLE: Step = {"text": "A short title"}
# A request that is no step: it offers no tools (titles, summaries), or counts tokens; or it asks
# for a summary with the tools of the work, as Copilot CLI's and Kimi Code's do.
ASIDE = -1
_SUMMARIES = ("create a detailed summary of the conversation", "Create a handoff summary")


@dataclass(frozen=True)
class Request:
    """What a host asked: its path, its body, and which step of the script answered it."""

    path: str
    body: dict[str, Any]
    step: int = ASIDE


@dataclass
class Script:
    """The steps still to come; the lock is for hosts that ask several things at once."""

    steps: Sequence[Step]
    requests: list[Request] = field(default_factory=list)
    taken: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, path: str, body: dict[str, Any]) -> tuple[Step, int]:
        """The step that answers a request, and the request's number. Past the end it is done."""
        with self.lock:
            number = ASIDE
            if _offers_tools(body) and not _wants_summary(body):
                number = self.taken
                self.taken += 1
            self.requests.append(Request(path, body, number))
            if number == ASIDE:
                return TITLE, len(self.requests)
            step = self.steps[number] if number < len(self.steps) else DONE
            return step, len(self.requests)


def _offers_tools(body: dict[str, Any]) -> bool:
    given = body.get("input")
    return bool(body.get("tools")) or any(
        isinstance(item, dict) and item.get("type") == "additional_tools"
        for item in (given if isinstance(given, list) else ())
    )


def _wants_summary(body: dict[str, Any]) -> bool:
    messages = body.get("messages") or [{}]
    last = json.dumps(messages[-1].get("content", ""))
    return any(words in last for words in _SUMMARIES)


class ModelServer:
    """``with ModelServer(steps) as model:`` serves at ``model.url`` until the block ends."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self.script = Script(steps)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self.script))
        self._server.daemon_threads = True

    @property
    def url(self) -> str:
        """Where it serves, without a path."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def requests(self) -> list[Request]:
        """What reached it, in order."""
        return list(self.script.requests)

    def __enter__(self) -> ModelServer:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Serve no more, as a model server that dies. Nothing the second time."""
        self._server.shutdown()
        self._server.server_close()


def _handler(script: Script) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            pass

        def do_HEAD(self) -> None:
            self._send(b"", "text/plain")

        def do_GET(self) -> None:
            if self.headers.get("upgrade", "").lower() == "websocket":
                self._send(b"{}", "application/json", 426)
                return
            known = {"id": "mock-model", "object": "model", "owned_by": "mock"}
            models = {"object": "list", "data": [known], "models": []}
            self._json(models if "models" in self.path else {})

        def do_POST(self) -> None:
            body = _body(self)
            path = self.path.partition("?")[0]
            if path.endswith(("/count_tokens", ":countTokens")):
                self._json({"input_tokens": 100, "totalTokens": 100})
                return
            spoken = wire_formats.spoken(path)
            if spoken is None:
                self._json({})
                return
            step, number = script.answer(path, body)
            whole, events = spoken(body, step, number)
            if wire_formats.streams(path, body):
                self._send(b"".join(map(_event, events)), "text/event-stream")
            else:
                self._json(whole)

        def _json(self, value: Any) -> None:
            self._send(json.dumps(value).encode(), "application/json")

        def _send(self, content: bytes, kind: str, status: int = 200) -> None:
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    return Handler


def _event(named: tuple[str, Any]) -> bytes:
    name, data = named
    first = f"event: {name}\n" if name else ""
    return f"{first}data: {data if isinstance(data, str) else json.dumps(data)}\n\n".encode()


def _body(handler: BaseHTTPRequestHandler) -> dict[str, Any]:
    """The object that a request carries; what is none is kept as text."""
    content = _content(handler)
    if handler.headers.get("content-encoding", "") == "gzip":
        content = gzip.decompress(content)
    try:
        data = json.loads(content or b"{}")
    except ValueError:
        return {"unreadable": repr(content[:300])}
    return data if isinstance(data, dict) else {"list": data}


def _content(handler: BaseHTTPRequestHandler) -> bytes:
    if handler.headers.get("transfer-encoding", "").lower() != "chunked":
        return handler.rfile.read(int(handler.headers.get("content-length") or 0))
    content = b""
    while size := int(handler.rfile.readline().split(b";")[0].strip() or b"0", 16):
        content += handler.rfile.read(size)
        handler.rfile.readline()
    handler.rfile.readline()
    return content
