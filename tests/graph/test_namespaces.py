"""Names that are known by their namespace: C#, Scala, Swift; and the tables of Lua."""

from __future__ import annotations

from tests.support.code_graph import edges

CSHARP = {
    "src/Core/Cart.cs": (
        "namespace Shop.Core;\n"
        "public partial class Cart { public int Add(int x) { return Check(x); } }\n"
    ),
    "src/Core/Cart.Checks.cs": (
        "namespace Shop.Core;\npublic partial class Cart { int Check(int x) => x; }\n"
    ),
    "src/Money.cs": "namespace Shop { public static class Money { static void Round() {} } }\n",
    "src/Other.cs": "namespace Elsewhere { public class Cart { public int Add(int x) => x; } }\n",
    "app/Program.cs": (
        "using Shop.Core;\nusing static Shop.Money;\nusing Till = Shop.Core.Cart;\n"
        "namespace App;\n"
        "class Program {\n"
        "  Cart cart = new Cart();\n"
        "  void Go() { cart.Add(1); Money.Round(); Round(); }\n"
        "  void Pay(Till till) { till.Add(2); }\n"
        "}\n"
    ),
}


def calls(files: dict[str, str], path: str) -> set[tuple[int, str, str]]:
    return {
        (edge.line, edge.target_path, edge.target)
        for edge in edges(files, "call")
        if edge.source_path == path
    }


def test_csharp_knows_types_by_namespace_and_its_parts_in_other_files() -> None:
    assert calls(CSHARP, "app/Program.cs") == {
        (6, "src/Core/Cart.cs", "Shop.Core.Cart"),
        (7, "src/Core/Cart.cs", "Shop.Core.Cart.Add"),
        (7, "src/Money.cs", "Shop.Money.Round"),
        (8, "src/Core/Cart.cs", "Shop.Core.Cart.Add"),
    }
    assert calls(CSHARP, "src/Core/Cart.cs") == {
        (2, "src/Core/Cart.Checks.cs", "Shop.Core.Cart.Check")
    }


def test_a_using_leads_to_the_folder_of_the_namespace_whatever_it_is_called() -> None:
    imports = {(edge.line, edge.target_path) for edge in edges(CSHARP, "import") if not edge.target}
    assert imports == {(1, "src/Core/"), (2, "src/Money.cs"), (3, "src/Core/Cart.cs")}


def test_two_types_of_one_name_in_one_folder_are_not_guessed_between() -> None:
    files = {
        "A.cs": "namespace S; public class Box { }\n",
        "Box2.cs": "namespace S; public class Box<T> { }\n",
        "Use.cs": "namespace S; class Use { void Go() { new Box<int>(); } }\n",
    }
    assert calls(files, "Use.cs") == set()


def test_an_attribute_is_no_member_of_its_class() -> None:
    files = {
        "T.cs": "namespace S;\nclass T {\n  [Test]\n  public void Go() { }\n  void Test() { }\n}\n"
    }
    assert edges(files, "decorator") == []


SCALA = {
    "core/src/main/scala/shop/Cart.scala": (
        "package shop\n\nclass Cart {\n  def add(x: Int): Int = x\n}\n"
        "object Cart {\n  def empty: Cart = new Cart\n}\n"
    ),
    "core/src/main/scala/shop/inner/Deep.scala": (
        "package shop\npackage inner\n\nobject Deep {\n  def go(c: Cart): Int = c.add(1)\n}\n"
    ),
    "app/Main.scala": (
        "package app\n\nimport shop.{ Cart => Basket, inner }\nimport shop.inner._\n\n"
        "object Main {\n  def run(b: Basket): Int = b.add(2)\n  def deep() = Deep.go(null)\n}\n"
    ),
}


def test_scala_knows_names_by_the_package_that_a_file_declares() -> None:
    cart = "core/src/main/scala/shop/Cart.scala"
    deep = "core/src/main/scala/shop/inner/Deep.scala"
    assert (5, cart, "Cart.add") in calls(SCALA, deep)
    assert calls(SCALA, "app/Main.scala") == {(7, cart, "Cart.add"), (8, deep, "Deep.go")}


SWIFT = {
    "Sources/Shop/Cart.swift": "public struct Cart {\n  func add(_ x: Int) -> Int { x }\n}\n",
    "Sources/Shop/More.swift": "extension Cart {\n  func twice() -> Int { add(2) }\n}\n",
    "Sources/Other/Cart.swift": "struct Cart {\n  func add(_ x: Int) -> Int { x }\n}\n",
    "Tests/ShopTests/CartTests.swift": (
        "import Shop\n\nfunc check() {\n  let cart = Cart()\n  cart.add(1)\n  cart.twice()\n}\n"
    ),
}


def test_swift_knows_the_names_of_its_module_and_of_those_it_imports() -> None:
    own, more = "Sources/Shop/Cart.swift", "Sources/Shop/More.swift"
    assert calls(SWIFT, "Tests/ShopTests/CartTests.swift") == {
        (4, own, "Cart"),
        (5, own, "Cart.add"),
        (6, more, "Cart.twice"),
    }
    imported = [edge for edge in edges(SWIFT, "import") if not edge.target]
    assert [(item.line, item.target_path) for item in imported] == [(1, "Sources/Shop/")]


LUA = {
    "lua/shop/cart.lua": (
        "local M = {}\nfunction M.add(x) return x end\n"
        "function M:twice() return self.add(2) end\nreturn M\n"
    ),
    "lua/shop/init.lua": (
        'local Cart = require("shop.cart")\n'
        'local add = require("shop.cart").add\n'
        'local function late() return require("shop.cart") end\n'
        "Cart.add(1)\nadd.add(2)\n"
    ),
}


def test_lua_knows_the_table_that_a_file_returns() -> None:
    cart = "lua/shop/cart.lua"
    assert calls(LUA, "lua/shop/init.lua") == {(4, cart, "M.add")}
    assert calls(LUA, cart) == {(3, cart, "M.add")}
    imported = [
        (edge.line, edge.kind, edge.target_path) for edge in edges(LUA) if "import" in edge.kind
    ]
    assert (1, "import", cart) in imported
    assert (3, "late-import", cart) in imported
