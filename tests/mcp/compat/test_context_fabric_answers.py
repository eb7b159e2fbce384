"""What the later tools of Context Fabric are given and tell, in our words and in theirs."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gitmem.errors import InvalidInput
from gitmem.mcp.compat import answer_converters, argument_converters, context_fabric_answers


def line(**item: Any) -> dict[str, Any]:
    return dict(json.loads(argument_converters.items_as_json_lines([item])))


def test_an_item_of_a_batch_is_a_line_with_its_layer() -> None:
    """CF-42."""
    for layer, ttl, name, expected in (
        (1, None, "working", ""),
        (1, 60, "working", "60s"),
        (2, None, "project", ""),
        (3, None, "global", ""),
        (None, None, "", ""),
    ):
        made = line(type="decision", content="a", layer=layer, ttl=ttl)
        assert (made["layer"], made["ttl"]) == (name, expected), layer
    made = line(
        type="bug_fix", content="a", pinned=True,
        metadata={"title": "t", "tags": ["x"], "weight": 5, "confidence": 0.9, "cliType": "codex",
                  "fileContext": {"path": "a.py", "lineStart": 3, "lineEnd": 9}},
    )  # fmt: skip
    assert (made["kind"], made["title"], made["tags"], made["weight"]) == (
        *("bug_fix", "t"),
        ["x"],
        5,
    )
    place = {"path": "a.py", "lineStart": 3, "lineEnd": 9}
    assert (made["paths"], made["pinned"], made["confidence"]) == (["a.py:3-9"], True, 0.9)
    assert made["metadata"] == {"cliType": "codex", "fileContext": place}
    assert line(content="a", layer=7) == {"content": ""}
    assert "layer cannot be 7" in argument_converters.why_item_invalid(
        0, {"content": "a", "layer": 7}
    )
    assert argument_converters.why_item_invalid(0, {"content": "a"}).startswith(
        "Item 0 has no type."
    )
    assert (
        len(
            argument_converters.items_as_json_lines(
                [{"type": "skill", "content": "a"}] * 500
            ).split("\n")
        )
        == 500
    )


def test_shares_are_rounded() -> None:
    assert [answer_converters.percent(share) for share in (0.0, 0.29, 0.567, 1.0)] == [
        0,
        29,
        57,
        100,
    ]


def test_a_parameter_that_need_not_be_given_has_an_empty_default() -> None:
    """CF-46."""
    given = [
        {"name": "a"}, {"name": "b", "description": "B"}, {"name": "c", "required": False},
        {"name": "d", "required": False, "description": "D"},
    ]  # fmt: skip
    assert argument_converters.format_skill_parameters(given) == ["a", "b: B", "c=", "d=: D"]
    output = context_fabric_answers.skill_parameters_as_dicts(
        [{"name": "d", "description": "D", "default": ""}]
    )
    assert output == [{"name": "d", "description": "D", "required": False}]
    for wrong in ("a", {}, {"name": 3}):
        with pytest.raises(InvalidInput, match="parameter"):
            argument_converters.format_skill_parameters([wrong])


def test_each_outcome_has_a_word_of_theirs() -> None:
    """CF-47, CF-55."""
    files = [
        {"file": action, "id": "", "action": action, "error": ""}
        for action in ("added", "updated", "proposed", "unchanged", "missing", "failed", "known")
    ]
    assert [item["status"] for item in context_fabric_answers.imported_document_states(files)] == [
        *("stored", "stored", "proposed", "skipped-duplicate", "skipped-missing", "failed"),
        "skipped-duplicate",
    ]
    refused = {"file": "a.md", "id": "", "action": "left alone", "error": "Only a person can."}
    assert context_fabric_answers.imported_document_states([refused]) == [
        {"file": "a.md", "id": None, "status": "failed", "error": "Only a person can."}
    ]
    assert context_fabric_answers.count_imports_by_state(files) == {
        "total": 7,
        "stored": 3,
        "skipped": 4,
    }
    assert (context_fabric_answers.health_status(0), context_fabric_answers.health_status(1)) == (
        "ok",
        "degraded",
    )
    found = [{"check": "c", "state": state, "message": "m"} for state in ("ok", "note", "problem")]
    assert [check["status"] for check in context_fabric_answers.doctor_check_results(found)] == [
        "ok",
        "ok",
        "error",
    ]
    items = [
        {"line": 1, "id": "A", "error": "", "layer": "working"},
        {"line": 2, "id": "", "error": "empty", "layer": ""},
        {"line": 3, "id": "C", "error": "", "layer": "project"},
    ]
    queries = [{"layer": 1}, {"type": "decision"}, {"pinned": True}]
    assert answer_converters.count_items_without_error(items) == 2
    assert context_fabric_answers.failed_batch_items(items, queries) == [
        {"index": 1, "error": "empty"}
    ]
    assert context_fabric_answers.stored_batch_items(items, queries) == [
        {"id": "A", "layer": 1, "pinned": False},
        {"id": "C", "layer": 2, "pinned": True},
    ]
