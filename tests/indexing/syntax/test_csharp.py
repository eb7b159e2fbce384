"""C#: namespaces, types and their members."""

from __future__ import annotations

from tests.support.syntax import read


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
    assert {(definition.container, definition.name) for definition in found.definitions} == {
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
