"""Lua: functions of tables, assigned functions, what is local."""

from __future__ import annotations

from tests.support.syntax import outline, read


def test_a_function_of_a_nested_table_has_its_whole_path_as_container() -> None:
    message = read(
        "lua", "a.lua", "function a.b.c() end\na.b.d = function() end\nfunction a.b:e() end\n"
    )
    assert outline(message) == ["function a.b.c", "function a.b.d", "method a.b.e"]


def test_local_values_of_functions_are_not_reported() -> None:
    message = read(
        "lua", "a.lua", "local function a()\n  local b = {}\n  b.c = 1\n  return b\nend\n"
    )
    assert outline(message) == ["function a"]


def test_a_function_set_by_a_quoted_key_is_reported() -> None:
    assert outline(read("lua", "a.lua", 'M["b-c"] = function() end\n')) == ["function M.b-c"]
