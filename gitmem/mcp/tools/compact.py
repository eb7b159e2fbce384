"""Shortening answers, which cost an agent tokens.

Some hosts give a model the text of an answer, some only the data, some both, so both have to be
short. The data loses empty fields, fields with their ordinary value, and what another field or the
text already says; the text of a list becomes a table (``tools.toon``). The answer's own fields
stay, since an empty list is information. Pure, and fast, since it is done for every answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gitmem.mcp.tools.toon import TABLES
from gitmem.model.frozen import dataclass
from gitmem.operations.registry import Operation, as_json_values
from gitmem.text.fence import escape_data_for_model, escape_for_model

EMPTY = "Nothing."
_DIGITS = 3
# Digits of a commit id.
_COMMIT = 12
# Characters of ``"": ,`` around the name of a field, and two for its value.
_AROUND = 6

# Fields of a memory in a list that ``show`` has, or that repeat its id or ``why``.
_BESIDE = (
    *("handle", "similarity", "source", "branch", "commit", "session", "importance"),
    *("confidence", "author", "metadata"),
    *("merged_from", "ttl_seconds", "accesses"),
)
# Class of a value -> fields left out.
LEFT_OUT: dict[str, tuple[str, ...]] = {
    "MemoryItem": (*_BESIDE, "updated_at"),
    # What the text, the path and ``show`` already say.
    "HitItem": ("similarity", "language", "definition", "weight", "metadata"),
    # The text contains them.
    "CurrentContext": ("sections",),
    "PatternItem": ("code", "paths", "last_used_at"),
    "CitedCodeVerdict": ("number",),
    # ``answer`` contains them with their citations.
    "AskResult": ("sentences",),
    "VerifiedMemory": ("handle",),
    "MemoryCitationInDiff": ("handle",),
    # The text contains them.
    "OrientationResult": ("commits", "memories", "decisions", "tokens", "sections", "explain"),
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
# A memory shown by itself keeps all fields that are not empty, but those that the answer has too.
WHOLE = frozenset(("show",))
_SHOWN_BESIDE = {"MemoryItem": ("author", "metadata")}


@dataclass(frozen=True, slots=True)
class AnswerTextAndData:
    """The text and data of an answer; ``saved`` is about how many characters were left out."""

    text: str
    data: dict[str, Any]
    saved: int = 0


def full_answer(operation: Operation, result: Any) -> AnswerTextAndData:
    """The answer for the result of an operation, with its whole text and all data."""
    return AnswerTextAndData(
        operation.view(result) or EMPTY, escape_data_for_model(as_json_values(result))
    )


def compact_answer(operation: Operation, result: Any) -> AnswerTextAndData:
    """The answer for the result of an operation, without empty and usual values in its data."""
    whole = operation.tool in WHOLE
    table = TABLES.get(operation.tool)
    text = (table(result) if table else "") or operation.view(result) or EMPTY
    short = _CompactConverter(_SHOWN_BESIDE if whole else LEFT_OUT, {} if whole else ORDINARY)
    return AnswerTextAndData(text, short.convert_answer(result), short.saved)


class _CompactConverter:
    """Converts a result to JSON values, without empty and ordinary ones."""

    __slots__ = ("left_out", "ordinary", "saved")

    def __init__(
        self, left_out: Mapping[str, tuple[str, ...]], ordinary: Mapping[str, Mapping[str, Any]]
    ) -> None:
        self.left_out = left_out
        self.ordinary = ordinary
        self.saved = 0

    def convert_answer(self, result: Any) -> dict[str, Any]:
        """The fields of a result (a dataclass) as JSON values; its own empty fields stay."""
        gone = self.left_out.get(type(result).__name__, ())
        names = type(result).__match_args__
        return {
            name: self.convert_value(getattr(result, name)) for name in names if name not in gone
        }

    def convert_value(self, value: Any) -> Any:
        """A value inside a result as JSON, without its empty and usual fields."""
        kind = type(value)
        if kind is str:
            return escape_for_model(value)
        if kind is float:
            return round(value, _DIGITS)
        if kind is tuple or kind is list:
            return [self.convert_value(item) for item in value]
        if kind is dict:
            return {
                escape_for_model(str(name)): self.convert_value(item)
                for name, item in value.items()
            }
        if names := getattr(kind, "__match_args__", None):
            return self._fields(value, kind.__name__, names)
        return value

    def _fields(self, value: Any, kind: str, names: tuple[str, ...]) -> dict[str, Any]:
        gone, ordinary = self.left_out.get(kind, ()), self.ordinary.get(kind, {})
        fields = {}
        for name in names:
            item = getattr(value, name)
            if name == "anchors" and self.left_out is LEFT_OUT:
                # The citations that are fresh are in the paths as well.
                item = tuple(verdict for verdict in item if verdict.verdict != "fresh")
            if item is None or item in ("", ()) or name in gone or ordinary.get(name) == item:
                self.saved += len(name) + (len(item) if type(item) is str else 0) + _AROUND
                continue
            fields[name] = self.convert_value(item[:_COMMIT] if name == "commit" else item)
        return fields
