"""The changes that are kept can be made and name tests that are there; renamed texts are found."""

from __future__ import annotations

import pytest

from tests.mutants import changes

UNCHANGED = changes.read()
OLD = 'return [one for one in found if one.state == "active" and one.tier != "foreign"]'


def test_names_are_unique_and_each_says_what_a_user_has_of_it() -> None:
    assert len({item.name for item in UNCHANGED}) == len(UNCHANGED) > 100
    assert all(item.what and item.old != item.new for item in UNCHANGED)


@pytest.mark.parametrize("change", UNCHANGED, ids=lambda change: change.name)
def test_the_test_that_notices_it_is_there(change: changes.Change) -> None:
    assert bool(change.noticed_by) != bool(change.equivalent)
    for test in filter(None, (change.noticed_by, *changes.mirror(change))):
        path, _, name = test.partition("::")
        place = changes.ROOT / path
        assert place.exists(), test
        assert not name or f"def {name}(" in place.read_text(encoding="utf-8"), test


def test_a_text_is_found_whose_names_were_changed_throughout() -> None:
    now = "def f():\n    " + OLD.replace("one", "memory").replace("found", "rows") + "\n"
    ((text, names),) = changes.occurrences(OLD, now)
    assert text == OLD.replace("one", "memory").replace("found", "rows")
    assert names == {"one": "memory", "found": "rows"}


def test_what_was_rewritten_is_another_text() -> None:
    for now in (
        OLD.replace("active", "archived"),
        OLD.replace("!=", "=="),
        OLD.replace("one.tier", "two.tier"),  # not throughout
        OLD.replace("one.state", "one.kind.state"),
    ):
        assert list(changes.occurrences(OLD, now)) == [], now
