"""Lua: functions of tables, assigned functions, what is local."""

from __future__ import annotations

from functools import cache

from gitmem.indexing.syntax.values import Parsed
from tests.support.syntax import define, hidden, imports, lines, outline, read, uses

SAMPLE = """\
local M = {}
local util = require("shop.util")
require "shop.setup"

M.limit = 10

--- Opens a cart.
---@param name string
function M.open(name)
  util.log(name)
  return M:check(name)
end

function M:check(name)
  return setmetatable({}, { __index = M })
end

M.close = function()
  helper()
end

local function helper() end

function shout() end

local Handlers = {
  add = function(line) end,
  ["remove"] = function(line) end,
}

return M
"""


@cache
def sample() -> Parsed:
    return read("lua", "cart.lua", SAMPLE)


def test_definitions_are_told_in_order_with_kind_and_container() -> None:
    assert not sample().errors
    assert outline(sample()) == [
        "variable M",
        "field M.limit",
        "function M.open",
        "method M.check",
        "function M.close",
        "function helper",
        "function shout",
        "variable Handlers",
        "function Handlers.add",
        "function Handlers.remove",
    ]


def test_what_is_not_for_others() -> None:
    assert hidden(sample()) == {"Handlers", "M", "helper"}


def test_a_comment_above_is_the_documentation() -> None:
    assert define(sample(), "M.open").doc == "Opens a cart. @param name string"


def test_a_signature_ends_where_the_body_begins() -> None:
    assert define(sample(), "M.open").signature == "function M.open(name)"
    assert define(sample(), "M.close").signature == "M.close = function()"


def test_a_definition_covers_its_lines() -> None:
    assert lines(sample(), "M.check") == (14, 16)


def test_uses_are_told_by_their_kind() -> None:
    assert uses(sample(), "call") == {"check", "helper", "log"}


def test_imports_name_their_modules() -> None:
    assert imports(sample()) == {"shop.util": (), "shop.setup": ()}


def test_a_function_of_a_nested_table_has_its_whole_path_as_container() -> None:
    said = read(
        "lua", "a.lua", "function a.b.c() end\na.b.d = function() end\nfunction a.b:e() end\n"
    )
    assert outline(said) == ["function a.b.c", "function a.b.d", "method a.b.e"]


def test_local_values_of_functions_are_not_told() -> None:
    said = read("lua", "a.lua", "local function a()\n  local b = {}\n  b.c = 1\n  return b\nend\n")
    assert outline(said) == ["function a"]


def test_a_function_set_by_a_quoted_key_is_told() -> None:
    assert outline(read("lua", "a.lua", 'M["b-c"] = function() end\n')) == ["function M.b-c"]
