"""A review as SARIF: the fields that hosts need, and texts that stay inert."""

from __future__ import annotations

import json
from typing import Any

from gitmem.review import sarif
from gitmem.review.finding import ReviewFindingItem

FINDING = ReviewFindingItem(
    "a1", "decision/contradicted", "warning", "src/a b.py", 3, "It is [bad](http://x)", "gitmem",
    "CWE-89", "01M",
)  # fmt: skip


def log(*findings: ReviewFindingItem) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(sarif.findings_as_sarif(findings, ["Not read: x."]))
    return read


def test_each_tool_has_a_run_and_each_finding_its_place() -> None:
    other = ReviewFindingItem("b2", "F401", "note", "x.py", 0, "unused", "ruff", "", "")
    read = log(FINDING, other)
    assert read["version"] == "2.1.0"
    ours, theirs = read["runs"]
    assert [run["tool"]["driver"]["name"] for run in read["runs"]] == ["gitmem", "ruff"]
    (result,) = ours["results"]
    rules = ours["tool"]["driver"]["rules"]
    assert rules[result["ruleIndex"]]["id"] == result["ruleId"] == "decision/contradicted"
    assert result["level"] == "warning"
    (place,) = result["locations"]
    assert place["physicalLocation"] == {
        "artifactLocation": {"uri": "src/a%20b.py"},
        "region": {"startLine": 3},
    }
    assert result["properties"] == {"cwe": "CWE-89", "memory": "01M"}
    assert "region" not in theirs["results"][0]["locations"][0]["physicalLocation"]


def test_a_message_is_no_link_and_one_line() -> None:
    hostile = ReviewFindingItem(
        "c3",
        "r",
        "error",
        "../a\n\udcff",
        1,
        "a\n[b](https://evil) \u202e \x1b[31m",
        "gitmem",
        "",
        "",
    )
    (result,) = log(hostile)["runs"][0]["results"]
    text = result["message"]["text"]
    assert "\n" not in text and "\x1b" not in text
    assert "\\[b\\](https://evil)" in text
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "../a%0A%3F"


def test_without_findings_there_is_a_run_with_the_notes() -> None:
    (run,) = log()["runs"]
    assert run["results"] == []
    (note,) = run["invocations"][0]["toolExecutionNotifications"]
    assert note["message"]["text"] == "Not read: x."
