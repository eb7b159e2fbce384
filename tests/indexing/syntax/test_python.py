"""Python: classes, functions, values of modules and classes, `__all__`."""

from __future__ import annotations

from tests.support.syntax import hidden, outline, read


def test_without_all_names_with_an_underscore_are_not_exported() -> None:
    message = read(
        "python", "a.py", "def f(): ...\ndef _g(): ...\nclass A:\n    def __init__(self): ...\n"
    )
    assert hidden(message) == {"_g"}


def test_values_set_under_a_condition_are_values_of_the_module_and_those_of_functions_are_not() -> (
    None
):
    """Once: what is set otherwise is nearly always the same name."""
    source = "try:\n    A = 1\nexcept X:\n    A = 2\nif y:\n    b = 1\ndef f():\n    c = 1\n"
    assert outline(read("python", "a.py", source)) == ["variable A", "variable b", "function f"]
