"""Go: types, functions with and without receivers, values of the package."""

from __future__ import annotations

from functools import cache

from gitmem.indexing.syntax.values import Parsed
from tests.support.syntax import define, hidden, imports, lines, outline, read, uses

SAMPLE = """\
// Package shop sells.
package shop

import (
	"fmt"
	str "strings"
)

// Shop sells things.
// In two lines.
type Shop struct {
	Base
	Name, city string
}

type (
	// Opener opens.
	Opener interface {
		Closer
		Open(hour int) error
	}
	ID = string
	List[T any] []T
)

const (
	Limit, max = 10, 20
)

var count int

// Sell sells.
func (s *Shop) Sell(t Thing) (r Receipt, err error) {
	inner := func() {}
	fmt.Println(len(t.Name))
	return s.clock.Ask(), nil
}

func (l List[T]) size() int { return build(&Other{}) }

func New() *Shop { return nil }
"""


@cache
def sample() -> Parsed:
    return read("go", "shop.go", SAMPLE)


def test_definitions_are_told_in_order_with_kind_and_container() -> None:
    assert not sample().errors
    assert outline(sample()) == [
        "struct Shop",
        "field Shop.Name",
        "field Shop.city",
        "interface Opener",
        "method Opener.Open",
        "type ID",
        "type List",
        "constant Limit",
        "constant max",
        "variable count",
        "method Shop.Sell",
        "method List.size",
        "function New",
    ]


def test_what_is_not_meant_for_others_is_told_so() -> None:
    assert hidden(sample()) == {
        "List.size",
        "Shop.city",
        "count",
        "max",
    }


def test_documentation_stands_above_or_opens_the_body() -> None:
    assert define(sample(), "Shop").doc == "Shop sells things. In two lines."
    assert define(sample(), "Opener").doc == "Opener opens."
    assert define(sample(), "Shop.Sell").doc == "Sell sells."


def test_a_signature_ends_where_the_body_begins() -> None:
    assert define(sample(), "Shop").signature == "Shop struct"
    assert (
        define(sample(), "Shop.Sell").signature
        == "func (s *Shop) Sell(t Thing) (r Receipt, err error)"
    )
    assert define(sample(), "List.size").signature == "func (l List[T]) size() int"


def test_a_definition_covers_its_lines_with_what_is_attached() -> None:
    assert lines(sample(), "Shop") == (11, 14)
    assert lines(sample(), "Shop.Sell") == (33, 37)


def test_uses_are_told_by_their_kind() -> None:
    assert uses(sample(), "call") == {"Ask", "Println", "build"}
    assert uses(sample(), "type") == {"List", "Other", "Receipt", "Shop", "Thing"}
    assert uses(sample(), "inherit") == {"Base", "Closer"}


def test_imports_name_their_modules_and_what_is_taken_from_them() -> None:
    assert imports(sample()) == {
        "fmt": (),
        "strings": (),
    }


def test_fields_of_types_within_functions_and_plain_words_are_left_out() -> None:
    source = (
        "package a\nfunc f() {\n\tfor _, t := range []struct{ n int }{{1}} {\n\t\tlen(t)\n\t}\n}\n"
    )
    said = read("go", "a.go", source)
    assert outline(said) == ["function f"]
    assert uses(said, "call") == set()
    assert uses(said, "type") == set()
