"""The MCP stdio server."""

from __future__ import annotations


def serve(start: str) -> int:
    """Serve until standard input ends; the exit status."""
    raise NotImplementedError(start)
