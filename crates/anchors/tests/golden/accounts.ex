defmodule MyApp.Accounts do
  @moduledoc """
  Accounts.
  """

  use Ecto.Schema
  alias MyApp.Repo

  @timeout 5_000

  defstruct [:name, age: 0]

  @type t :: %__MODULE__{name: String.t()}

  @doc """
  Finds a user.
  """
  @spec get(integer()) :: t() | nil
  def get(id) when is_integer(id) do
    Repo.get(User, id)
  end

  def get(id) when is_binary(id) do
    id |> String.to_integer() |> get()
  end

  # One line.
  def all, do: Repo.all(User)

  def list(opts \\ []) do
    Enum.map(opts, fn x -> x end)
  end

  defp secret(%{name: name} = user, _opts), do: {name, user}

  def a + b, do: {a, b}

  defmacro trace(expr) do
    quote do
      IO.inspect(unquote(expr))
    end
  end

  defguard is_adult(age) when age >= 18

  defdelegate size(map), to: Map

  def valid?(user), do: user.age > 0

  def save!(user) do
    user
  end

  defmodule User do
    def changeset(user, attrs) do
      {user, attrs}
    end

    defmodule Query do
      def by_name(name), do: name
    end
  end
end

defprotocol MyApp.Size do
  @doc "How large."
  def size(data)
end

defimpl MyApp.Size, for: Map do
  def size(map), do: map_size(map)
end

defimpl MyApp.Size, for: List do
  def size(list), do: length(list)
end

defmodule MyApp.AccountsTest do
  use ExUnit.Case

  describe "get/1" do
    test "finds a user", %{conn: conn} do
      assert conn
    end
  end

  test "plain" do
    assert true
  end
end
