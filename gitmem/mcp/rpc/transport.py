"""Carrying messages between standard input and output and the SDK's two streams.

The SDK's own stdio transport drops lines that it cannot parse, so that clients wait for ever. This
one answers every such line and reads on. When input ends, it lets running calls finish and then
ends within a bounded time.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import (
    INTERNAL_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    Root,
)
from pydantic import ValidationError

from gitmem.mcp.rpc.framing import (
    JsonRpcErrorAnswer,
    LineSplitter,
    OversizedLine,
    batch_error,
    read_message,
    split_batch,
)
from gitmem.mcp.rpc.stdio import ANSWER, DRAIN, FLUSH, StdioStreams
from gitmem.mcp.rpc.worker_thread import WorkerThread

Incoming = MemoryObjectReceiveStream[SessionMessage | Exception]
Outgoing = MemoryObjectSendStream[SessionMessage]

_BACKLOG = 256


class StdioTransport:
    """Carries messages between a client and the MCP SDK until the input ends or SIGTERM comes.

    Then it calls ``closing``. ``before`` is input that was read already, ``answered`` the ids of
    its requests that have an answer. ``pending`` are calls (id -> task) that are answered
    elsewhere, ``threads`` the two that read and write.
    """

    def __init__(
        self,
        wire: StdioStreams,
        closing: Callable[[], None],
        before: bytes = b"",
        answered: Iterable[int | str] = (),
        pending: dict[str, asyncio.Task[None]] | None = None,
        threads: tuple[WorkerThread, WorkerThread] | None = None,
    ) -> None:
        self._wire = wire
        self._before = before
        self._answered_before = list(answered)
        self._closing = closing
        self._pending = {} if pending is None else pending
        self._reading_hand, self._writing_hand = threads or (
            WorkerThread("gitmem-input"),
            WorkerThread("gitmem-output"),
        )
        self._reading = anyio.CancelScope()
        self._open: set[int | str] = set()
        self._batches = PendingBatches()
        self._batching = False
        self._to_server, self._from_client = anyio.create_memory_object_stream[
            SessionMessage | Exception
        ](0)
        self._to_client, self._from_server = anyio.create_memory_object_stream[SessionMessage](
            _BACKLOG
        )

    async def run(self, serve: Callable[[Incoming, Outgoing], Awaitable[None]]) -> None:
        """Run ``serve(incoming, outgoing)``, the SDK's server, until soon after the input ends."""
        self._listen_for_end()
        written = anyio.Event()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._read)
            tasks.start_soon(self._write, written)
            await serve(self._from_client, self._to_client)
            with anyio.move_on_after(FLUSH):
                await written.wait()
            tasks.cancel_scope.cancel()

    def _listen_for_end(self) -> None:
        with suppress(NotImplementedError, RuntimeError):  # Windows; not in the main thread
            loop = asyncio.get_running_loop()
            loop.add_signal_handler(signal.SIGTERM, self._reading.cancel)

    async def _read(self) -> None:
        lines = LineSplitter()
        async with self._to_server:
            with self._reading:
                chunk = self._before or await self._reading_hand.submit(self._wire.read)
                while chunk:
                    for line in lines.feed(chunk):
                        await self._take(line)
                    chunk = await self._reading_hand.submit(self._wire.read)
                for line in lines.flush():
                    await self._take(line)
            # Let calls finish, and answer the rest that the server shuts down.
            await self._wait_for_answers(DRAIN)
            self._closing()
            await self._wait_for_answers(ANSWER)

    async def _take(self, line: bytes | OversizedLine) -> None:
        many = split_batch(line) if self._batching and isinstance(line, bytes) else None
        if many is None:
            await self._take_one(read_message(line))
        elif not 0 < len(many) <= MOST_BATCHED:
            await self._put(batch_error(f"A batch has 1 to {MOST_BATCHED} messages.").answer)
        else:
            await self._take_batch(many)

    async def _take_batch(self, many: list[bytes]) -> None:
        batch = self._batches.start_batch()
        for line in many:
            message = read_message(line)
            if isinstance(message, JSONRPCRequest) and message.method == "initialize":
                message = batch_error("A handshake cannot be part of a batch.", message.id)
            await self._take_one(message, batch)
        batch.is_read = True
        await self._write_batches()

    async def _take_one(
        self, message: JSONRPCMessage | JsonRpcErrorAnswer | None, batch: BatchAnswers | None = None
    ) -> None:
        if message is None:
            return
        if isinstance(message, JsonRpcErrorAnswer):
            if batch is not None:
                batch.answers.append(message.answer)
            else:
                await self._put(message.answer)
            return
        if isinstance(message, JSONRPCRequest):
            self._open.add(message.id)
            if message.method == "initialize" and message.params:
                # A supported revision that a client asks for is the one agreed on.
                self._batching = message.params.get("protocolVersion") == BATCH_REVISION
            if batch is not None:
                batch.awaited.append(message.id)
        elif isinstance(message, JSONRPCNotification):
            await self._forget_cancelled(message)
        elif isinstance(message, JSONRPCResponse):
            message = drop_non_file_roots(message)
        await self._to_server.send(SessionMessage(message))

    async def _forget_cancelled(self, message: JSONRPCNotification) -> None:
        if message.method == "notifications/cancelled" and message.params:
            id = message.params.get("requestId")
            if isinstance(id, int | str):
                if task := self._pending.get(str(id)):
                    task.cancel()
                self._open.discard(id)
                self._batches.forget_cancelled_request(id)
                await self._write_batches()

    async def _wait_for_answers(self, seconds: float) -> None:
        with anyio.move_on_after(seconds):
            while self._open or self._pending:
                await anyio.sleep(0.005)

    async def _write(self, written: anyio.Event) -> None:
        async with self._from_server:
            async for message in self._from_server:
                await self._put(message.message)
        await self._write_batches(rest=True)
        written.set()

    async def _put(self, message: JSONRPCMessage) -> None:
        if isinstance(message, JSONRPCResponse) and message.id in self._answered_before:
            self._answered_before.remove(message.id)
            self._open.discard(message.id)
            return
        if self._batches.add_answer(message):
            await self._write_batches()
        else:
            line = message_as_line(message)
            await self._writing_hand.submit(lambda: self._wire.write(line))
        if isinstance(message, JSONRPCResponse | JSONRPCError) and message.id is not None:
            self._open.discard(message.id)

    async def _write_batches(self, *, rest: bool = False) -> None:
        for answers in (
            self._batches.pop_incomplete_batches() if rest else self._batches.pop_complete_batches()
        ):
            line = (
                b"["
                + b",".join(message_as_line(answer).rstrip(b"\n") for answer in answers)
                + b"]\n"
            )
            await self._writing_hand.submit(partial(self._wire.write, line))


def drop_non_file_roots(roots_response: JSONRPCResponse) -> JSONRPCResponse:
    """A client's response without those of its roots (open folders) that are no ``file:`` URIs."""
    roots = roots_response.result.get("roots")
    if not isinstance(roots, list):
        return roots_response
    files = [root for root in roots if _is_file(root)]
    return roots_response.model_copy(update={"result": roots_response.result | {"roots": files}})


def _is_file(root: object) -> bool:
    try:
        return bool(Root.model_validate(root))
    except ValidationError:
        return False


def message_as_line(message: JSONRPCMessage) -> bytes:
    """A message as a line of JSON; if UTF-8 cannot represent it, an error with its id instead."""
    try:
        return message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n"
    except ValueError:
        # The client must still get an answer.
        error = ErrorData(code=INTERNAL_ERROR, message="The response could not be written as JSON.")
        id = message.id if isinstance(message, JSONRPCResponse | JSONRPCError) else None
        return JSONRPCError(jsonrpc="2.0", id=id, error=error).model_dump_json().encode() + b"\n"


# The revision that has batches, and the most messages in one, whose answers are kept in memory.
BATCH_REVISION, MOST_BATCHED = "2025-03-26", 100
Id = int | str | None


class BatchAnswers:
    """The answers to one JSON-RPC batch so far, and ``awaited``, the ids without an answer."""

    def __init__(self) -> None:
        self.answers: list[JSONRPCMessage] = []
        self.awaited: list[Id] = []
        self.is_read = False

    @property
    def is_done(self) -> bool:
        """Whether all requests of the batch were read and answered."""
        return self.is_read and not self.awaited


class PendingBatches:
    """The batches of a connection that are not answered yet."""

    def __init__(self) -> None:
        self._open: list[BatchAnswers] = []

    def start_batch(self) -> BatchAnswers:
        """Add and return a batch: add ids to its ``awaited``, and set ``is_read`` at its end."""
        self._open.append(BatchAnswers())
        return self._open[-1]

    def add_answer(self, message: JSONRPCMessage) -> bool:
        """Add an answer to the batch that awaits it; returns whether there is such a batch."""
        if not isinstance(message, JSONRPCResponse | JSONRPCError):
            return False
        batch = self._find_awaiting(message.id)
        if batch is None:
            return False
        batch.awaited.remove(message.id)
        batch.answers.append(message)
        return True

    def forget_cancelled_request(self, request_id: Id) -> None:
        """Stop awaiting the answer to a cancelled request."""
        if batch := self._find_awaiting(request_id):
            batch.awaited.remove(request_id)

    def pop_complete_batches(self) -> Iterator[list[JSONRPCMessage]]:
        """Remove the complete batches; yields the answers of each that has any, as a list."""
        for batch in [batch for batch in self._open if batch.is_done]:
            self._open.remove(batch)
            if batch.answers:
                yield batch.answers

    def pop_incomplete_batches(self) -> Iterator[list[JSONRPCMessage]]:
        """Remove all batches, as no answers follow; yields the answers of each that has any."""
        for batch in self._open:
            batch.awaited.clear()
            batch.is_read = True
        yield from self.pop_complete_batches()

    def _find_awaiting(self, id: Id) -> BatchAnswers | None:
        return next((batch for batch in self._open if id in batch.awaited), None)
