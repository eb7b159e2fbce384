"""uvicorn's HTTP protocol, which ends a connection whose request does not come.

uvicorn waits for the rest of a request's headers for ever, and some hundred such clients would keep
all others out. A body has its own time (``guard``).
"""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from gitmem.http.guard import PATIENCE


class HeaderTimeoutProtocol(H11Protocol):
    """uvicorn's HTTP protocol; closes a connection whose request headers are not complete in time.

    They have 20 seconds, from the start of the connection or of the headers.
    """

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Accept a connection, and begin to wait for its first request."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Take bytes of a request; if its headers are not complete, wait on."""
        super().data_received(data)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """End the wait, since the connection is closed."""
        super().connection_lost(exc)
        self._stop()

    def _wait(self) -> None:
        if self.conn.their_state is not h11.IDLE:
            self._stop()
        elif self._deadline is None:
            self._deadline = self.loop.call_later(PATIENCE, self.transport.close)

    def _stop(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
