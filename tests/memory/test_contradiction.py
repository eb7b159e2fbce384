"""Whether two memories contradict each other, as far as their words tell."""

from __future__ import annotations

from gitmem.memory import contradiction
from tests.support.stores import said


def test_what_only_a_denial_tells_apart_contradicts() -> None:
    rows = [
        ("The cache is shared", "The cache is not shared", True),
        ("Always run it by hand", "Never run it by hand", True),
        ("Run it before the deploy", "Run it after the deploy", True),
        ("The cache is not shared", "The queue is shared", False),
        ("Redis is on 6380", "Redis is not on 6379", False),
        ("The cache is shared", "The cache is shared", False),
        ("Use apsw, not sqlite3 module here", "Use sqlite3 module here", True),
    ]
    for one, other, contradicts in rows:
        assert bool(contradiction.why(said(one), said(other))) == contradicts, (one, other)
        assert bool(contradiction.why(said(other), said(one))) == contradicts, (other, one)


def test_two_decisions_of_one_title_are_to_be_looked_at() -> None:
    fields = {"kind": "decision", "title": "Where sessions live"}
    one, other = (said(text, **fields) for text in ("In Redis", "In cookies"))
    assert contradiction.why(one, other) == "two decisions of one title"
    assert not contradiction.why(one, said("In cookies", kind="decision", title="Where logs live"))
    assert not contradiction.same_title("", "")
