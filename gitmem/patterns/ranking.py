"""The confidence in a pattern, and its rank for a file. Pure."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from math import exp

from gitmem import languages
from gitmem.clock import DAY


def pattern_confidence_from_use(use_count: int, last_used_ms: int, now_ms: int) -> float:
    """How much its use confirms a pattern (a convention of the code), 0 to 1.

    min(1, 0.4 + min(uses / 10, 0.5) + 0.3 * exp(-days / 30)), where days have passed since
    ``last_used_ms``: when the pattern was last used, or else made. Times are milliseconds.
    """
    days = max(0, now_ms - last_used_ms) / DAY
    return min(1.0, 0.4 + min(use_count / 10, 0.5) + 0.3 * exp(-days / 30))


def rank_pattern_for_file(
    *,
    pattern_language: str,
    pattern_paths: Sequence[str],
    use_count: int,
    last_used_ms: int,
    now_ms: int,
    file_language: str = "",
    file_path: str = "",
) -> float:
    """How well a pattern fits a file, 0 to 1; times are milliseconds.

    The sum of 0.3 for the same language; 0.1 each for the same file name, ending and folder; 0.02
    for each use, up to 0.2; and 0.2 less 0.01 for each day since its last use.
    """
    days = max(0, now_ms - last_used_ms) / DAY
    goal = file_language or languages.language(file_path)
    score = 0.3 if goal and pattern_language == goal else 0.0
    score += (
        min(0.3, sum(_path_likeness(path, file_path) for path in pattern_paths))
        if file_path
        else 0.0
    )
    return score + min(0.2, 0.02 * use_count) + max(0.0, 0.2 - 0.01 * days)


def _path_likeness(path: str, other: str) -> float:
    own, name = posixpath.split(path.partition(":")[0])
    folder, other_name = posixpath.split(other)
    same_end = posixpath.splitext(name)[1] == posixpath.splitext(other_name)[1] != ""
    return 0.1 * ((name == other_name) + same_end + (own == folder))
