"""Boosting files by context: same folder, viewed in this session, written within a day. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from gitmem.clock import DAY
from gitmem.model.frozen import dataclass

SAME_FOLDER = 1.5
VIEWED = 1.3
JUST_WRITTEN = 1.3
FRESH_MS = DAY
# If all files have about the same age (a fresh clone), age is ignored.
_SAME = 0.01


@dataclass(frozen=True, slots=True)
class SearchContext:
    """What somebody is working on: the file they are in (``near``), the paths ``viewed``.

    ``now`` and ``written`` (path -> last change, where known) are milliseconds since 1970.
    """

    now: int
    near: str = ""
    viewed: Collection[str] = frozenset()
    written: Mapping[str, int] = {}


@dataclass(frozen=True, slots=True)
class ContextBoost:
    """The factor of a file's score by what somebody works on (1: none), and reasons to show."""

    factor: float
    why: tuple[str, ...]


def context_boosts_by_path(paths: Iterable[str], context: SearchContext) -> dict[str, ContextBoost]:
    """Path -> the factor of its score by what somebody is working on, with reasons to show."""
    chosen = list(paths)
    recent = {path: _recent(context.written.get(path), context.now) for path in chosen}
    if not recent or max(recent.values()) - min(recent.values()) < _SAME:
        recent = dict.fromkeys(chosen, 1.0)
    return {path: _boost(path, recent[path], context) for path in chosen}


def _boost(path: str, recent: float, moment: SearchContext) -> ContextBoost:
    factor = 1.0
    why = []
    if moment.near and parent_folder(path) == parent_folder(moment.near):
        factor *= SAME_FOLDER
        why.append(f"same folder x{SAME_FOLDER}")
    if path in moment.viewed:
        factor *= VIEWED
        why.append(f"viewed in this session x{VIEWED}")
    if recent > 1:
        factor *= recent
        why.append(f"just changed x{recent:.2f}")
    return ContextBoost(factor, tuple(why))


def _recent(written: int | None, now_ms: int) -> float:
    """From ``JUST_WRITTEN`` now down to 1 a day ago, in a straight line."""
    if written is None:
        return 1.0
    age = min(max(now_ms - written, 0), FRESH_MS)
    return 1.0 + (JUST_WRITTEN - 1.0) * (1 - age / FRESH_MS)


def parent_folder(path: str) -> str:
    """The folder of a path, ``src`` for ``src/app.py``; "" at the top."""
    return path.rpartition("/")[0]
