"""Ruby: modules, classes, made classes, attributes, aliases, what follows `private`."""

from __future__ import annotations

from tests.support.syntax import define, hidden, outline, read, uses


def test_made_classes_and_their_parents() -> None:
    message = read(
        "ruby", "a.rb", "Gone = Class.new(Store::Error)\nTools = Module.new\nA, B = 1, 2\n"
    )
    assert outline(message) == ["class Gone", "module Tools", "constant A", "constant B"]
    assert uses(message, "inherit") == {"Error"}


def test_private_stated_of_one_method_hides_that_one_alone() -> None:
    source = (
        "class A\n  private def b; end\n  def c; end\n  private_class_method def self.d; end\nend\n"
    )
    assert hidden(read("ruby", "a.rb", source)) == {"A.b", "A.d"}


def test_bare_words_and_words_of_the_language_are_no_calls() -> None:
    message = read("ruby", "a.rb", "def a(b)\n  c = b\n  puts c\n  raise d\n  b.e\n  f(1)\nend\n")
    assert uses(message, "call") == {"e", "f"}


def test_comments_are_no_part_of_a_signature() -> None:
    message = read(
        "ruby",
        "a.rb",
        "module A # Note.\n  # Says b.\n  def b(c, # Why.\n        d)\n    e\n  end\nend\n",
    )
    assert define(message, "A").signature == "module A"
    assert define(message, "A.b").signature == "def b(c, d)"


def test_an_alias_is_reported_by_a_symbol_and_by_a_writer_too() -> None:
    """From rack: lib/rack/files.rb and lib/rack/utils.rb."""
    message = read(
        "ruby", "a.rb", "class A\n  alias :to_path :path\n  alias limit= part_limit=\nend\n"
    )
    assert outline(message) == ["class A", "method A.to_path", "method A.limit="]
