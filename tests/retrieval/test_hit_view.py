"""How a hit reads: where it is, the function or section it is in, the lines that answer."""

from __future__ import annotations

from gitmem.model.frozen import replace
from gitmem.retrieval.hit_view import (
    HitItem,
    format_hit,
    format_hit_location,
    symbol_or_heading_of_hit,
)
from tests.support.tables import table


@table(
    ("hit", "shown"),
    [
        (HitItem("code", symbol="add remove", context="class Cart(Base)", snippet="def remove("),
         "Cart.remove"),
        (HitItem("code", symbol="add remove", context="class Cart:", snippet="self.x = 1"), "Cart"),
        (HitItem("code", symbol="add", context="", snippet="return 1"), "add"),
        (HitItem("code", symbol="ShouldBind", context="Context", snippet=""), "Context.ShouldBind"),
        (HitItem("code", context="def add(self, item: int)"), "add"),
        (HitItem("code", symbol="Cart", context="class Cart", snippet="class Cart"), "Cart"),
        (HitItem("code", symbol="a.b(c", context="x", snippet="a.b(c"), "x.a.b(c"),
        (HitItem("note", context="Guide > Carts"), "Guide > Carts"),
        (HitItem("code"), ""),
    ],
)  # fmt: skip
def test_the_function_or_section_a_hit_is_in(hit: HitItem, shown: str) -> None:
    assert symbol_or_heading_of_hit(hit) == shown


def test_the_lines_keep_how_far_they_are_set_in() -> None:
    hit = HitItem(
        "code", "cart.py", 4, 7, snippet="    def add():\n        if x:\n\treturn 1", symbol="add"
    )
    head, *lines = format_hit(hit).split("\n")
    assert head.startswith("cart.py:4-7 add  [")
    assert lines == ["    def add():", "        if x:", "    return 1"]


def test_a_long_line_that_is_set_in_far_stays_within_the_width() -> None:
    hit = HitItem("code", "a.py", 1, 2, snippet="x\n" + " " * 300 + "y" * 300)
    assert all(len(line) <= 4 + 100 for line in format_hit(hit).split("\n")[1:])


def test_a_path_with_its_lines_is_never_cut_and_the_name_says_something() -> None:
    path = "okhttp/src/commonJvmAndroid/kotlin/okhttp3/internal/connection/RealConnectionPool.kt"
    long = HitItem(
        "code", path=path, start_line=132, end_line=156, symbol="f", context="class Pool:",
        also=("1-9", "20-30"), snippet="f",
    )  # fmt: skip
    assert format_hit_location(long, 70) == f"{path}:132-156 Pool.f"
    assert format_hit_location(replace(long, path="a.py"), 70) == "a.py:132-156, 1-9, 20-30 Pool.f"
    assert (
        format_hit_location(replace(long, context="", symbol="", path="a.py"), 12) == "a.py:132-156"
    )
    named = format_hit_location(replace(long, symbol="f" * 90, snippet="f" * 90), 70).partition(
        " "
    )[2]
    assert len(named) == 40 and named.endswith("…")
    assert format_hit_location(replace(long, start_line=9, end_line=9), 70).startswith(f"{path}:9 ")
    assert len(format_hit_location(replace(long, path="x/" * 900), 70)) < 500
