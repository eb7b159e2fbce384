"""JavaScript: what is declared, and functions that are values of something with a name."""

from __future__ import annotations

from functools import cache

from gitmem.indexing.syntax.values import Parsed
from tests.support.syntax import define, hidden, imports, lines, outline, read, uses

SAMPLE = """\
import http, { get as fetch, put } from './http';
import * as fs from "fs";
const { join } = require('path');
const os = require('os');
export { a, b as c } from './re';

/**
 * Sells things.
 * @returns nothing
 */
export class Shop extends Base {
  static limit = 10;
  #secret = 1;
  constructor(name) { super(name); }
  get open() { return this.clock.ask(); }
  async *items() {}
  #hide() {}
  handler = () => { run(); };
}

// Adds.
export const add = async (a, b) => {
  function inner() {}
  return new Sum(a, b);
}, LIMIT = 10;
let count = 0;
var old = function named() {};
function* walk() { yield <Item name={x}><b/></Item>; }
Shop.prototype.sell = function (thing) {};
Shop.create = () => 1;
module.exports.open = function open() {};
const api = { list() {}, drop: function () {}, 'quoted': () => 1 };
export default walk;
export const { first, second: other } = api;
"""


@cache
def sample() -> Parsed:
    return read("javascript", "shop.js", SAMPLE)


def test_definitions_are_told_in_order_with_kind_and_container() -> None:
    assert not sample().errors
    assert outline(sample()) == [
        "class Shop",
        "field Shop.limit",
        "field Shop.#secret",
        "constructor Shop.constructor",
        "method Shop.open",
        "method Shop.items",
        "method Shop.#hide",
        "method Shop.handler",
        "function add",
        "function add.inner",
        "constant LIMIT",
        "variable count",
        "function old",
        "function old.named",
        "function walk",
        "method Shop.sell",
        "function Shop.create",
        "function open",
        "constant api",
        "method api.list",
        "method api.drop",
        "method api.quoted",
        "constant first",
        "constant other",
    ]


def test_what_is_not_meant_for_others_is_told_so() -> None:
    assert hidden(sample()) == {
        "Shop.#hide",
        "Shop.#secret",
        "Shop.create",
        "Shop.sell",
        "add.inner",
        "api",
        "api.drop",
        "api.list",
        "api.quoted",
        "count",
        "old",
        "old.named",
    }


def test_documentation_stands_above_or_opens_the_body() -> None:
    assert define(sample(), "Shop").doc == "Sells things. @returns nothing"
    assert define(sample(), "add").doc == "Adds."


def test_a_signature_ends_where_the_body_begins() -> None:
    assert define(sample(), "Shop").signature == "class Shop extends Base"
    assert define(sample(), "add").signature == "add = async (a, b) =>"
    assert define(sample(), "Shop.handler").signature == "handler = () =>"
    assert define(sample(), "Shop.sell").signature == "Shop.prototype.sell = function (thing)"


def test_a_definition_covers_its_lines_with_what_is_attached() -> None:
    assert lines(sample(), "Shop") == (11, 19)
    assert lines(sample(), "add") == (22, 25)


def test_uses_are_told_by_their_kind() -> None:
    assert uses(sample(), "call") == {"Item", "Sum", "ask", "run"}
    assert uses(sample(), "inherit") == {"Base"}


def test_imports_name_their_modules_and_what_is_taken_from_them() -> None:
    assert imports(sample()) == {
        "./http": ("http", "get", "put"),
        "fs": (),
        "path": ("join",),
        "os": (),
        "./re": ("a", "b"),
    }
