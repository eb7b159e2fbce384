"""Elixir: every definition is a call of a macro; clauses of one function are one definition."""

from __future__ import annotations

from tests.support.syntax import outline, read, uses


def test_tests_are_reported_with_what_they_describe() -> None:
    source = """
    defmodule ATest do
      describe "b/1" do
        test "c #{d}", %{e: e} do
          b(e)
        end
      end
    end
    """
    message = read("elixir", "test/a_test.exs", source)
    assert outline(message) == ["module ATest", "section ATest.b/1", "test ATest.b/1.c #{d}"]
    assert uses(message, "call") == {"b"}


def test_a_field_of_a_value_is_no_call() -> None:
    message = read("elixir", "a.ex", "defmodule A do\n  def b(c), do: c.d + E.f + c.g()\nend\n")
    assert uses(message, "call") == {"f", "g"}


def test_operators_are_reported_with_and_without_a_guard() -> None:
    """From elixir's lib/elixir/lib/kernel.ex."""
    source = """\
defmodule Kernel do
  def left === right do
    :erlang."=:="(left, right)
  end

  def base ** exponent when is_integer(base) do
    integer_pow(base, 1, exponent)
  end
end
"""
    assert outline(read("elixir", "kernel.ex", source)) == [
        "module Kernel",
        "function Kernel.===",
        "function Kernel.**",
    ]


def test_a_callback_is_informed_without_arguments_too() -> None:
    source = "defmodule A do\n  @callback b :: any\n  @callback c(d) :: any\nend\n"
    assert outline(read("elixir", "a.ex", source)) == ["module A", "method A.b", "method A.c"]
