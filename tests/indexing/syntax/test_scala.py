"""Scala 2 and 3: classes with their companions, traits, enums, givens, extensions."""

from __future__ import annotations

from functools import cache

from gitmem.indexing.syntax.values import Parsed
from tests.support.syntax import define, hidden, imports, lines, outline, read, uses

SAMPLE = """\
package shop.core

import cats.data.Validated
import shop.store.{Disk, Memory => Ram}

/** A person. */
final case class User[A](name: String, private val age: Int)(implicit e: Encoder[A])
    extends Base(name)
    with Named {
  val limit: Int = 10
  private[this] var seen = 0

  // Greets.
  @tailrec
  def greet(other: User[A]): Greeting = {
    val local = compute(1)
    def inner = local
    other.answer(inner)
    new Greeting(name)
  }
  protected def hide(): Unit = ()
}

object User {
  type Id = Int
  implicit val order: Ordering[Int] = derive[Int]
  def apply(name: String): User[Int] = ???
}

sealed trait Named { def name: String }

enum Color(val code: Int) derives Show {
  case Red extends Color(1)
  case Green, Blue
}

extension (text: String)
  def shout: String = text.toUpperCase
  def whisper: String = text

def top(x: Int): Int = x
"""


@cache
def sample() -> Parsed:
    return read("scala", "User.scala", SAMPLE)


def test_definitions_are_told_in_order_with_kind_and_container() -> None:
    assert not sample().errors
    assert outline(sample()) == [
        "namespace shop.core",
        "class User",
        "property User.name",
        "property User.age",
        "field User.limit",
        "field User.seen",
        "method User.greet",
        "function User.greet.inner",
        "method User.hide",
        "object User",
        "type User.Id",
        "field User.order",
        "method User.apply",
        "trait Named",
        "method Named.name",
        "enum Color",
        "property Color.code",
        "member Color.Red",
        "member Color.Green",
        "member Color.Blue",
        "method String.shout",
        "method String.whisper",
        "function top",
    ]


def test_what_is_not_for_others() -> None:
    assert hidden(sample()) == {"User.age", "User.greet.inner", "User.hide", "User.seen"}


def test_a_comment_above_is_the_documentation() -> None:
    assert define(sample(), "Named").doc == ""
    assert define(sample(), "User.greet").doc == "Greets."


def test_a_signature_ends_where_the_body_begins() -> None:
    assert define(sample(), "Named").signature == "sealed trait Named"
    assert define(sample(), "User.greet").signature == "def greet(other: User[A]): Greeting"
    assert define(sample(), "User.apply").signature == "def apply(name: String): User[Int]"


def test_a_definition_covers_its_lines() -> None:
    assert lines(sample(), "User.greet") == (14, 20)


def test_uses_are_told_by_their_kind() -> None:
    assert uses(sample(), "call") == {"answer", "compute", "derive"}
    assert uses(sample(), "type") == {
        "Encoder",
        "Greeting",
        "Int",
        "Ordering",
        "String",
        "Unit",
        "User",
    }
    assert uses(sample(), "inherit") == {"Base", "Color", "Named", "Show"}
    assert uses(sample(), "decorator") == {"tailrec"}


def test_imports_name_their_modules() -> None:
    assert imports(sample()) == {
        "cats.data.Validated": (),
        "shop.store": (
            "Disk",
            "Memory",
        ),
    }


def test_a_given_contains_what_it_defines() -> None:
    source = "given order: Ordering[Int] with\n  def compare(a: Int, b: Int) = a - b\n"
    assert outline(read("scala", "a.scala", source)) == ["object order", "method order.compare"]


def test_local_values_are_not_told() -> None:
    said = read(
        "scala",
        "a.scala",
        "object A {\n  def b = {\n    val c = 1\n    c\n  }\n  val (d, e) = f\n}\n",
    )
    assert outline(said) == ["object A", "method A.b", "field A.d", "field A.e"]


def test_a_definition_ends_with_its_last_word() -> None:
    source = "object A:\n  def b =\n    1\n\n  // Says c.\n  def c = 2\n\n\ndef d = 3\n"
    said = read("scala", "a.scala", source)
    assert [lines(said, one) for one in ("A", "A.b", "A.c", "d")] == [
        (1, 6),
        (2, 3),
        (6, 6),
        (9, 9),
    ]
