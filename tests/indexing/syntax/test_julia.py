"""Julia: modules, types, functions in both ways of writing them, and files that are included."""

from __future__ import annotations

from tests.support.code_graph import edges
from tests.support.syntax import hidden, read


def test_what_is_included_is_known() -> None:
    files = {
        "src/Shop.jl": 'include("till.jl")\nfunction go()\n    pay(1)\nend\n',
        "src/till.jl": "function pay(x)\n    x\nend\n",
    }
    assert {(edge.kind, edge.target_path, edge.target) for edge in edges(files)} == {
        ("import", "src/till.jl", ""),
        ("call", "src/till.jl", "pay"),
    }


def test_all_is_for_others_in_a_module_and_where_nothing_is_listed() -> None:
    assert hidden(read("julia", "a.jl", "f(x) = x\n")) == set()
