"""Calls answered without the SDK, whose types take most of a second to import.

That is enough for tool calls, pings and lists of clients that begin with a handshake. From the
first other line on the SDK serves the same connection (``gitmem.mcp.rpc.transport``); calls that
are running then are still answered here.
"""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import Callable
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

from gitmem import crashlog
from gitmem.errors import GitmemError
from gitmem.mcp.connection import ClientConnection
from gitmem.mcp.rpc import repo_resolver
from gitmem.mcp.rpc.executor import CallExecutor
from gitmem.mcp.rpc.opening import LONGEST, Handshake
from gitmem.mcp.rpc.stdio import ANSWER, DRAIN, FLUSH, StdioStreams
from gitmem.mcp.rpc.worker_thread import WorkerThread
from gitmem.mcp.tools import catalogue
from gitmem.mcp.tools.offer import OfferedTool

# The protocol's code for an internal error.
_INTERNAL = -32603


class PreSdkCallServer:
    """Answers a client's calls while the MCP SDK, which is slow to import, is not loaded yet.

    ``pending`` are the unanswered calls, id -> task; ``threads`` are those that read and write.
    """

    def __init__(
        self,
        wire: StdioStreams,
        handshake: Handshake,
        connection: ClientConnection,
        executor: CallExecutor,
    ) -> None:
        self.threads = self._input, self._output = (
            WorkerThread("gitmem-input"),
            WorkerThread("gitmem-output"),
        )
        self.pending: dict[str, asyncio.Task[None]] = {}
        self._wire = wire
        self._opening = handshake
        self._connection = connection
        self._desk = executor
        self._client = handshake.client_parameters["clientInfo"]["name"]
        self._rooted = "roots" in handshake.client_parameters["capabilities"]
        self._ended = asyncio.get_running_loop().create_future()

    async def serve_until_sdk_needed(self, buffered_input: bytes) -> bytes | None:
        """Answer calls until one needs the MCP SDK; returns the input that the SDK reads first.

        ``buffered_input`` was read already. Returns None if the input ended and all is answered.
        """
        self._listen_for_end()
        rest = buffered_input.removeprefix(self._opening.prepend_replayed_lines(b""))
        while True:
            while b"\n" in rest:
                line, _, after = rest.partition(b"\n")
                if not await self._take(line):
                    return self._opening.prepend_replayed_lines(rest)
                rest = after
            if len(rest) > LONGEST:
                return self._opening.prepend_replayed_lines(rest)
            chunk = await self._read()
            if not chunk and rest and not self._ended.done():
                return self._opening.prepend_replayed_lines(rest)
            if not chunk:
                await self.shut_down()
                return None
            rest += chunk

    async def load_while_serving(self, import_sdk: Callable[[], None]) -> bool:
        """Run ``import_sdk`` while calls are answered; returns True, or False if SIGTERM came."""
        await self._input.submit(import_sdk)
        if self._ended.done():
            await self.shut_down()
        return not self._ended.done()

    def _listen_for_end(self) -> None:
        def end_on_sigterm() -> None:
            if not self._ended.done():
                self._ended.set_result(None)

        with suppress(NotImplementedError, RuntimeError, ValueError):  # as in the transport
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, end_on_sigterm)

    async def _read(self) -> bytes:
        reading = self._input.submit(self._wire.read)
        await asyncio.wait({reading, self._ended}, return_when=asyncio.FIRST_COMPLETED)
        return b"" if self._ended.done() else await reading

    async def shut_down(self) -> None:
        """Wait about a second for running calls; the waiting ones are answered with an error."""
        for seconds in (DRAIN, ANSWER):
            if self.pending:
                await asyncio.wait(self.pending.values(), timeout=seconds)
            self._desk.close()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._output.submit(lambda: None), FLUSH)

    async def _take(self, line: bytes) -> bool:
        """Answer a line, or start its call; False if it needs the SDK."""
        answer = self._opening.answer_line(line)
        if answer is not None:
            if answer:
                self._write(answer)
            return True
        message = self._opening.parse_tool_call(line)
        if message is None:
            return False
        params = message["params"]
        if "id" not in message:
            if task := self.pending.get(str(params["requestId"])):
                task.cancel()
            return True
        offer, id = await self._offer(params), message["id"]
        if offer is None or str(id) in self.pending:
            return False
        task = asyncio.ensure_future(self._answer(id, offer, params))
        self.pending[str(id)] = task
        task.add_done_callback(lambda _: self.pending.pop(str(id), None))
        return True

    async def _offer(self, params: dict[str, Any]) -> OfferedTool | None:
        """The tool of a call; None if the call needs the SDK, for an error or for roots."""
        try:
            offer = catalogue.find_tool_or_none(params["name"], self._connection.profile)
        except Exception:  # the SDK's handlers report it
            return None
        if offer is None or not self._rooted:
            return offer
        # The SDK asks for roots: needed whenever the repository may be one of them.
        names = repo_resolver.repository_argument_name(
            params.get("arguments", {}), offer.fields
        ) or (repo_resolver.META in params.get("_meta", {}))
        if names or self._connection.profile == "compat":
            return None
        with suppress(GitmemError):  # the call itself will report it
            if await self._connection.places.uses_start_folder():
                return offer
        return None

    async def _answer(self, id: int | str, offer: OfferedTool, params: dict[str, Any]) -> None:
        meta, arguments = params.get("_meta", {}), params.get("arguments", {})
        ctx: Any = self._context(id, meta.get("progressToken"))
        try:
            answer = await self._connection.call_tool(ctx, offer, arguments, meta)
            message = {"id": id, "result": answer.result}
        except Exception as error:  # a bug must not leave a client waiting
            message = _error(id, crashlog.record_crash(error, ["mcp"]).message)
        try:
            line = _line(message)
        except ValueError:
            line = _line(_error(id, "The response could not be written as JSON."))
        await self._write(line)

    def _context(self, id: int | str, token: int | str | None) -> SimpleNamespace:
        """A stand-in for the SDK's context of a request."""

        async def send_progress(done: float, total: float | None, message: str) -> None:
            params = {"progressToken": token, "progress": done, "total": total, "message": message}
            given = {name: value for name, value in params.items() if value is not None}
            await self._write(_line({"method": "notifications/progress", "params": given}))

        async def send_notification(notification: Any, **_: object) -> None:
            await self._write(_line(notification.model_dump(by_alias=True, exclude_none=True)))

        session = SimpleNamespace(
            client_params=SimpleNamespace(client_info=SimpleNamespace(name=self._client)),
            client_capabilities=None,
            report_progress=send_progress,
            send_notification=send_notification,
        )
        meta = {} if token is None else {"progress_token": token}
        return SimpleNamespace(session=session, meta=meta, request_id=id)

    def _write(self, line: bytes) -> asyncio.Future[None]:
        return self._output.submit(lambda: self._wire.write(line))


def _line(message: dict[str, Any]) -> bytes:
    """A message as a line. Raises ValueError if UTF-8 or JSON cannot represent it."""
    full_message = {"jsonrpc": "2.0"} | message
    text = json.dumps(full_message, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode() + b"\n"


def _error(id: int | str, why: str) -> dict[str, Any]:
    return {"id": id, "error": {"code": _INTERNAL, "message": why}}
