"""Random input that follows what it reaches in the parsers (S-14, nightly; ``guided``).

Needs atheris: ``pip install gitmem[nightly]``, on Linux.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.reliability import parsers, planted
from tests.reliability.scoreboard import ROOT
from tests.reliability.scoring import Score
from tests.reliability.test_s14_fuzz import fuzzed, text

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("atheris") is None, reason="atheris is not installed"
)
ENOUGH = 20_000  # inputs for each parser
EASY = 200_000  # inputs for one of a few lines


def found(folder: Path, inputs: int, *more: str) -> list[dict[str, Any]]:
    """What each parser's search told."""
    words = ["--folder", str(folder), "--inputs", str(inputs), *more]
    done = subprocess.run(
        [sys.executable, "-m", "tests.reliability.guided", *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    messages = [json.loads(line) for line in done.stdout.splitlines()]
    assert messages, done.stderr[-2000:]
    assert done.returncode == any(item["wrong"] for item in messages)
    return messages


def test_a_planted_mistake_is_found_by_following_and_not_by_chance(
    tmp_path: Path, score: Score
) -> None:
    fuzzed("planted", planted.parse, text, EASY)
    (output,) = found(tmp_path, EASY, "--table", planted.__name__)
    assert "IndexError: planted" in output["wrong"]
    (wrong,) = tmp_path.glob("*/wrong-*")
    assert wrong.read_bytes().startswith(b"<q7")
    score.report("planted mistakes", cases=1, fired=1)


def test_no_parser_fails_where_the_search_follows_what_it_reaches(
    tmp_path: Path, score: Score
) -> None:
    if score.tier != "nightly":
        pytest.skip("in the nightly tier only")
    output = found(tmp_path, ENOUGH)
    assert [item for item in output if item["wrong"]] == []
    assert {item["parser"] for item in output} == {*parsers.TEXTS, *parsers.BYTES, *parsers.HOSTS}
    sums = {name: sum(item[name] for item in output) for name in ("before", "reached", "kept")}
    score.report(
        "inputs that follow what they reach",
        cases=sum(item["inputs"] for item in output),
        fired=sums["reached"] - sums["before"],
        parsers=len(output),
        branches_by_samples=sums["before"],
        branches_reached=sums["reached"],
        inputs_kept=sums["kept"],
    )
