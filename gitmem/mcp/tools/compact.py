"""Answers without what says nothing (CE-33).

Some hosts hand a model the text of an answer, some only the data, some both, so both have to be
short. The data loses empty fields, fields that have their ordinary value, and what another field
or the text says already; the text of a list becomes a table (``mcp.tables``). The fields of the
answer itself stay: that a list is empty is news. Pure, and fast: it is done for every answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gitmem.mcp.tools.toon import TABLES
from gitmem.model.anchor import Verdict
from gitmem.model.frozen import dataclass
from gitmem.operations.registry import Operation, plain
from gitmem.text.fence import inert, inert_data

EMPTY = "Nothing."
_DIGITS = 3
# A commit's beginning is enough anywhere.
_COMMIT = 12
# What ``"": ,`` takes beside the name of a field, with two for its value.
_AROUND = 6

# What of a memory in a list ``show`` tells, repeats its id or stands in ``why`` too.
_BESIDE = ("handle", "similarity", "source", "branch", "commit", "session", "importance")
# Class of a value -> fields left out.
LEFT_OUT: dict[str, tuple[str, ...]] = {
    "MemoryItem": (*_BESIDE, "updated_at"),
    "HitItem": ("similarity",),
    "Verdict": ("number",),
    # ``answer`` says them, with what they cite.
    "Answered": ("sentences",),
    "Verified": ("handle",),
    "Touched": ("handle",),
    # Its text says them.
    "Oriented": ("commits", "memories", "decisions", "tokens", "sections", "explain"),
}
# Class of a value -> fields left out while they have this value.
ORDINARY: dict[str, Mapping[str, Any]] = {
    "MemoryItem": {
        "state": "active",
        "status": "accepted",
        "scope": "project",
        "layer": "project",
        "visibility": "here",
        "freshness": "none",
        "weight": 3,
        "pinned": False,
        "version": 1,
    }
}
# One memory shown whole keeps all that is not empty.
WHOLE = frozenset(("show",))


@dataclass(frozen=True, slots=True)
class Shaped:
    """An answer's text and data; ``saved``: characters of data left out, at least."""

    text: str
    data: dict[str, Any]
    saved: int = 0


def full(operation: Operation, result: Any) -> Shaped:
    """The answer whole."""
    return Shaped(operation.view(result) or EMPTY, inert_data(plain(result)))


def compact(operation: Operation, result: Any) -> Shaped:
    """The answer without what says nothing."""
    whole = operation.tool in WHOLE
    table = TABLES.get(operation.tool)
    text = (table(result) if table else "") or operation.view(result) or EMPTY
    short = _Short({} if whole else LEFT_OUT, {} if whole else ORDINARY)
    return Shaped(text, short.answer(result), short.saved)


class _Short:
    """Makes JSON values of a result, without what says nothing."""

    __slots__ = ("left_out", "ordinary", "saved")

    def __init__(
        self, left_out: Mapping[str, tuple[str, ...]], ordinary: Mapping[str, Mapping[str, Any]]
    ) -> None:
        self.left_out = left_out
        self.ordinary = ordinary
        self.saved = 0

    def answer(self, result: Any) -> dict[str, Any]:
        """The fields of an answer, empty ones too."""
        gone = self.left_out.get(type(result).__name__, ())
        names = type(result).__match_args__
        return {name: self.value(getattr(result, name)) for name in names if name not in gone}

    def value(self, value: Any) -> Any:
        """A value inside of an answer."""
        kind = type(value)
        if kind is str:
            return inert(value)
        if kind is float:
            return round(value, _DIGITS)
        if kind is tuple or kind is list:
            return [self.value(item) for item in value]
        if kind is dict:
            return {inert(str(name)): self.value(item) for name, item in value.items()}
        if names := getattr(kind, "__match_args__", None):
            return self._fields(value, kind.__name__, names)
        return value

    def _fields(self, value: Any, kind: str, names: tuple[str, ...]) -> dict[str, Any]:
        gone, ordinary = self.left_out.get(kind, ()), self.ordinary.get(kind, {})
        told = {}
        for name in names:
            one = getattr(value, name)
            if name == "anchors" and gone:
                one = _news(one)
            if one is None or one in ("", ()) or name in gone or ordinary.get(name) == one:
                self.saved += len(name) + (len(one) if type(one) is str else 0) + _AROUND
                continue
            told[name] = self.value(one[:_COMMIT] if name == "commit" else one)
        return told


def _news(verdicts: Sequence[Verdict]) -> tuple[Verdict, ...]:
    """What a memory cites that does not stand as it was: the rest is in its paths."""
    return tuple(verdict for verdict in verdicts if verdict.verdict != "fresh")
