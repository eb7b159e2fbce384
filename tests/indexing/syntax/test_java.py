"""Java: types and their members."""

from __future__ import annotations

from functools import cache

from gitmem.indexing.syntax.values import Parsed
from tests.support.syntax import define, hidden, imports, lines, outline, read, uses

SAMPLE = """\
package shop;

import java.util.List;
import static a.B.c;
import d.e.*;

/**
 * Sells things.
 */
@Entity(name = "x")
public class Shop<T> extends Base<T> implements Open, Serializable {
    public static final int LIMIT = 10;
    @Inject
    private Clock clock, watch;

    /** Makes one. */
    public Shop(String name) { super(name); }

    @Override
    public List<Receipt> sell(Thing thing) throws Closed {
        return clock.ask(new Sum<>(), Thing::price);
    }

    void hidden() {}

    enum Color { RED, GREEN { void x() {} } }
    interface Door { int WIDTH = 1; void knock(); }
    record Point(int x, int y) { Point { } }
    @interface Note { String value() default ""; }
}
"""


@cache
def sample() -> Parsed:
    return read("java", "Shop.java", SAMPLE)


def test_definitions_are_told_in_order_with_kind_and_container() -> None:
    assert not sample().errors
    assert outline(sample()) == [
        "class Shop",
        "constant Shop.LIMIT",
        "field Shop.clock",
        "field Shop.watch",
        "constructor Shop.Shop",
        "method Shop.sell",
        "method Shop.hidden",
        "enum Shop.Color",
        "constant Shop.Color.RED",
        "constant Shop.Color.GREEN",
        "method Shop.Color.GREEN.x",
        "interface Shop.Door",
        "constant Shop.Door.WIDTH",
        "method Shop.Door.knock",
        "record Shop.Point",
        "constructor Shop.Point.Point",
        "annotation Shop.Note",
        "method Shop.Note.value",
    ]


def test_what_is_not_meant_for_others_is_told_so() -> None:
    assert hidden(sample()) == {
        "Shop.Color",
        "Shop.Color.GREEN.x",
        "Shop.Door",
        "Shop.Note",
        "Shop.Point",
        "Shop.Point.Point",
        "Shop.clock",
        "Shop.hidden",
        "Shop.watch",
    }


def test_documentation_stands_above_or_opens_the_body() -> None:
    assert define(sample(), "Shop").doc == "Sells things."
    assert define(sample(), "Shop.Shop").doc == "Makes one."


def test_a_signature_ends_where_the_body_begins() -> None:
    assert (
        define(sample(), "Shop").signature
        == "public class Shop<T> extends Base<T> implements Open, Serializable"
    )
    assert (
        define(sample(), "Shop.sell").signature
        == "public List<Receipt> sell(Thing thing) throws Closed"
    )
    assert define(sample(), "Shop.Point").signature == "record Point(int x, int y)"


def test_a_definition_covers_its_lines_with_what_is_attached() -> None:
    assert lines(sample(), "Shop") == (10, 30)
    assert lines(sample(), "Shop.sell") == (19, 22)


def test_uses_are_told_by_their_kind() -> None:
    assert uses(sample(), "call") == {"Sum", "ask", "price"}
    assert uses(sample(), "type") == {
        "Clock",
        "Closed",
        "List",
        "Receipt",
        "String",
        "Sum",
        "Thing",
    }
    assert uses(sample(), "inherit") == {"Base", "Open", "Serializable"}
    assert uses(sample(), "decorator") == {"Entity", "Inject", "Override"}


def test_imports_name_their_modules_and_what_is_taken_from_them() -> None:
    assert imports(sample()) == {
        "java.util": ("List",),
        "a.B": ("c",),
        "d.e": (),
    }
