"""Zig: types are constants whose value is a container."""

from __future__ import annotations

from tests.support.syntax import imports, outline, read


def test_a_union_of_errors_is_an_enum_and_an_import_is_no_constant() -> None:
    source = 'const a = @import("a.zig");\npub const Failure = error{Full} || a.Failure;\n'
    message = read("zig", "a.zig", source)
    assert outline(message) == ["enum Failure"]
    assert imports(message) == {"a.zig": ()}


def test_members_of_a_returned_type_belong_to_its_function() -> None:
    source = """
    pub fn List(comptime T: type) type {
        return struct { items: []T, pub fn add() void {} };
    }
    """
    message = read("zig", "a.zig", source)
    assert outline(message) == ["function List", "field List.items", "method List.add"]
