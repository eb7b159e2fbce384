"""How an entry of a host's file differs from those that gitmem writes."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from gitmem.agents.hosts.host import EMPTY, NUMBER, OWN, SWITCH, TEXT, TEXTS
from gitmem.text.fence import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_SHOWN = 160  # characters of a value


def difference(
    entry: Mapping[str, Any],
    expected: Sequence[Mapping[str, Any]],
    harmless: Mapping[str, str | tuple[object, ...]],
) -> str:
    """How an entry differs from the nearest of several; empty where it is among them.

    ``harmless`` is what may stand beside, as ``Host.harmless`` has it.
    """
    bare = _without(entry, harmless)
    candidates = [_without(candidate, harmless) for candidate in expected]
    if any(_same(bare, candidate) for candidate in candidates):
        return ""
    nearest = max(candidates, key=lambda candidate: _alike(bare, candidate), default={})
    differing = {key: item for key, item in bare.items() if _differs(key, item, nearest)}
    reasons = [_reason(key, item, nearest) for key, item in differing.items()]
    reasons += [f"{key} is missing" for key in nearest if key not in bare]
    return ", ".join(reasons)


def _without(
    entry: Mapping[str, Any], harmless: Mapping[str, str | tuple[object, ...]]
) -> dict[str, Any]:
    return {
        key: item
        for key, item in entry.items()
        if key not in harmless or not _fits(item, harmless[key])
    }


def _fits(item: Any, kind: str | tuple[object, ...]) -> bool:
    if isinstance(kind, tuple):
        return any(_same(item, one) for one in kind)
    number = isinstance(item, int | float) and not isinstance(item, bool)
    texts = isinstance(item, list) and all(isinstance(one, str) for one in item)
    fits: dict[str, bool] = {
        NUMBER: number,
        SWITCH: isinstance(item, bool),
        TEXT: isinstance(item, str),
        TEXTS: texts,
        EMPTY: _same(item, {}),
        OWN: True,
    }
    return fits[kind]


def _same(one: Any, other: Any) -> bool:
    """Whether both are the same JSON: to Python ``1`` and ``true`` are equal."""
    return _as_json(one) == _as_json(other)


def _as_json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)


def _alike(entry: Mapping[str, Any], other: Mapping[str, Any]) -> int:
    """How many words both have."""
    words, others = (set(re.findall(r"[^\s\"',:{}\[\]]+", _as_json(one))) for one in (entry, other))
    return len(words & others)


def _differs(key: str, item: Any, nearest: Mapping[str, Any]) -> bool:
    return key not in nearest or not _same(item, nearest[key])


def _reason(key: str, item: Any, nearest: Mapping[str, Any]) -> str:
    more = f" where gitmem writes {shown(nearest[key])}" if key in nearest else ""
    return f"{key} is {shown(item)}{more}"


def shown(value: Any) -> str:
    """A value for people, its secrets masked."""
    from gitmem.text.redact import redact  # noqa: PLC0415 - only where something is refused

    return one_line(redact(_as_json(value)).text, _SHOWN)
