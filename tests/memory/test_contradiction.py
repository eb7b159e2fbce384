"""Whether two memories contradict each other, as far as their words tell."""

from __future__ import annotations

from gitmem.memory import contradiction
from tests.support.apps import Desk
from tests.support.stores import said


def test_what_only_a_denial_tells_apart_contradicts() -> None:
    rows = [
        ("The cache is shared", "The cache is not shared", True),
        ("Always run it by hand", "Never run it by hand", True),
        ("Run it before the deploy", "Run it after the deploy", True),
        ("The cache is shared", "The cache must not be shared", True),
        ("Enable gzip for the files", "Disable gzip for the files", True),
        ("Push it synchronously", "Push it asynchronously", True),
        ("Pull it every night", "Pull it every week", False),
        ("The cache is not shared", "The queue is shared", False),
        ("Redis is on 6380", "Redis is not on 6379", False),
        ("The cache is shared", "The cache is shared", False),
        ("Use apsw, not sqlite3 module here", "Use sqlite3 module here", True),
    ]
    for item, other, contradicts in rows:
        assert bool(contradiction.contradiction_reason(said(item), said(other))) == contradicts, (
            item,
            other,
        )
        assert bool(contradiction.contradiction_reason(said(other), said(item))) == contradicts, (
            other,
            item,
        )


def test_two_decisions_of_one_title_are_to_be_looked_at() -> None:
    fields = {"kind": "decision", "title": "Where sessions live"}
    item, other = (said(text, **fields) for text in ("In Redis", "In cookies"))
    assert contradiction.contradiction_reason(item, other) == "two decisions of one title"
    assert not contradiction.contradiction_reason(
        item, said("In cookies", kind="decision", title="Where logs live")
    )
    assert not contradiction.have_same_title_words("", "")


def test_a_decision_at_capture_is_judged_as_a_plan_is(desk: Desk) -> None:
    """What `check` calls a conflict is one also when it is decided."""
    for old, new in (
        ("Use apsw, not sqlite3", "Do not use apsw"),
        ("Docs are written in AsciiDoc", "Docs are written in Markdown"),
        ("Retries are capped at 3", "Retries are capped at 10"),
        ("Orders are never deleted", "Delete the orders"),
    ):
        id = desk.run("decide", title=old).id
        (conflict,) = desk.run("check", plan=new).conflicts
        assert conflict.memory.id == id
        result = desk.run("decide", title=new)
        why = conflict.why.replace("the plan", "the other one")
        assert any(why in note and id[:12] in note for note in result.notes), (new, result.notes)
        desk.run("forget", id=(id, result.id))


def test_the_same_decision_typed_twice_contradicts_nothing() -> None:
    fields = {"kind": "decision", "title": "Sessions live in Redis"}
    old = said("They outlive a restart", **fields)
    for content in ("They outlive a restart.", "they outlive a restart", ""):
        again = said("x", content=content, **fields)
        assert (
            contradiction.contradiction_reason(again, old)
            == contradiction.contradiction_reason(old, again)
            == ""
        ), content
    assert contradiction.contradiction_reason(said("They are fast", **fields), old)


def test_decisions_are_opposite_by_their_titles_whatever_their_reasons() -> None:
    reasons = "It needs no server, and a till that is cut off from the shop goes on selling"
    old = said(reasons, kind="decision", title="Keep tills in SQLite")
    for title, contradicts in (
        ("Never keep tills in SQLite", True),
        ("Never keep carts in SQLite", False),
        ("Keep tills in PostgreSQL", True),
        ("Keep carts in PostgreSQL", False),
    ):
        new = said("Backups of it stop the shop", kind="decision", title=title)
        assert bool(contradiction.contradiction_reason(new, old)) == contradicts, title
        assert bool(contradiction.contradiction_reason(old, new)) == contradicts, title
