"""How a test of the scoreboard takes its sizes and says what it tried (see ``scoreboard``).

A fault that never happened proves nothing: a report of none fails. Limits in milliseconds hold on a
machine of its own; where others run, or in the quick tier, they are told and not judged.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tests.reliability.scoreboard import FOLDER, Row

TIERS = ("quick", "full", "nightly")
RESULTS = FOLDER / "results"
FIXES = RESULTS / "fixes.json"


def quiet() -> bool:
    """Whether this machine has little else to do: fewer waiting processes than processors."""
    return os.getloadavg()[0] <= (os.cpu_count() or 1) + 0.5


@dataclass
class Report:
    """What one part of a row tried: ``cases``, the faults that really happened, other numbers."""

    name: str
    cases: int
    fired: int
    numbers: Mapping[str, float] = field(default_factory=dict)


@dataclass
class Limit:
    """A measured value against its bar; ``judged`` where a miss fails the test."""

    name: str
    value: float
    at_most: float
    judged: bool


class Score:
    """What one test of a row tried and found."""

    def __init__(self, row: Row, tier: str) -> None:
        self.row = row
        self.tier = tier
        self.quiet = quiet()
        self.reports: list[Report] = []
        self.limits: list[Limit] = []

    def size(self, *, quick: int, full: int, nightly: int = 0) -> int:
        """How many cases this tier tries; those of ``full`` where nightly has no number."""
        return {"quick": quick, "full": full, "nightly": nightly or full}[self.tier]

    def report(self, name: str, *, cases: int, fired: int, **numbers: float) -> None:
        """Say what was tried. ``fired`` counts the faults that really happened; none fails."""
        assert cases > 0, f"{self.row.id}: {name}: nothing was tried"
        assert fired > 0, f"{self.row.id}: {name}: no fault happened in {cases} cases"
        self.reports.append(Report(name, cases, fired, numbers))

    def limit(self, name: str, value: float, *, at_most: float, timed: bool = True) -> None:
        """Measure against the bar; judged in the full tiers, times where the machine was quiet."""
        judged = (self.quiet or not timed) and self.tier != "quick"
        self.limits.append(Limit(name, round(value, 1), at_most, judged))
        assert not judged or value <= at_most, f"{self.row.id}: {name}: {value:.0f} > {at_most:g}"

    def line(self, test: str) -> str:
        """All of it as a line of JSON."""
        output = {"row": self.row.id, "test": test}
        return json.dumps(
            output
            | {"reports": [*map(asdict, self.reports)], "limits": [*map(asdict, self.limits)]}
        )


def append(file: Path, line: str) -> None:
    """Add a line to a file that several processes write."""
    descriptor = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(descriptor, f"{line}\n".encode())
    finally:
        os.close(descriptor)


def result_file(row: str, tier: str) -> Path:
    """Where the last result of a row, such as S-01, in a tier is kept."""
    return RESULTS / f"{row}-{tier}.json"


def total_file(tier: str) -> Path:
    """Where it is kept what all rows together took in a tier the last time."""
    return RESULTS / f"all-{tier}.json"


def totals() -> dict[str, Any]:
    """What all rows together took: tier -> what ``__main__`` wrote."""
    return {
        tier: json.loads(file.read_text()) for tier in TIERS if (file := total_file(tier)).exists()
    }


def fixes() -> dict[str, dict[str, str]]:
    """How the tests of fixes ended without the fix and with it: test -> what ``fixes`` wrote."""
    return dict(json.loads(FIXES.read_text())) if FIXES.exists() else {}


def results(row: Row) -> dict[str, Any]:
    """The last results of a row: tier -> what ``__main__`` wrote."""
    return {
        tier: json.loads(file.read_text())
        for tier in TIERS
        if (file := result_file(row.id, tier)).exists()
    }
