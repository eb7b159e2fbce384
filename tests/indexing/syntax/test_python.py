"""Python: classes, functions, values of modules and classes, `__all__`."""

from __future__ import annotations

from functools import cache

from gitmem.indexing.syntax.values import Parsed
from tests.support.syntax import define, hidden, imports, lines, outline, read, uses

SAMPLE = """\
\"\"\"A shop.\"\"\"
from __future__ import annotations

import os, json as j
from a.b import c, d as e
from . import f
from .g import *

__all__ = ["Shop", "LIMIT"]
LIMIT = 10
count: int = 0


# How things are sold.
# In two lines.
@register("x")
@dataclasses.dataclass(frozen=True)
class Shop(Base, abc.ABC, Generic[T]):
    \"\"\"Sells things.

    For money.
    \"\"\"

    name: str
    price = 1  #: no documentation

    @property
    def open(
        self,
        hour: int = 8,
    ) -> Hours | None:
        \"\"\"Whether it is open.\"\"\"

        def inner():
            return helper()

        return self.clock.ask(hour)

    class Meta:
        x = 1

    async def _close(self): ...


type Pair[T] = tuple[T, T]


def free(): return LIMIT


if True:
    fallback = 1
"""


@cache
def sample() -> Parsed:
    return read("python", "shop.py", SAMPLE)


def test_definitions_are_told_in_order_with_kind_and_container() -> None:
    assert not sample().errors
    assert outline(sample()) == [
        "variable __all__",
        "constant LIMIT",
        "variable count",
        "class Shop",
        "field Shop.name",
        "field Shop.price",
        "method Shop.open",
        "function Shop.open.inner",
        "class Shop.Meta",
        "field Shop.Meta.x",
        "method Shop._close",
        "type Pair",
        "function free",
        "variable fallback",
    ]


def test_what_is_not_meant_for_others_is_told_so() -> None:
    assert hidden(sample()) == {
        "Pair",
        "Shop._close",
        "Shop.open.inner",
        "__all__",
        "count",
        "fallback",
        "free",
    }


def test_documentation_stands_above_or_opens_the_body() -> None:
    assert define(sample(), "Shop").doc == "Sells things. For money."
    assert define(sample(), "Shop.open").doc == "Whether it is open."


def test_a_signature_ends_where_the_body_begins() -> None:
    assert define(sample(), "Shop").signature == "class Shop(Base, abc.ABC, Generic[T])"
    assert (
        define(sample(), "Shop.open").signature == "def open(self, hour: int = 8) -> Hours | None"
    )


def test_a_definition_covers_its_lines_with_what_is_attached() -> None:
    assert lines(sample(), "Shop") == (16, 42)
    assert lines(sample(), "Shop.open") == (27, 37)


def test_uses_are_told_by_their_kind() -> None:
    assert uses(sample(), "call") == {"ask", "dataclass", "helper", "register"}
    assert uses(sample(), "type") == {"Hours", "tuple"}
    assert uses(sample(), "inherit") == {"ABC", "Base", "Generic"}
    assert uses(sample(), "decorator") == {"dataclass", "property", "register"}


def test_imports_name_their_modules_and_what_is_taken_from_them() -> None:
    assert imports(sample()) == {
        "__future__": ("annotations",),
        "os": (),
        "json": (),
        "a.b": ("c", "d"),
        ".": ("f",),
        ".g": ("*",),
    }


def test_without_all_names_with_an_underscore_are_not_exported() -> None:
    said = read(
        "python", "a.py", "def f(): ...\ndef _g(): ...\nclass A:\n    def __init__(self): ...\n"
    )
    assert hidden(said) == {"_g"}


def test_values_set_under_a_condition_are_values_of_the_module_and_those_of_functions_are_not() -> (
    None
):
    """Once: what is set otherwise is nearly always the same name."""
    source = "try:\n    A = 1\nexcept X:\n    A = 2\nif y:\n    b = 1\ndef f():\n    c = 1\n"
    assert outline(read("python", "a.py", source)) == ["variable A", "variable b", "function f"]
