"""``gitmem mcp`` as hosts start it, without click, since each of their sessions waits for it.

Reads the command lines that setup writes; others are left to click.
"""

from __future__ import annotations

from collections.abc import Sequence

from gitmem.mcp.tools.profiles import NAMES


def parse(words: Sequence[str]) -> tuple[str, str] | None:
    """Folder and profile of ``mcp [-C PATH] [--profile NAME]``; None for any other form."""
    place, profile = ".", NAMES[0]
    rest = iter(words[1:])
    for word in rest:
        value = next(rest, "")
        if word == "-C" and value:
            place = value
        elif word == "--profile" and value in NAMES:
            profile = value
        else:
            return None
    return place, profile


def run(place: str, profile: str) -> int:
    """Serve a folder until standard input ends; returns the exit status."""
    from gitmem.mcp import server  # noqa: PLC0415 - not needed to parse

    return server.serve(place, profile)
