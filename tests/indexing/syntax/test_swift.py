"""Swift: types, members, protocols, extensions, which give members to another type."""

from __future__ import annotations

from tests.support.syntax import hidden, outline, read


def test_what_a_public_extension_adds_is_public() -> None:
    message = read(
        "swift",
        "a.swift",
        "public extension A.B {\n  func c() {}\n}\nextension D { func e() {} }\n",
    )
    assert outline(message) == ["method A.B.c", "method D.e"]
    assert hidden(message) == {"D.e"}


def test_operators_are_functions_and_return_types_are_not() -> None:
    source = """
    struct A {
      static func == (a: A, b: A) -> Bool { true }
      func c() -> D<E> { f() }
    }
    """
    assert outline(read("swift", "a.swift", source)) == ["struct A", "method A.==", "method A.c"]
