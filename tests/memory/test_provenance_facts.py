"""Where a memory is from, read from what somebody says and told again."""

from __future__ import annotations

from typing import Any

import pytest

from gitmem.errors import InvalidInput
from gitmem.memory import provenance_facts as facts


def test_an_address_a_pull_request_and_a_commit_are_known() -> None:
    for message, found in (
        (["https://example.org/a?b=1"], {"sourceUrl": "https://example.org/a?b=1"}),
        (["#12"], {"pullRequest": 12}),
        (["PR #12", "pr12"], {"pullRequest": 12}),
        (["ABC1234"], {"commitSha": "abc1234"}),
        ([" #7 ", "deadbeef"], {"pullRequest": 7, "commitSha": "deadbeef"}),
        ([], {}),
    ):
        assert facts.parse_provenance_sources(message) == found
        assert facts.check_provenance_object(found) == found
    for wrong in (["yesterday"], [""], ["ftp://example.org"], ["#"], ["#1", "#2"], ["abc12"]):
        with pytest.raises(InvalidInput):
            facts.parse_provenance_sources(wrong)


def test_what_the_metadata_says_is_checked_key_by_key() -> None:
    """CF-43."""
    for wrong, words in (
        ("PR 12", "not an object"),
        ({"pullrequest": 12}, "Unknown key 'pullrequest'"),
        ({"pullRequest": "12"}, "a whole number"),
        ({"pullRequest": True}, "a whole number"),
        ({"lineStart": 0}, "a whole number"),
        ({"author": 3}, "has to be text"),
        ({"author": "a" * 2001}, "has to be text"),
    ):
        with pytest.raises(InvalidInput, match=words):
            facts.check_provenance_object(wrong)


def test_it_is_reported_in_a_line() -> None:
    every: dict[str, Any] = {
        "pullRequest": 12, "sourceUrl": "https://example.org", "filePath": "a.py", "lineStart": 3,
        "lineEnd": 9, "commitSha": "abc1234", "eventId": "e", "toolCallId": "t", "author": "Ada",
        "capturedAt": "2026-01-01", "sessionId": "s",
    }  # fmt: skip
    assert facts.check_provenance_object(every) == every
    assert facts.describe_provenance(every) == (
        "PR #12, https://example.org, a.py:3-9, commit abc1234, event e, tool call t, by Ada, "
        "at 2026-01-01"
    )
    for value, expected in (
        ({}, ""), (None, ""), ("x", ""), ({"filePath": "a.py"}, "a.py"), ({"lineStart": 3}, ""),
    ):  # fmt: skip
        assert facts.describe_provenance(value) == expected
