"""Every text that holds a time shows it in the time zone that is set, or that somebody names.

One repository and one table of calls, at an hour that is another day in Tokyo.
"""

from __future__ import annotations

from typing import Any

import pytest

from gitmem import operations
from gitmem.clock import local_times
from gitmem.operations.registry import READ, as_json_values
from tests.support.apps import HOUR, NOW, Desk
from tests.support.cli import Program
from tests.support.conversations import put
from tests.support.moved import SetUp
from tests.support.repos import RepoBuilder

LATE = NOW + 8 * HOUR  # 16:03 UTC on the 21st: the 22nd in Tokyo
ZONES = ("Asia/Tokyo", "Pacific/Honolulu")  # nine hours on, and ten behind
# What has the zone among its own arguments.
OWN = ("orient", "timeline", "time")
IN_WORDS = ("projects list", "projects show", "skill list", "skill show")


@pytest.fixture
def desk(repo: RepoBuilder, ready: SetUp) -> Desk:
    """Two linked memories, one of them edited, a decision with an end, a session and a feature."""
    desk = ready(Desk(repo.path, repo.home), no_hooks=True)
    desk.clock.advance(LATE - desk.clock.now())
    desk.run("session start", goal="Mend the cart")
    desk.run("feature set", name="cart")
    desk.run("session note", text="Halfway at 2026-01-01T00:00:00Z")
    first = desk.run("remember", text="Redis listens on port 6380", path=("src/cart/cart.py",)).id
    desk.run("revise", id=first, text="Redis listens on port 6381")
    second = desk.run(
        "decide",
        title="Use Redis",
        why="Carts",
        path=("src/cart/cart.py",),
        valid_until="2101-01-31",
    ).id
    desk.run("revise", id=first, ttl="2h")
    put(desk, (("Where does Redis listen?", "On 6381.", ()),), at=LATE - HOUR)
    desk.run("skill create", slug="release", instructions="Push a tag")
    desk.run("skill invoke", slug="release")
    desk.run("pattern learn", text="Never call `eval()`.")
    text = '{"error": "KeyError in src/cart/cart.py:1", "fix": "Read the prices first"}'
    desk.run("event", type="error_occurred", payload=text)
    desk.run("link", source=first, relation="SOLVES", target=second)
    early = desk.run("decide", title="Ship on Fridays", why="Habit").id
    desk.clock.advance(HOUR)
    late = desk.run("decide", title="Ship on Mondays", why="Rest", supersedes=early).id
    desk.env["IDS"] = f"{first} {second} {late}"
    return desk


def calls(desk: Desk) -> list[tuple[str, dict[str, Any]]]:
    """Operations with arguments: all that read, and all others whose answer could hold a time."""
    first, second, _ = desk.env["IDS"].split()
    needed: dict[str, dict[str, Any]] = {
        "show": {"id": second},
        "history": {"id": first},
        "related": {"id": second, "lineage": True},
        "recall": {"query": "redis"},
        "skill show": {"slug": "release"},
        "skill invoke": {"slug": "release"},
        "pattern show": {"name": "no-eval"},
        "search": {"query": "cart"},
        "session search": {"query": "redis"},
        "ask": {"question": "which port does redis use"},
        "context": {"query": "redis"},
        "why": {"target": "src/cart/cart.py"},
        "why-broke": {"text": "KeyError in src/cart/cart.py:1"},
        "similar-bugs": {"text": "KeyError in src/cart/cart.py:1"},
        "graph": {"name": "x"},
        "deps": {"path": "src/cart/cart.py"},
        "impact": {"target": "src/cart/cart.py"},
        "check": {"plan": "Use Redis for the cart", "file": ("src/cart/cart.py",)},
        "file": {"path": "src/cart/cart.py"},
        "stats": {"files": True},
        "verify-code": {"code": "import os\n"},
    }
    reading = [name for name in operations.PLACES if operations.load_operation(name).effect == READ]
    writing: list[tuple[str, dict[str, Any]]] = [
        *(("feature set", {"name": "cart"}), ("feature switch", {}), ("backup", {})),
        *(("verify", {}), ("decay", {}), ("doctor", {}), ("session note", {"text": "Done"})),
        *(("session start", {}), ("session end", {})),
    ]
    return [*((name, needed.get(name, {})) for name in reading), *writing]


def test_every_text_that_holds_a_time_follows_the_time_zone(desk: Desk) -> None:
    """An operation that shows times says so: the command line has ``--timezone`` for those."""
    for name, values in calls(desk):
        if name in (*OWN, "export"):  # a file of data
            continue
        operation = operations.load_operation(name)
        result = desk.run(name, **values)
        shown = {operation.view(local_times.with_local_times(result, zone)) for zone in ZONES}
        # What is told in words is told by the day where it was long ago.
        assert operation.shows_times == (len(shown) > 1 or name in IN_WORDS), name
        assert as_json_values(local_times.with_local_times(result, "UTC")) == as_json_values(
            local_times.with_local_times(local_times.with_local_times(result, "UTC"), ZONES[0])
        ), name  # a time that has a zone keeps it


def test_the_zone_set_or_named_is_that_of_the_text_and_of_no_json(
    desk: Desk,
    program: Program,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def out(*words: str) -> str:
        return program.here(*words, monkeypatch=monkeypatch, capsys=capsys).out

    first, second, _ = desk.env["IDS"].split()
    for words, expected in (
        (("history", first), "2026-11-22T01:03:42+09:00  added"),
        (("history", first), "expires_at: (none) -> 2026-11-22T03:03:42+09:00"),
        (("show", second), "created  2026-11-22T01:03:42+09:00"),
        (("show", second), "until 2101-01-31T09:00:00+09:00"),
        (("session", "show"), "started  2026-11-22T01:03:42+09:00"),
        (("session", "show"), "01:03  Halfway at 2026-01-01T00:00:00Z"),  # somebody's own words
        (("session", "list"), "2026-11-22T01:03"),
        (("feature", "list"), "last worked on 2026-11-22T01:03"),
        (("recall", "redis"), "2026-11-22"),
        (("timeline", "--since", "2001-01-01"), "2026-11-22\n  01:03"),
        (("orient",), "Asia/Tokyo (+09:00)"),
    ):
        assert expected in out(*words, "--timezone", ZONES[0]), words
        program.env["GITMEM_TIMEZONE"] = ZONES[0]
        assert expected in out(*words), words
        if words[0] not in OWN:
            data = out(*words, "--json")
            assert "+09:00" not in data and "2026-11-21T16:03:42Z" in data, words
        program.env["GITMEM_TIMEZONE"] = "UTC"
        assert expected not in out(*words) or "Halfway" in expected, words


def test_a_zone_that_does_not_exist_is_reported_before_anything_is_done(program: Program) -> None:
    for words in (("recall", "redis"), ("session", "list"), ("orient",), ("projects",)):
        done = program(*words, "--timezone", "Asia/Tokio", status=2)
        assert done.out == ""
        assert "no time zone called 'Asia/Tokio'" in done.err and "Asia/Tokyo" in done.err
    done = program("remember", "A fact", "--timezone", ZONES[0], status=2)
    assert "--timezone" in done.err  # it shows no time
