"""A review as SARIF 2.1.0, which code hosts and editors read. Pure.

Messages are plain text without links; a path is written as a relative URI, so that nothing in it
can be taken for another place.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

from gitmem import __version__
from gitmem.review.finding import ReviewFindingItem
from gitmem.text.fence import join_lines

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_HOME = "https://github.com/gitmem/gitmem"


def findings_as_sarif(findings: Iterable[ReviewFindingItem], notes: Iterable[str]) -> str:
    """Return findings as a SARIF log (JSON text) with one run for each tool; ``notes`` go along."""
    by_tool: dict[str, list[ReviewFindingItem]] = {"gitmem": []}
    for finding in findings:
        by_tool.setdefault(finding.source or "gitmem", []).append(finding)
    runs = [_run(tool, results) for tool, results in by_tool.items()]
    runs[0]["invocations"] = [
        {
            "executionSuccessful": True,
            "toolExecutionNotifications": [
                {"level": "note", "message": {"text": _plain(note)}} for note in notes
            ],
        }
    ]
    log = {"$schema": _SCHEMA, "version": "2.1.0", "runs": runs}
    return json.dumps(log, indent=2, ensure_ascii=True)


def _run(tool: str, findings: list[ReviewFindingItem]) -> dict[str, Any]:
    rules = list(dict.fromkeys(finding.rule for finding in findings))
    driver: dict[str, Any] = {"name": tool, "rules": [{"id": rule} for rule in rules]}
    if tool == "gitmem":
        driver["version"] = __version__
    return {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(finding, rules.index(finding.rule)) for finding in findings],
    }


def _result(finding: ReviewFindingItem, index: int) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": {"uri": quote(_utf8(finding.path), safe="/")}}
    if finding.line > 0:
        place["region"] = {"startLine": finding.line}
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": index,
        "level": finding.level,
        "message": {"text": _plain(finding.message)},
        "locations": [{"physicalLocation": place}],
        "partialFingerprints": {"gitmemFinding/v1": finding.id},
    }
    properties = {"cwe": finding.cwe, "memory": finding.memory}
    if any(properties.values()):
        result["properties"] = {key: value for key, value in properties.items() if value}
    return result


def _plain(text: str) -> str:
    """A text in one line; brackets are escaped, which SARIF would read as a link."""
    bare = join_lines(_utf8(text).decode())
    return bare.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "replace")
