"""C#: namespaces, types and their members."""

from __future__ import annotations

from functools import cache

from gitmem.indexing.syntax.values import Parsed
from tests.support.syntax import define, hidden, imports, lines, outline, read, uses

SAMPLE = """\
using System;
using static A.B;
using Text = System.Text;

namespace Acme.Shop;

/// <summary>Sells things.</summary>
[Serializable]
public abstract class Shop<T> : Base<T>, IOpen
{
    public const int Limit = 10;
    private readonly Clock clock, watch;
    public Shop(string name) : base(name) { }
    public int Price { get; set; }
    public event EventHandler Sold;

    // Sells.
    [Obsolete("x")]
    public override async Task<Receipt> Sell<U>(Thing thing)
    {
        int Inner(int z) => z;
        this.clock.Ask(new Sum());
        Run<Thing>(thing);
        return thing?.Close();
    }

    void Hidden() { }
}

interface IOpen { void Open(); }
enum Color { Red, Green = 2 }
struct Point { }
record Pair(int A, int B);
delegate void Handler(int x);
"""


@cache
def sample() -> Parsed:
    return read("csharp", "Shop.cs", SAMPLE)


def test_definitions_are_told_in_order_with_kind_and_container() -> None:
    assert not sample().errors
    assert outline(sample()) == [
        "namespace Acme.Shop",
        "class Acme.Shop.Shop",
        "constant Acme.Shop.Shop.Limit",
        "field Acme.Shop.Shop.clock",
        "field Acme.Shop.Shop.watch",
        "constructor Acme.Shop.Shop.Shop",
        "property Acme.Shop.Shop.Price",
        "property Acme.Shop.Shop.Sold",
        "method Acme.Shop.Shop.Sell",
        "function Acme.Shop.Shop.Sell.Inner",
        "method Acme.Shop.Shop.Hidden",
        "interface Acme.Shop.IOpen",
        "method Acme.Shop.IOpen.Open",
        "enum Acme.Shop.Color",
        "constant Acme.Shop.Color.Red",
        "constant Acme.Shop.Color.Green",
        "struct Acme.Shop.Point",
        "record Acme.Shop.Pair",
        "type Acme.Shop.Handler",
    ]


def test_what_is_not_meant_for_others_is_told_so() -> None:
    assert hidden(sample()) == {
        "Acme.Shop.Color",
        "Acme.Shop.Handler",
        "Acme.Shop.IOpen",
        "Acme.Shop.Pair",
        "Acme.Shop.Point",
        "Acme.Shop.Shop.Hidden",
        "Acme.Shop.Shop.Sell.Inner",
        "Acme.Shop.Shop.clock",
        "Acme.Shop.Shop.watch",
    }


def test_documentation_stands_above_or_opens_the_body() -> None:
    assert define(sample(), "Acme.Shop.Shop").doc == "Sells things."
    assert define(sample(), "Acme.Shop.Shop.Sell").doc == "Sells."


def test_a_signature_ends_where_the_body_begins() -> None:
    assert (
        define(sample(), "Acme.Shop.Shop").signature
        == "public abstract class Shop<T> : Base<T>, IOpen"
    )
    assert (
        define(sample(), "Acme.Shop.Shop.Sell").signature
        == "public override async Task<Receipt> Sell<U>(Thing thing)"
    )


def test_a_definition_covers_its_lines_with_what_is_attached() -> None:
    assert lines(sample(), "Acme.Shop.Shop") == (8, 28)
    assert lines(sample(), "Acme.Shop.Shop.Sell") == (18, 25)


def test_uses_are_told_by_their_kind() -> None:
    assert uses(sample(), "call") == {"Ask", "Close", "Run", "Sum"}
    assert uses(sample(), "type") == {"Clock", "EventHandler", "Receipt", "Sum", "Task", "Thing"}
    assert uses(sample(), "inherit") == {"Base", "IOpen"}
    assert uses(sample(), "decorator") == {"Obsolete", "Serializable"}


def test_imports_name_their_modules_and_what_is_taken_from_them() -> None:
    assert imports(sample()) == {
        "System": (),
        "A.B": (),
        "System.Text": (),
    }


def test_conditions_among_bases_and_arguments_leave_names_alone() -> None:
    found = read(
        "csharp",
        "Reader.cs",
        """\
namespace Acme
{
    public abstract partial class Reader
#if HAVE_ASYNC
        : IAsyncDisposable
#endif
    {
#region Members
        public void Read(int a
#if HAVE_ASYNC
            , int b
#endif
        ) { Run(a); }
#endregion
    }
}
""",
    )
    assert {(one.container, one.name) for one in found.definitions} == {
        ("", "Acme"), ("Acme", "Reader"), ("Acme.Reader", "Read"),
    }  # fmt: skip


def test_names_that_tags_of_a_comment_stand_for_are_its_text() -> None:
    found = read(
        "csharp",
        "Reader.cs",
        """\
/// <summary>Reads a <see cref="Nullable{T}"/> of <see langword="int" />
/// by <paramref name="how"/>, not by <see cref="Old">that</see> or <br/>.</summary>
class Reader { }
""",
    )
    assert found.definitions[0].doc == "Reads a Nullable{T} of int by how , not by that or ."
