"""Ruby: modules, classes, made classes, attributes, aliases, what follows `private`."""

from __future__ import annotations

from functools import cache

from gitmem.indexing.syntax.values import Parsed
from tests.support.syntax import define, hidden, imports, lines, outline, read, uses

SAMPLE = """\
require "json"
require_relative "store/disk"

# Everything that keeps things.
module Shop
  VERSION = "1.2"
  Point = Struct.new(:x, :y) do
    def far?; end
  end

  # A cart of lines.
  # It is not shared.
  class Cart < Store::Base
    include Comparable
    autoload :Line, "shop/line"
    attr_reader :lines, :owner

    def initialize(owner, lines: [])
      @owner = owner
      log_it
      Store::Disk.open(owner).each { |line| add(line) }
    end

    def self.load(path) = new(JSON.parse(path))

    def <=>(other)
      total <=> other.total
    end
    alias_method :compare, :<=>

    private

    def recount
      raise Store::Broken, "no"
    end
  end

  class Cart::Line; end
end

def main(args)
  Shop::Cart.load(args.first)
end
"""


@cache
def sample() -> Parsed:
    return read("ruby", "shop.rb", SAMPLE)


def test_definitions_are_told_in_order_with_kind_and_container() -> None:
    assert not sample().errors
    assert outline(sample()) == [
        "module Shop",
        "constant Shop.VERSION",
        "class Shop.Point",
        "method Shop.Point.far?",
        "class Shop.Cart",
        "property Shop.Cart.lines",
        "property Shop.Cart.owner",
        "constructor Shop.Cart.initialize",
        "method Shop.Cart.load",
        "method Shop.Cart.<=>",
        "method Shop.Cart.compare",
        "method Shop.Cart.recount",
        "class Shop.Cart.Line",
        "function main",
    ]


def test_what_is_not_for_others() -> None:
    assert hidden(sample()) == {"Shop.Cart.recount"}


def test_a_comment_above_is_the_documentation() -> None:
    assert define(sample(), "Shop.Cart").doc == "A cart of lines. It is not shared."


def test_a_signature_ends_where_the_body_begins() -> None:
    assert define(sample(), "Shop.Cart").signature == "class Cart < Store::Base"
    assert define(sample(), "Shop.Cart.load").signature == "def self.load(path)"
    assert define(sample(), "Shop.Cart.lines").signature == "attr_reader :lines, :owner"


def test_a_definition_covers_its_lines() -> None:
    assert lines(sample(), "Shop.Cart.initialize") == (18, 22)


def test_uses_are_told_by_their_kind() -> None:
    assert uses(sample(), "call") == {
        "add",
        "each",
        "first",
        "load",
        "new",
        "open",
        "parse",
        "total",
    }
    assert uses(sample(), "type") == {"Broken", "Cart", "Disk", "JSON", "Struct"}
    assert uses(sample(), "inherit") == {"Base", "Comparable"}


def test_imports_name_their_modules() -> None:
    assert imports(sample()) == {"json": (), "store/disk": (), "shop/line": ("Line",)}


def test_made_classes_and_their_parents() -> None:
    said = read("ruby", "a.rb", "Gone = Class.new(Store::Error)\nTools = Module.new\nA, B = 1, 2\n")
    assert outline(said) == ["class Gone", "module Tools", "constant A", "constant B"]
    assert uses(said, "inherit") == {"Error"}


def test_private_said_of_one_method_hides_that_one_alone() -> None:
    source = (
        "class A\n  private def b; end\n  def c; end\n  private_class_method def self.d; end\nend\n"
    )
    assert hidden(read("ruby", "a.rb", source)) == {"A.b", "A.d"}


def test_bare_words_and_words_of_the_language_are_no_calls() -> None:
    said = read("ruby", "a.rb", "def a(b)\n  c = b\n  puts c\n  raise d\n  b.e\n  f(1)\nend\n")
    assert uses(said, "call") == {"e", "f"}


def test_comments_are_no_part_of_a_signature() -> None:
    said = read(
        "ruby",
        "a.rb",
        "module A # Note.\n  # Says b.\n  def b(c, # Why.\n        d)\n    e\n  end\nend\n",
    )
    assert define(said, "A").signature == "module A"
    assert define(said, "A.b").signature == "def b(c, d)"


def test_an_alias_is_told_by_a_symbol_and_by_a_writer_too() -> None:
    """From rack: lib/rack/files.rb and lib/rack/utils.rb."""
    said = read(
        "ruby", "a.rb", "class A\n  alias :to_path :path\n  alias limit= part_limit=\nend\n"
    )
    assert outline(said) == ["class A", "method A.to_path", "method A.limit="]
