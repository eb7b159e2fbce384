"""Asking where something would be kept (CF-5, CF-6)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gitmem.errors import InvalidInput
from gitmem.operations.registry import plain
from gitmem.operations.remember.route import ROUTE, RouteRequest
from tests.support.apps import Desk


def route(desk: Desk, text: str = "Redis is on 6380", **values: Any) -> Any:
    app = desk.app()
    try:
        return ROUTE.run(app, RouteRequest(text, **values))
    finally:
        app.close()


def test_the_advice_and_what_follows_from_it_are_told(desk: Desk) -> None:
    told = plain(route(desk, kind="convention"))
    assert told == {
        "layer": "global",
        "confidence": 0.9,
        "reason": "conventions are reused elsewhere",
        "stored_in": "project",
        "because": "nothing is kept for every project unless you say so with --layer global",
        "rules": [],
    }
    assert json.loads(json.dumps(told)) == told


def test_what_is_given_counts(desk: Desk) -> None:
    found = route(desk, kind="convention", layer="global")
    assert (found.layer, found.confidence, found.stored_in) == ("global", 1.0, "global")
    found = route(desk, kind="convention", tag=("API, Temp",))
    assert (found.layer, found.confidence, found.stored_in) == ("working", 0.95, "working")
    found = route(desk, ttl="2h")
    assert (found.layer, found.confidence, found.stored_in) == ("working", 0.9, "working")
    assert route(desk, ttl="30d").stored_in == "project"


def test_code_of_a_session_is_known_by_the_session_that_is_given(desk: Desk) -> None:
    assert route(desk, "x = 1", kind="code").confidence == 0.7
    found = route(desk, "x = 1", kind="code", session="S1")
    assert (found.layer, found.confidence, found.stored_in) == ("working", 0.75, "project")


def test_an_explanation_marks_the_rule_that_decided(desk: Desk) -> None:
    found = route(desk, kind="scratchpad", explain=True)
    assert [one.rule for one in found.rules if one.decided] == ["kind"]
    assert [one.rule for one in found.rules] == ["layer", "tag", "ttl", "kind", "code", "default"]
    text = ROUTE.view(found)
    assert text.startswith("It would be stored in the working layer: scratchpads are temporary.")
    assert "> kind" in text
    advised = ROUTE.view(route(desk, kind="observation")).split("\n")
    assert advised == [
        "It would be stored in the project layer: it is not surely temporary; "
        "--layer working keeps it for this session only.",
        "The rules suggest the working layer (80% sure), since observations are short-lived.",
    ]


def test_what_remember_would_refuse_is_refused(desk: Desk) -> None:
    for values in ({"kind": "conventoin"}, {"ttl": "soon"}, {"tag": ("x" * 65,)}):
        with pytest.raises(InvalidInput):
            route(desk, **values)


def test_nothing_is_stored_and_no_store_is_needed(bare_desk: Desk) -> None:
    assert route(bare_desk).stored_in == "project"
    assert not bare_desk.store.exists()
