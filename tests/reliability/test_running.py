"""How rows are run: those with a clock alone, the others side by side, and all of them."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.reliability import running, scoring
from tests.reliability.scoreboard import Row


def row(number: int, *, timed: bool = False) -> Row:
    return Row(f"S-{number}", "what", "bar", timed=timed)


def passed(row: Row) -> dict[str, Any]:
    return {"row": row.id, "result": "passed"}


def test_timed_rows_run_alone_and_first() -> None:
    together = threading.Barrier(2, timeout=60)
    at_work: list[str] = []
    beside: dict[str, list[str]] = {}

    def one(row: Row) -> dict[str, Any]:
        at_work.append(row.id)
        if not row.timed:
            together.wait()  # passes only where two run at once
        beside[row.id] = [*at_work]
        if not row.timed:
            together.wait()
        at_work.remove(row.id)
        return passed(row)

    rows = [row(1), row(2, timed=True), row(3), row(4, timed=True)]
    done = [output["row"] for output in running.each(rows, one, wait=lambda: None)]
    assert (done[:2], {*done[2:]}) == (["S-2", "S-4"], {"S-1", "S-3"})
    assert (beside["S-2"], beside["S-4"]) == (["S-2"], ["S-4"])
    assert sorted(beside["S-1"]) == ["S-1", "S-3"]


def test_a_row_that_cannot_be_run_fails_and_the_others_run() -> None:
    def one(row: Row) -> dict[str, Any]:
        if row.id in ("S-1", "S-3"):
            raise OSError("no file left")
        return passed(row)

    rows = [row(1, timed=True), row(2), row(3), row(4)]
    result = {output["row"]: output for output in running.each(rows, one, wait=lambda: None)}
    assert {id: one["result"] for id, one in sorted(result.items())} == {
        "S-1": "failed", "S-2": "passed", "S-3": "failed", "S-4": "passed",
    }  # fmt: skip
    assert (result["S-3"]["reports"], result["S-3"]["cpu"]) == ([], 0.0)  # as the page reads it


def test_the_longest_row_begins_first_and_what_is_kept_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scoring, "RESULTS", tmp_path)
    here, result = running.last_commit(), {"result": "passed", "seconds": 1.0}
    rows = [row(number) for number in range(5)]
    for id, expected in (
        ("S-0", {"commit": here}),
        ("S-1", {"commit": here, "seconds": 30.0}),
        ("S-2", {"commit": here, "result": "failed"}),
        ("S-3", {"commit": "0" * 40, "seconds": 2.0}),
    ):
        scoring.result_file(id, "full").write_text(json.dumps(result | expected))
    monkeypatch.setattr(running, "TESTED", ("LICENSE",))  # which no test changes
    assert [running.is_kept(row, "full") for row in rows] == [True, True, False, False, False]
    assert not running.is_kept(rows[0], "nightly")
    assert [row.id for row in running.longest_first(rows, "full")][:3] == ["S-4", "S-1", "S-3"]


def test_what_a_row_reported_is_added_up(tmp_path: Path) -> None:
    output = [{"name": "kills", "cases": 2, "fired": 1, "numbers": {"lost": 0, "kept": 4}}] * 2
    assert running._added_up([*map(dict, output)]) == [
        {"name": "kills", "cases": 4, "fired": 2, "numbers": {"lost": 0, "kept": 8}}
    ]
    assert running._passed("...\n3 passed, 1 skipped in 2.1s\n") == 3
    assert running._passed("1 failed, 2 passed in 2.1s\n") == 2
    assert running._passed("killed\n") == 0


def test_a_command_tells_its_status_and_its_own_processor_time(tmp_path: Path) -> None:
    result = tmp_path / "said"
    status, cpu = running._finished(["sh", "-c", "echo so; exit 3"], result)
    assert (status, result.read_text()) == (3, "so\n")
    assert 0 <= cpu < 5
