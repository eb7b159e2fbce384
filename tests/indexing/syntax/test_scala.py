"""Scala 2 and 3: classes with their companions, traits, enums, givens, extensions."""

from __future__ import annotations

from tests.support.syntax import lines, outline, read


def test_a_given_contains_what_it_defines() -> None:
    source = "given order: Ordering[Int] with\n  def compare(a: Int, b: Int) = a - b\n"
    assert outline(read("scala", "a.scala", source)) == ["object order", "method order.compare"]


def test_local_values_are_not_reported() -> None:
    message = read(
        "scala",
        "a.scala",
        "object A {\n  def b = {\n    val c = 1\n    c\n  }\n  val (d, e) = f\n}\n",
    )
    assert outline(message) == ["object A", "method A.b", "field A.d", "field A.e"]


def test_a_definition_ends_with_its_last_word() -> None:
    source = "object A:\n  def b =\n    1\n\n  // Says c.\n  def c = 2\n\n\ndef d = 3\n"
    message = read("scala", "a.scala", source)
    assert [lines(message, item) for item in ("A", "A.b", "A.c", "d")] == [
        (1, 6),
        (2, 3),
        (6, 6),
        (9, 9),
    ]
