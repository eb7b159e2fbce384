"""Reading JSON that gitmem wrote itself, without ``json``: its import costs 2 ms of every command.

It uses the C scanner of ``json.loads``. What that does not read to the end (surrounding white
space, invalid JSON), or a Python without the scanner, goes to ``json``.
"""

from __future__ import annotations

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class _Plain:
    """The context that ``json.JSONDecoder`` gives the scanner, with default options."""

    strict = True
    object_hook = object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float


def _scanner() -> Callable[[str, int], tuple[Any, int]] | None:
    try:
        from _json import make_scanner  # noqa: PLC0415 - not in every Python
    except ImportError:
        return None
    return make_scanner(_Plain)  # type: ignore[arg-type]


_scan = _scanner()


def loads(text: str) -> Any:
    """Return the value of a JSON text; the same values and errors as ``json.loads``."""
    if _scan is not None:
        try:
            value, end = _scan(text, 0)
        except StopIteration:
            end = -1
        if end == len(text):
            return value
    import json  # noqa: PLC0415 - only for what is not as gitmem writes it

    return json.loads(text)
