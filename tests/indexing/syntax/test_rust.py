"""Rust: types, traits, what implementations hold, macros."""

from __future__ import annotations

from functools import cache

from gitmem.indexing.syntax.values import Parsed
from tests.support.syntax import define, hidden, imports, lines, outline, read, uses

SAMPLE = """\
//! A shop.
use std::collections::{HashMap, hash_map::Entry};
use crate::a::b as c;
use d::*;

/// Sells things.
#[derive(Debug)]
pub struct Shop<T> {
    pub name: String,
    price: Vec<T>,
}

pub(crate) enum Color { Red, Custom { r: u8 } }

impl<T> Shop<T> {
    const MAX: u8 = 1;
    /// New one.
    pub fn new(name: &str) -> Self { helper(); Vec::<T>::with_capacity(1) }
    fn hide(&self) { self.inner.run(); println!("x"); }
}

impl fmt::Display for Shop<u8> {
    fn fmt(&self) -> fmt::Result { todo!() }
}

pub trait Open: Door {
    type Hours;
    fn open(&self) -> bool;
}

#[macro_export]
macro_rules! sell { () => {} }

mod tests {
    pub fn check() {}
}
pub static COUNT: u8 = 1;
type Alias = Shop<u8>;
union Bits { a: u8 }
"""


@cache
def sample() -> Parsed:
    return read("rust", "shop.rs", SAMPLE)


def test_definitions_are_told_in_order_with_kind_and_container() -> None:
    assert not sample().errors
    assert outline(sample()) == [
        "struct Shop",
        "field Shop.name",
        "field Shop.price",
        "enum Color",
        "constant Color.Red",
        "constant Color.Custom",
        "field Color.Custom.r",
        "constant Shop.MAX",
        "method Shop.new",
        "method Shop.hide",
        "method Shop.fmt",
        "trait Open",
        "type Open.Hours",
        "method Open.open",
        "macro sell",
        "module tests",
        "function tests.check",
        "variable COUNT",
        "type Alias",
        "union Bits",
        "field Bits.a",
    ]


def test_what_is_not_meant_for_others_is_told_so() -> None:
    assert hidden(sample()) == {
        "Alias",
        "Bits",
        "Bits.a",
        "Color",
        "Shop.MAX",
        "Shop.hide",
        "Shop.price",
        "tests",
    }


def test_documentation_stands_above_or_opens_the_body() -> None:
    assert define(sample(), "Shop").doc == "Sells things."
    assert define(sample(), "Shop.new").doc == "New one."


def test_a_signature_ends_where_the_body_begins() -> None:
    assert define(sample(), "Shop").signature == "pub struct Shop<T>"
    assert define(sample(), "Shop.new").signature == "pub fn new(name: &str) -> Self"
    assert define(sample(), "Open.open").signature == "fn open(&self) -> bool"


def test_a_definition_covers_its_lines_with_what_is_attached() -> None:
    assert lines(sample(), "Shop") == (7, 11)
    assert lines(sample(), "sell") == (31, 32)


def test_uses_are_told_by_their_kind() -> None:
    assert uses(sample(), "call") == {"helper", "println", "run", "todo", "with_capacity"}
    assert uses(sample(), "type") == {"Result", "Shop", "String", "Vec"}
    assert uses(sample(), "inherit") == {"Display", "Door"}
    assert uses(sample(), "decorator") == {"derive", "macro_export"}


def test_imports_name_their_modules_and_what_is_taken_from_them() -> None:
    assert imports(sample()) == {
        "std::collections": ("HashMap", "hash_map::Entry"),
        "crate::a": ("b",),
        "d": (),
    }
