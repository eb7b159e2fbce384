"""What an edit changed, in full and at a glance."""

from __future__ import annotations

from gitmem import operations
from gitmem.operations.find.history import mark_changed_words
from tests.support.apps import Desk


def test_the_words_that_changed_are_marked() -> None:
    long = "the store is read again after each commit by whoever holds the lease of the queue"
    for before, after, whole, short in (
        ("a b c d", "a b x d", "a b [-c-] {+x+} d", "a b [-c-] {+x+} d"),
        ("a b", "a b c", "a b {+c+}", "a b {+c+}"),
        ("a b c", "a c", "a [-b-] c", "a [-b-] c"),
        ("one two", "three four", "[-one two-] {+three four+}", "[-one two-] {+three four+}"),
        (
            f"{long} port 6379",
            f"{long} port 6380",
            f"{long} port [-6379-] {{+6380+}}",
            "… the lease of the queue port [-6379-] {+6380+}",
        ),
    ):
        assert mark_changed_words(before, after) == whole
        assert mark_changed_words(before, after, elide_unchanged=True) == short


def test_the_change_itself_is_never_cut_off(desk: Desk) -> None:
    message = " ".join(f"word{number}" for number in range(60))
    item = desk.run("remember", text=f"{message} port 6379").id
    desk.run("revise", id=item, text=f"{message} port 6380")
    assert f"content: {message} port [-6379-] {{+6380+}}" in desk.text("history", id=item)
    screen = operations.load_operation("history").view_for_terminal
    assert screen is not None
    output = screen(desk.run("history", id=item), 80)
    assert "content: … word55 word56 word57 word58 word59 port [-6379-] {+6380+}" in output
