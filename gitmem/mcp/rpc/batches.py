"""JSON-RPC batches, which only the revision 2025-03-26 has: one line asks, one line answers.

The requests of a batch are served like any others; their answers wait here for each other.
"""

from __future__ import annotations

from collections.abc import Iterator

from mcp_types import JSONRPCError, JSONRPCMessage, JSONRPCResponse

# The revision that knows batches, and messages in one of them: their answers are kept in memory.
REVISION, MOST = "2025-03-26", 100
Id = int | str | None


class Batch:
    """The answers to one batch: those that are there, and the ids of those that are awaited."""

    def __init__(self) -> None:
        self.answers: list[JSONRPCMessage] = []
        self.awaited: list[Id] = []
        self.is_read = False

    @property
    def is_done(self) -> bool:
        """Whether all of it was read, and no answer to it is awaited any more."""
        return self.is_read and not self.awaited


class Batches:
    """The batches of a connection that are not answered yet."""

    def __init__(self) -> None:
        self._open: list[Batch] = []

    def begin(self) -> Batch:
        """A new one; whoever reads it says which answers it awaits, and when it ``is_read``."""
        self._open.append(Batch())
        return self._open[-1]

    def take(self, message: JSONRPCMessage) -> bool:
        """Keep an answer that a batch awaits; whether it was one."""
        if not isinstance(message, JSONRPCResponse | JSONRPCError):
            return False
        batch = self._awaiting(message.id)
        if batch is None:
            return False
        batch.awaited.remove(message.id)
        batch.answers.append(message)
        return True

    def forget(self, id: Id) -> None:
        """Await no answer to a request that was cancelled."""
        if batch := self._awaiting(id):
            batch.awaited.remove(id)

    def done(self) -> Iterator[list[JSONRPCMessage]]:
        """The answers to each batch that has all of them, once; none for one that asks nothing."""
        for batch in [one for one in self._open if one.is_done]:
            self._open.remove(batch)
            if batch.answers:
                yield batch.answers

    def rest(self) -> Iterator[list[JSONRPCMessage]]:
        """What there is of the others, when no more answers come."""
        for batch in self._open:
            batch.awaited.clear()
            batch.is_read = True
        yield from self.done()

    def _awaiting(self, id: Id) -> Batch | None:
        return next((batch for batch in self._open if id in batch.awaited), None)
