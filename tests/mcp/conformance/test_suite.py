"""What is made of the suite's findings, which needs no suite."""

from __future__ import annotations

import json
from pathlib import Path

from tests.mcp.conformance.suite import EXPLAINED, Finding, findings


def test_what_the_suites_own_server_has_is_explained_and_nothing_else() -> None:
    result = {
        "MCP error -32602: Unknown tool: test_audio_content. Tools: orient": True,
        "There is no resource 'test://static-text'.": True,
        "Expected a result, got error -32603": False,
        "The latest_tool is missing": False,
    }
    for text, explained in result.items():
        assert Finding("any", "any", "FAILURE", text).is_explained is explained, text
    for scenario, check in EXPLAINED:
        assert Finding(scenario, check, "FAILURE", "").is_explained
        assert not Finding(scenario, "other", "FAILURE", "").is_explained


def test_findings_are_the_checks_that_did_not_succeed(tmp_path: Path) -> None:
    folder = tmp_path / "server-tools-list-2026-11-22T18-30-54-609Z"
    folder.mkdir()
    statuses = ("SUCCESS", "INFO", "SKIPPED", "WARNING", "FAILURE")
    checks = [{"id": status.lower(), "status": status} for status in statuses]
    (folder / "checks.json").write_text(json.dumps(checks))
    found = [(finding.scenario, finding.check) for finding in findings(folder / "checks.json")]
    assert found == [("tools-list", "warning"), ("tools-list", "failure")]
