defmodule Shop.Store do
  @callback fetch(id :: integer()) :: {:ok, t()} | :error
  @macrocallback trace(term) :: Macro.t()
  @type t :: %{name: String.t()}
  @typep pair(a) :: {a, a}
  @opaque token :: binary()

  require Record
  Record.defrecord(:user, name: nil)

  @doc "Sums."
  @spec sum(list()) :: integer()
  def sum(list, start \\ 0)

  def sum([], start), do: start
  def sum([one | rest], start), do: sum(rest, start + one)
end
