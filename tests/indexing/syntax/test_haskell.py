"""Haskell: a signature and its equations are one definition; the header says what is exported."""

from __future__ import annotations

from tests.support.syntax import hidden, lines, outline, read, uses


def test_without_a_list_of_exports_all_is_exported() -> None:
    assert hidden(read("haskell", "A.hs", "module A where\n\nb = 1\n")) == set()


def test_names_of_one_signature_are_each_joined_with_their_equations() -> None:
    message = read("haskell", "A.hs", "module A where\nb, c :: Int\nb = 1\nc = 2\n")
    assert outline(message) == ["module A", "function b", "function c"]
    assert (lines(message, "b"), lines(message, "c")) == ((2, 3), (2, 4))


def test_the_same_method_of_two_instances_is_two_definitions() -> None:
    source = "module A where\ninstance B C where\n  d x = x\ninstance B E where\n  d x = x\n"
    assert outline(read("haskell", "A.hs", source))[1:] == ["method C.d", "method E.d"]


def test_the_prime_at_the_end_of_a_name_belongs_to_it() -> None:
    message = read("haskell", "A.hs", "module A where\nfoldr' f = f\nfoldr f = f\nb = foldr' 1\n")
    assert outline(message)[1:] == ["function foldr'", "function foldr", "function b"]
    assert "foldr'" in uses(message, "call")


def test_every_branch_of_a_condition_for_the_preprocessor_is_read() -> None:
    """From aeson's Data.Aeson.KeyMap."""
    source = """\
module A where
#ifdef USE_ORDEREDMAP
newtype KeyMap v = KeyMap { unKeyMap :: Map Key v }

empty :: KeyMap v
empty = KeyMap M.empty
#else
newtype KeyMap v = KeyMap { unKeyMap :: HashMap Key v }

null :: KeyMap v -> Bool
null = H.null . unKeyMap
#endif
"""
    result = read("haskell", "A.hs", source)
    assert [
        definition.line for definition in result.definitions if definition.kind == "struct"
    ] == [3, 8]
    assert {"function empty", "function null"} <= set(outline(result))
