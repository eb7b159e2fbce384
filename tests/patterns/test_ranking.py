"""The published formulas of rank and confidence (CF-25, CF-26)."""

from __future__ import annotations

from math import exp, isclose
from typing import Any

from gitmem.patterns import ranking

DAY = 86_400_000
NOW = 1000 * DAY


def test_confidence_grows_with_use_and_fades() -> None:
    for uses, days, expected in (
        (0, 0, 0.7),
        (0, 30, 0.4 + 0.3 * exp(-1)),
        (3, 0, 1.0),
        (2, 30, 0.6 + 0.3 * exp(-1)),
        (5, 3000, 0.9),
        (50, 3000, 0.9),
        (0, -5, 0.7),
    ):
        assert isclose(
            ranking.pattern_confidence_from_use(uses, NOW - days * DAY, NOW), expected
        ), (
            uses,
            days,
        )


def test_rank_adds_language_paths_use_and_recency() -> None:
    def rank(**values: Any) -> float:
        given: dict[str, Any] = {
            "pattern_language": "python",
            "pattern_paths": (),
            "use_count": 0,
            "last_used_ms": 0,
        }
        return ranking.rank_pattern_for_file(now_ms=NOW, **(given | values))

    for values, expected in (
        ({}, 0.0),
        ({"file_language": "python"}, 0.3),
        ({"file_path": "src/a.py"}, 0.3),
        ({"file_language": "go"}, 0.0),
        ({"file_path": "src/a.go", "pattern_paths": ("src/a.py:1-3",)}, 0.1),
        ({"file_path": "src/a.go", "pattern_paths": ("src/a.go", "src/b.go")}, 0.3),
        ({"file_path": "src/a.go", "pattern_paths": ("lib/b.go",)}, 0.1),
        ({"pattern_paths": ("src/a.py",)}, 0.0),
        ({"use_count": 4}, 0.08),
        ({"use_count": 40}, 0.2),
        ({"last_used_ms": NOW}, 0.2),
        ({"last_used_ms": NOW - 5 * DAY}, 0.15),
        ({"last_used_ms": NOW - 50 * DAY}, 0.0),
    ):
        assert isclose(rank(**values), expected, abs_tol=1e-9), values
