"""C: types, functions, macros and the variables of a file."""

from __future__ import annotations

from functools import cache

from gitmem.indexing.syntax.values import Parsed
from tests.support.syntax import define, hidden, imports, lines, outline, read, uses

SAMPLE = """\
#include <stdio.h>
#include "shop.h"

#define LIMIT 10
#define MAX(a, b) ((a) > (b) ? (a) : (b))
BEGIN_DECLS

/* A shop. */
struct shop {
    int price, *prices;
    char name[20];
    void (*sell)(int);
};

typedef struct { int x; } point_t;
typedef struct node { struct node *next; } node_t;
typedef int (*handler_t)(int);
enum color { RED, GREEN = 2 };
union bits { int i; };

extern const char *names[];
static int count = 0;

int prototype(int a);

/**
 * Sells.
 */
static char *sell(struct shop *s, point_t p)
{
    int local = 1;
    run(s);
    s->close(p);
    return (char *)0;
}

API_EXPORT int exported(void) { return 0; }
"""


@cache
def sample() -> Parsed:
    return read("c", "shop.c", SAMPLE)


def test_definitions_are_told_in_order_with_kind_and_container() -> None:
    assert outline(sample()) == [
        "macro LIMIT",
        "macro MAX",
        "struct shop",
        "field shop.price",
        "field shop.prices",
        "field shop.name",
        "field shop.sell",
        "struct point_t",
        "field point_t.x",
        "struct node",
        "field node.next",
        "type node_t",
        "type handler_t",
        "enum color",
        "constant color.RED",
        "constant color.GREEN",
        "union bits",
        "field bits.i",
        "variable names",
        "variable count",
        "function prototype",
        "function sell",
        "function exported",
    ]


def test_what_is_not_meant_for_others_is_told_so() -> None:
    assert hidden(sample()) == {
        "count",
        "sell",
    }


def test_documentation_stands_above_or_opens_the_body() -> None:
    assert define(sample(), "shop").doc == "A shop."
    assert define(sample(), "sell").doc == "Sells."


def test_a_signature_ends_where_the_body_begins() -> None:
    assert define(sample(), "sell").signature == "static char *sell(struct shop *s, point_t p)"
    assert define(sample(), "exported").signature == "API_EXPORT int exported(void)"
    assert define(sample(), "handler_t").signature == "typedef int (*handler_t)(int)"
    assert define(sample(), "MAX").signature == "#define MAX(a, b) ((a) > (b) ? (a) : (b))"


def test_a_definition_covers_its_lines_with_what_is_attached() -> None:
    assert lines(sample(), "shop") == (9, 13)
    assert lines(sample(), "sell") == (29, 35)


def test_uses_are_told_by_their_kind() -> None:
    assert uses(sample(), "call") == {"close", "run"}
    assert uses(sample(), "type") == {"API_EXPORT", "point_t", "shop"}


def test_imports_name_their_modules_and_what_is_taken_from_them() -> None:
    assert imports(sample()) == {
        "stdio.h": (),
        "shop.h": (),
    }


def test_macros_alone_in_a_line_do_not_eat_what_follows() -> None:
    said = read("c", "a.c", "BEGIN_DECLS\nint f(void) { return 1; }\nEND_DECLS\n")
    assert not said.errors
    assert outline(said) == ["function f"]


def test_variables_of_functions_are_local() -> None:
    said = read("c", "a.c", "int a;\nint f(void) { int b; if (a) { int c = 1; } }\n")
    assert outline(said) == ["variable a", "function f"]


def test_a_function_after_a_brace_too_few_stands_in_no_other() -> None:
    """So a file reads where each branch of an ``#ifdef`` opens a block that is closed once."""
    source = (
        "void first(int x) {\n  if (x) {\n    each(x, i) {\n      if (i) {\n      }\n    }\n"
        "  case 1: {\n    if (x) {\n  }\n  }\n}\nint second(int x) {\n}\n"
    )
    assert outline(read("c", "a.c", source)) == ["function first", "function second"]
