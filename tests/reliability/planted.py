"""A parser with a mistake behind three conditions, for fuzzers to find: a table as ``parsers``."""

from __future__ import annotations

from collections.abc import Callable

SAMPLES = ("[table]", "key = 1")
WORDS = ("key", "table")


def parse(text: str) -> int:
    """The length of a text; an error for one beginning."""
    first, second, third = (text[at : at + 1] for at in range(3))
    if first == "<" and second == "q" and third == "7":
        raise IndexError("planted")
    return len(text)


TEXTS: dict[str, Callable[[str], object]] = {"planted": parse}
BYTES: dict[str, Callable[[bytes], object]] = {}
HOSTS: dict[str, Callable[[bytes], object]] = {}
ALSO: dict[str, tuple[type[Exception], ...]] = {}
