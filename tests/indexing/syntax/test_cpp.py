"""C++: classes and their members, in them and outside; templates, namespaces."""

from __future__ import annotations

from tests.support.syntax import outline, read


def test_a_header_is_cpp_where_it_says_so() -> None:
    assert outline(read("c", "a.h", "class A {\n public:\n  int f();\n};\n")) == [
        "class A",
        "method A.f",
    ]
    assert outline(read("c", "a.h", "int class(int template);\n")) == ["function class"]
