"""Julia: modules, types, functions in both ways of writing them, and files that are included."""

from __future__ import annotations

from tests.support.code_graph import edges
from tests.support.syntax import hidden, imports, outline, read

SOURCE = """
module Shop
using LinearAlgebra: norm
import Base.show
include("till.jl")

\"\"\"A cart.\"\"\"
struct Cart
    items::Vector{Int}
end

# Adds one.
function add(c::Cart, x)
    push!(c.items, x)
end

twice(c) = add(c, 2)
const MOST = 3
export add, Cart
end
"""


def test_definitions_are_told_with_kind_and_container() -> None:
    assert outline(read("julia", "Shop.jl", SOURCE)) == [
        "module Shop",
        "struct Shop.Cart",
        "function Shop.add",
        "function Shop.twice",
        "constant Shop.MOST",
    ]


def test_signature_and_documentation() -> None:
    found = {one.name: one for one in read("julia", "Shop.jl", SOURCE).definitions}
    assert (found["add"].signature, found["add"].doc) == ("function add(c::Cart, x)", "Adds one.")
    assert found["twice"].signature == "twice(c)"


def test_imports_name_their_modules_and_files() -> None:
    told = imports(read("julia", "Shop.jl", SOURCE))
    assert any("LinearAlgebra" in str(one) for one in told)
    assert any("till.jl" in str(one) for one in told)


def test_what_is_included_is_known() -> None:
    files = {
        "src/Shop.jl": 'include("till.jl")\nfunction go()\n    pay(1)\nend\n',
        "src/till.jl": "function pay(x)\n    x\nend\n",
    }
    assert {(one.kind, one.target_path, one.target) for one in edges(files)} == {
        ("import", "src/till.jl", ""),
        ("call", "src/till.jl", "pay"),
    }


def test_all_is_for_others_in_a_module_and_where_nothing_is_listed() -> None:
    assert hidden(read("julia", "a.jl", "f(x) = x\n")) == set()
