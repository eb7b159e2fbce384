"""Kotlin: classes with constructor properties, enums, objects, extensions."""

from __future__ import annotations

from functools import cache

from gitmem.indexing.syntax.values import Parsed
from tests.support.syntax import define, hidden, imports, lines, outline, read, uses

SAMPLE = """\
package shop.core

import shop.store.Disk
import shop.store.*

/** A person. */
@Entity("users")
open class User<T>(val name: String, private var age: Int, plain: Int) : Base(plain), Named {
  companion object {
    const val LIMIT = 10
    fun create(): User<Int> = User("x", 1, 2)
  }

  private val store: Disk by lazy { Disk.open(name) }

  constructor(name: String) : this(name, 0, 0)

  /** Greets. */
  override fun greet(other: User<T>): Reply? {
    val local = 1
    other.answer(local)
    return null
  }

  internal fun hidden() {}
}

sealed interface Named {
  fun greet(other: User<Int>): Reply?
}

enum class Color(val code: Int) {
  RED(1),
  GREEN(2);

  fun dark() = Color.RED
}

object Registry {
  fun all() {}
}

typealias Reader = (String) -> Unit

fun String.shout(): String = uppercase()

val String.half: Int get() = length / 2

fun top() {
  fun inner() {}
}
"""


@cache
def sample() -> Parsed:
    return read("kotlin", "User.kt", SAMPLE)


def test_definitions_are_told_in_order_with_kind_and_container() -> None:
    assert not sample().errors
    assert outline(sample()) == [
        "namespace shop.core",
        "class User",
        "property User.name",
        "property User.age",
        "constant User.LIMIT",
        "method User.create",
        "property User.store",
        "constructor User.constructor",
        "method User.greet",
        "method User.hidden",
        "interface Named",
        "method Named.greet",
        "enum Color",
        "property Color.code",
        "member Color.RED",
        "member Color.GREEN",
        "method Color.dark",
        "object Registry",
        "method Registry.all",
        "type Reader",
        "function String.shout",
        "variable String.half",
        "function top",
        "function top.inner",
    ]


def test_what_is_not_for_others() -> None:
    assert hidden(sample()) == {"User.age", "User.hidden", "User.store", "top.inner"}


def test_a_comment_above_is_the_documentation() -> None:
    assert define(sample(), "User").doc == "A person."
    assert define(sample(), "User.greet").doc == "Greets."


def test_a_signature_ends_where_the_body_begins() -> None:
    assert define(sample(), "User.greet").signature == "override fun greet(other: User<T>): Reply?"
    assert define(sample(), "String.half").signature == "val String.half: Int"
    assert define(sample(), "String.shout").signature == "fun String.shout(): String"


def test_a_definition_covers_its_lines() -> None:
    assert lines(sample(), "User") == (7, 26)


def test_uses_are_told_by_their_kind() -> None:
    assert uses(sample(), "call") == {"User", "answer", "lazy", "open", "uppercase"}
    assert uses(sample(), "type") == {
        "Color",
        "Disk",
        "Entity",
        "Int",
        "Reply",
        "String",
        "Unit",
        "User",
    }
    assert uses(sample(), "inherit") == {"Base", "Named"}
    assert uses(sample(), "decorator") == {"Entity"}


def test_imports_name_their_modules() -> None:
    assert imports(sample()) == {"shop.store.Disk": (), "shop.store": ()}


def test_an_extension_of_a_type_with_parameters_has_it_as_container() -> None:
    said = read("kotlin", "a.kt", "fun <T> List<T>.second(): T = this[1]\nfun A?.b() {}\n")
    assert outline(said) == ["function List.second", "function A.b"]


def test_members_of_an_object_expression_are_methods() -> None:
    source = "fun a() {\n  val b = object : Runnable {\n    override fun run() {}\n  }\n}\n"
    assert outline(read("kotlin", "a.kt", source)) == ["function a", "method a.run"]


def test_a_class_under_several_annotations_is_told() -> None:
    source = "import a.B\n\n@A(B::class)\n@C\nclass D {\n  fun e() {}\n}\n"
    assert "class D" in outline(read("kotlin", "a.kt", source))
