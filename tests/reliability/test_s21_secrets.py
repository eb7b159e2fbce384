"""Secrets of many formats are taken out, ordinary text is not, and quickly (S-21).

Made when the test runs, so that no file here holds what looks like one.
"""

from __future__ import annotations

import random
import time

from gitmem.text.redact import redact
from tests.reliability.scoreboard import ROOT
from tests.reliability.scoring import Score
from tests.text.secret_samples import FORMATS, clean_lines
from tests.text.secret_table import left_in, samples


def test_secrets_go_and_ordinary_text_stays(score: Score) -> None:
    made = [
        sample for seed in range(score.size(quick=1, full=20)) for sample in samples(f"row {seed}")
    ]
    missed = [(item.format, item.context) for item in made if left_in(item, redact(item.text).text)]
    assert len(missed) <= len(made) // 100, missed
    formats = len({item.format for item in made})
    assert formats >= 30 and len(FORMATS) >= 30
    found = len(made) - len(missed)
    score.report("secrets", cases=len(made), fired=found, formats=formats, missed=len(missed))


def test_ordinary_text_stays(score: Score) -> None:
    """Lines that look a little like secrets, and the manual and the source of gitmem itself."""
    lines = clean_lines(random.Random("row"), score.size(quick=500, full=4000))
    if score.tier != "quick":
        files = [*(ROOT / "docs").rglob("*.md"), *(ROOT / "gitmem").rglob("*.py")]
        lines += [
            splitline
            for file in files
            for splitline in file.read_text("utf-8").splitlines()
            if splitline
        ]
    begun = time.process_time()
    changed = [line for line in lines if redact(line).found]
    took = time.process_time() - begun
    assert len(changed) <= len(lines) // 1000, changed[:20]
    score.report("clean lines", cases=len(lines), fired=len(lines), changed=len(changed))
    score.limit("time for 20,000 lines, ms of CPU", 20e6 * took / len(lines), at_most=1000)
