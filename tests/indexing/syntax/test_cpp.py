"""C++: classes and their members, in them and outside; templates, namespaces."""

from __future__ import annotations

from functools import cache

from gitmem.indexing.syntax.values import Parsed
from tests.support.syntax import define, hidden, imports, lines, outline, read, uses

SAMPLE = """\
#include <vector>
using namespace std;
BEGIN_NAMESPACE
namespace shop {

/// Sells things.
template <typename T>
class Shop : public Base<T>, private ns::Door {
 public:
  Shop();
  explicit Shop(int x) : x_(x) {}
  ~Shop();
  virtual int sell(const Thing& t) const = 0;
  Shop& operator=(const Shop& o);
  static int count;
  template <class U> void each(U u) { run<U>(u); std::sort(u); u.ask(); }
  enum class Color { Red, Green };
  using Id = int;

 private:
  int x_;
  Thing& ref_;
};

}  // namespace shop

int shop::Shop<int>::sell(const Thing& t) const { return new Sum(t), 1; }
void Shop::close() {}
static void hidden() {}
struct Point { int x; };
concept Sized = true;
"""


@cache
def sample() -> Parsed:
    return read("cpp", "shop.cpp", SAMPLE)


def test_definitions_are_told_in_order_with_kind_and_container() -> None:
    assert not sample().errors
    assert outline(sample()) == [
        "namespace shop",
        "class shop.Shop",
        "constructor shop.Shop.Shop",
        "constructor shop.Shop.Shop",
        "method shop.Shop.~Shop",
        "method shop.Shop.sell",
        "method shop.Shop.operator=",
        "field shop.Shop.count",
        "method shop.Shop.each",
        "enum shop.Shop.Color",
        "constant shop.Shop.Color.Red",
        "constant shop.Shop.Color.Green",
        "type shop.Shop.Id",
        "field shop.Shop.x_",
        "field shop.Shop.ref_",
        "method shop.Shop.sell",
        "method Shop.close",
        "function hidden",
        "struct Point",
        "field Point.x",
        "type Sized",
    ]


def test_what_is_not_meant_for_others_is_told_so() -> None:
    assert hidden(sample()) == {
        "hidden",
    }


def test_documentation_stands_above_or_opens_the_body() -> None:
    assert define(sample(), "shop.Shop").doc == "Sells things."


def test_a_signature_ends_where_the_body_begins() -> None:
    assert (
        define(sample(), "shop.Shop").signature == "class Shop : public Base<T>, private ns::Door"
    )
    assert define(sample(), "shop.Shop.operator=").signature == "Shop& operator=(const Shop& o)"
    assert define(sample(), "shop.Shop.each").signature == "void each(U u)"


def test_a_definition_covers_its_lines_with_what_is_attached() -> None:
    assert lines(sample(), "shop") == (4, 25)
    assert lines(sample(), "shop.Shop") == (7, 23)


def test_uses_are_told_by_their_kind() -> None:
    assert uses(sample(), "call") == {"Sum", "ask", "run", "sort"}
    assert uses(sample(), "type") == {"Shop", "Sum", "Thing"}
    assert uses(sample(), "inherit") == {"Base", "Door"}


def test_imports_name_their_modules_and_what_is_taken_from_them() -> None:
    assert imports(sample()) == {
        "vector": (),
        "std": (),
    }


def test_a_header_is_cpp_where_it_says_so() -> None:
    assert outline(read("c", "a.h", "class A {\n public:\n  int f();\n};\n")) == [
        "class A",
        "method A.f",
    ]
    assert outline(read("c", "a.h", "int class(int template);\n")) == ["function class"]
