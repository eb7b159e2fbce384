"""Elixir: every definition is a call of a macro; clauses of one function are one definition."""

from __future__ import annotations

from functools import cache

from gitmem.indexing.syntax.values import Parsed
from tests.support.syntax import define, hidden, imports, lines, outline, read, uses

SAMPLE = '''\
defmodule Shop.Cart do
  @moduledoc """
  A cart of lines.
  """
  use GenServer, restart: :temporary
  @behaviour Shop.Store
  alias Shop.{Line, Person}
  import Shop.Money, only: [sum: 1]

  @limit 10
  @type t :: %__MODULE__{lines: list}
  @callback price(t) :: integer

  defstruct [:owner, lines: []]

  @doc "Adds a line."
  @spec add(t, Line.t()) :: t
  def add(cart, %Line{} = line) when is_map(line) do
    cart |> check() |> Shop.Log.write(line)
    Enum.map(cart.lines, &price/1)
  end

  def add(cart, nil), do: cart

  defp check(cart), do: raise(Shop.Full, cart)

  defmacro twice(block) do
    quote do: unquote(block)
  end

  defdelegate total(cart), to: Shop.Money

  def left <~> right, do: {left, right}
end

defprotocol Shop.Size do
  def size(thing)
end

defimpl Shop.Size, for: Shop.Cart do
  def size(cart), do: length(cart.lines)
end
'''


@cache
def sample() -> Parsed:
    return read("elixir", "cart.ex", SAMPLE)


def test_definitions_are_told_in_order_with_kind_and_container() -> None:
    assert not sample().errors
    assert outline(sample()) == [
        "module Shop.Cart",
        "constant Shop.Cart.limit",
        "type Shop.Cart.t",
        "method Shop.Cart.price",
        "field Shop.Cart.owner",
        "field Shop.Cart.lines",
        "function Shop.Cart.add",
        "function Shop.Cart.check",
        "macro Shop.Cart.twice",
        "function Shop.Cart.total",
        "function Shop.Cart.<~>",
        "protocol Shop.Size",
        "method Shop.Size.size",
        "module Shop.Size.Shop.Cart",
        "function Shop.Size.Shop.Cart.size",
    ]


def test_what_is_not_for_others() -> None:
    assert hidden(sample()) == {"Shop.Cart.check", "Shop.Cart.limit"}


def test_a_comment_above_is_the_documentation() -> None:
    assert define(sample(), "Shop.Cart").doc == "A cart of lines."
    assert define(sample(), "Shop.Cart.add").doc == "Adds a line."


def test_a_signature_ends_where_the_body_begins() -> None:
    assert define(sample(), "Shop.Cart.add").signature == (
        "def add(cart, %Line{} = line) when is_map(line)"
    )
    assert define(sample(), "Shop.Cart.t").signature == "@type t :: %__MODULE__{lines: list}"


def test_a_definition_covers_its_lines() -> None:
    assert lines(sample(), "Shop.Cart.add") == (17, 23)


def test_uses_are_told_by_their_kind() -> None:
    assert uses(sample(), "call") == {
        "add",
        "check",
        "is_map",
        "length",
        "map",
        "price",
        "t",
        "write",
    }
    assert uses(sample(), "type") == {"Enum", "Line", "Shop.Full", "Shop.Log"}
    assert uses(sample(), "inherit") == {"GenServer", "Shop.Size", "Shop.Store"}


def test_imports_name_their_modules() -> None:
    assert imports(sample()) == {
        "GenServer": (),
        "Shop": (
            "Line",
            "Person",
        ),
        "Shop.Money": (),
    }


def test_tests_are_told_with_what_they_describe() -> None:
    source = """
    defmodule ATest do
      describe "b/1" do
        test "c #{d}", %{e: e} do
          b(e)
        end
      end
    end
    """
    said = read("elixir", "test/a_test.exs", source)
    assert outline(said) == ["module ATest", "section ATest.b/1", "test ATest.b/1.c #{d}"]
    assert uses(said, "call") == {"b"}


def test_a_field_of_a_value_is_no_call() -> None:
    said = read("elixir", "a.ex", "defmodule A do\n  def b(c), do: c.d + E.f + c.g()\nend\n")
    assert uses(said, "call") == {"f", "g"}


def test_operators_are_told_with_and_without_a_guard() -> None:
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


def test_a_callback_is_told_without_arguments_too() -> None:
    source = "defmodule A do\n  @callback b :: any\n  @callback c(d) :: any\nend\n"
    assert outline(read("elixir", "a.ex", source)) == ["module A", "method A.b", "method A.c"]
