"""Which definitions a change touched."""

from __future__ import annotations

from gitmem.history.commit_symbols import DefinitionsChangedInFile, find_changed_definitions

BEFORE = [("Cart", 1, 20), ("Cart.add", 3, 8), ("Cart.total", 10, 15), ("old", 30, 40)]
AFTER = [("Cart", 1, 25), ("Cart.add", 3, 9), ("Cart.total", 11, 16), ("Cart.clear", 18, 22)]


def test_a_line_belongs_to_the_innermost_definition_around_it() -> None:
    found = find_changed_definitions(BEFORE, AFTER, [(30, 40)], [(5, 5), (18, 22)])
    assert found == DefinitionsChangedInFile(("Cart.clear",), ("old",), ("Cart.add",))


def test_lines_of_the_class_alone_change_the_class_and_lines_outside_change_nothing() -> None:
    assert find_changed_definitions(BEFORE, AFTER, [], [(24, 24)]) == DefinitionsChangedInFile(
        (), (), ("Cart",)
    )
    assert find_changed_definitions(
        BEFORE, AFTER, [(25, 28)], [(50, 60)]
    ) == DefinitionsChangedInFile((), (), ())


def test_what_only_lost_lines_is_changed_and_reported_once() -> None:
    assert find_changed_definitions(BEFORE, AFTER, [(12, 12)], []).changed == ("Cart.total",)
    assert find_changed_definitions(BEFORE, AFTER, [(12, 12)], [(13, 13)]).changed == (
        "Cart.total",
    )


def test_a_whole_file_costs_little() -> None:
    whole = (1, 1 << 31)
    assert find_changed_definitions([], AFTER, [whole], [whole]).added == tuple(
        name for name, *_ in AFTER
    )
