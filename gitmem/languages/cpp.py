"""C++: C with classes; a method may call another without naming the object."""

from __future__ import annotations

from gitmem.languages import c
from gitmem.model.frozen import replace

LANGUAGE = replace(
    c.LANGUAGE,
    name="cpp",
    written="C++",
    files="cc cpp cxx hpp hh hxx inl ipp tpp cu cuh",
    also="c++",
    wheel="tree_sitter_cpp",
    queries="cpp c_family",
    if_inside=None,
    calls={"call_expression": ("function",), "new_expression": ("type",)},
    members=frozenset({"field_expression", "qualified_identifier"}),
    bare_members=True,
)
