"""C: types, functions, macros and the variables of a file."""

from __future__ import annotations

from tests.support.syntax import outline, read


def test_macros_alone_in_a_line_do_not_eat_what_follows() -> None:
    result = read("c", "a.c", "BEGIN_DECLS\nint f(void) { return 1; }\nEND_DECLS\n")
    assert not result.errors
    assert outline(result) == ["function f"]


def test_variables_of_functions_are_local() -> None:
    message = read("c", "a.c", "int a;\nint f(void) { int b; if (a) { int c = 1; } }\n")
    assert outline(message) == ["variable a", "function f"]


def test_a_function_after_a_brace_too_few_stands_in_no_other() -> None:
    """So a file reads where each branch of an ``#ifdef`` opens a block that is closed once."""
    source = (
        "void first(int x) {\n  if (x) {\n    each(x, i) {\n      if (i) {\n      }\n    }\n"
        "  case 1: {\n    if (x) {\n  }\n  }\n}\nint second(int x) {\n}\n"
    )
    assert outline(read("c", "a.c", source)) == ["function first", "function second"]
