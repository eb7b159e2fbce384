"""``gitmem mcp`` as hosts start it, without click: each of their sessions waits for it.

Understands what templates write, or answers None and leaves it to click.
"""

from __future__ import annotations

from collections.abc import Sequence

from gitmem.mcp.tools.profiles import NAMES


def understood(words: Sequence[str]) -> tuple[str, str] | None:
    """The folder and the profile that ``mcp [-C PATH] [--profile NAME]`` names."""
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
    """Serve a folder until standard input ends; the exit status."""
    from gitmem.mcp import server  # noqa: PLC0415 - what only asks for help needs none of it

    return server.serve(place, profile)
