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
