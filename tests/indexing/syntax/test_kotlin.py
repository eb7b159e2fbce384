"""Kotlin: classes with constructor properties, enums, objects, extensions."""

from __future__ import annotations

from tests.support.syntax import outline, read


def test_an_extension_of_a_type_with_parameters_has_it_as_container() -> None:
    message = read("kotlin", "a.kt", "fun <T> List<T>.second(): T = this[1]\nfun A?.b() {}\n")
    assert outline(message) == ["function List.second", "function A.b"]


def test_members_of_an_object_expression_are_methods() -> None:
    source = "fun a() {\n  val b = object : Runnable {\n    override fun run() {}\n  }\n}\n"
    assert outline(read("kotlin", "a.kt", source)) == ["function a", "method a.run"]


def test_a_class_under_several_annotations_is_reported() -> None:
    source = "import a.B\n\n@A(B::class)\n@C\nclass D {\n  fun e() {}\n}\n"
    assert "class D" in outline(read("kotlin", "a.kt", source))
