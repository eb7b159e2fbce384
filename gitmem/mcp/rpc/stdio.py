"""Reserving standard input and output for the protocol.

The two streams move to descriptors of their own; whatever prints to standard output afterwards,
C libraries included, prints to standard error.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress

from gitmem.errors import Unavailable
from gitmem.model.frozen import dataclass

_CHUNK = 1 << 16
# At the end of input: seconds for running calls to end, for answering the rest, and for writing.
# Together less than the two after which a client may kill the server.
DRAIN, ANSWER, FLUSH = 1.1, 0.2, 0.3


@dataclass(frozen=True, slots=True)
class StdioStreams:
    """The file descriptors ``input`` and ``output`` by which the server talks to its client.

    Reading and writing block; no child process inherits the descriptors.
    """

    input: int
    output: int

    def read(self) -> bytes:
        """Wait for input and return it, at most 64 KiB; empty at the end of the input."""
        try:
            return os.read(self.input, _CHUNK)
        except OSError:
            return b""

    def write(self, data: bytes) -> None:
        """Write all of ``data``; errors are ignored, since then the client is gone."""
        rest = memoryview(data)
        with suppress(OSError):
            while rest:
                rest = rest[os.write(self.output, rest) :]


def take_over_stdio() -> StdioStreams:
    """Move standard input and output to new descriptors, for the server alone; returns them.

    What is printed afterwards goes to standard error. Raises Unavailable if one is closed.
    """
    try:
        for number in (0, 1):
            os.fstat(number)
    except OSError as error:
        raise Unavailable(
            "Standard input or output is closed.",
            "`gitmem mcp` is started by an MCP client, which talks to it through both.",
        ) from error
    # If standard error is closed, this takes its number, so that the protocol's streams do not.
    null = os.open(os.devnull, os.O_RDWR)
    wire = StdioStreams(os.dup(0), os.dup(1))
    sys.stdout.flush()
    os.dup2(null, 0)
    os.dup2(2, 1)
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - for good
    if null != 2:
        os.close(null)
    for descriptor in (wire.input, wire.output):
        # Some hosts pass non-blocking pipes, but our threads have to block.
        with suppress(OSError, AttributeError):
            os.set_blocking(descriptor, True)
    return wire
