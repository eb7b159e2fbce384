"""JSON-RPC batches, several requests in a line, which only revision 2025-03-26 has.

The requests of a batch are served like any others; their answers are collected here and sent in a
line.
"""

from __future__ import annotations

from collections.abc import Iterator

from mcp_types import JSONRPCError, JSONRPCMessage, JSONRPCResponse

# The revision that has batches, and the most messages in one, whose answers are kept in memory.
REVISION, MOST = "2025-03-26", 100
Id = int | str | None


class Batch:
    """The answers to one batch, and the ids of requests without an answer yet."""

    def __init__(self) -> None:
        self.answers: list[JSONRPCMessage] = []
        self.awaited: list[Id] = []
        self.is_read = False

    @property
    def is_done(self) -> bool:
        """Whether the whole batch was read and each request has its answer."""
        return self.is_read and not self.awaited


class Batches:
    """The batches of a connection that are not answered yet."""

    def __init__(self) -> None:
        self._open: list[Batch] = []

    def begin(self) -> Batch:
        """Begin a batch; its reader adds ids to ``awaited`` and sets ``is_read`` at the end."""
        self._open.append(Batch())
        return self._open[-1]

    def take(self, message: JSONRPCMessage) -> bool:
        """Collect an answer if a batch awaits it; returns whether a batch did."""
        if not isinstance(message, JSONRPCResponse | JSONRPCError):
            return False
        batch = self._find_awaiting(message.id)
        if batch is None:
            return False
        batch.awaited.remove(message.id)
        batch.answers.append(message)
        return True

    def forget(self, id: Id) -> None:
        """Stop awaiting the answer to a cancelled request."""
        if batch := self._find_awaiting(id):
            batch.awaited.remove(id)

    def take_done(self) -> Iterator[list[JSONRPCMessage]]:
        """Remove the complete batches; returns the answers of each that has any."""
        for batch in [batch for batch in self._open if batch.is_done]:
            self._open.remove(batch)
            if batch.answers:
                yield batch.answers

    def take_rest(self) -> Iterator[list[JSONRPCMessage]]:
        """Remove the incomplete batches when no more answers come; returns their answers."""
        for batch in self._open:
            batch.awaited.clear()
            batch.is_read = True
        yield from self.take_done()

    def _find_awaiting(self, id: Id) -> Batch | None:
        return next((batch for batch in self._open if id in batch.awaited), None)
