"""Haskell: a signature and its equations are one definition; the header says what is exported."""

from __future__ import annotations

from functools import cache

from gitmem.indexing.syntax.values import Parsed
from tests.support.syntax import define, hidden, imports, lines, outline, read, uses

SAMPLE = """\
{-# LANGUAGE GADTs #-}
-- | Carts.
module Shop.Cart
  ( Cart (..)
  , open
  , (<+>)
  ) where

import qualified Data.Map as M
import Shop.Line (Line, price)

-- | A cart of lines.
data Cart a
  = Empty
  | Full {cartLines :: [Line], owner :: a}
  deriving (Eq, Show)

newtype Money = Money Int

type Lines = [Line]

class Priced a where
  -- | What it costs.
  cost :: a -> Money

instance Priced (Cart a) where
  cost Empty = Money 0
  cost cart = sumOf $ cartLines cart

-- | Opens a cart.
open :: Line -> Cart a
open line = check (M.fromList line)
  where
    check x = x

(<+>) :: Cart a -> Cart a -> Cart a
a <+> b = merge a b

sumOf :: [Line] -> Money
sumOf [] = Money 0
sumOf (x : xs) = add (price x) (sumOf xs)
"""


@cache
def sample() -> Parsed:
    return read("haskell", "Cart.hs", SAMPLE)


def test_definitions_are_told_in_order_with_kind_and_container() -> None:
    assert not sample().errors
    assert outline(sample()) == [
        "module Shop.Cart",
        "struct Cart",
        "member Cart.Empty",
        "member Cart.Full",
        "field Cart.Full.cartLines",
        "field Cart.Full.owner",
        "struct Money",
        "member Money.Money",
        "type Lines",
        "class Priced",
        "method Priced.cost",
        "method (Cart a).cost",
        "function open",
        "function <+>",
        "function sumOf",
    ]


def test_what_is_not_for_others() -> None:
    assert hidden(sample()) == {"Lines", "Money", "Priced", "sumOf"}


def test_a_comment_above_is_the_documentation() -> None:
    assert define(sample(), "Shop.Cart").doc == "Carts."
    assert define(sample(), "Cart").doc == "A cart of lines."
    assert define(sample(), "Priced.cost").doc == "What it costs."
    assert define(sample(), "open").doc == "Opens a cart."


def test_a_signature_ends_where_the_body_begins() -> None:
    assert define(sample(), "Cart").signature == "data Cart a"
    assert define(sample(), "Priced").signature == "class Priced a"
    assert define(sample(), "open").signature == "open :: Line -> Cart a"
    assert define(sample(), "<+>").signature == "(<+>) :: Cart a -> Cart a -> Cart a"


def test_a_definition_covers_its_lines() -> None:
    assert lines(sample(), "sumOf") == (39, 41)


def test_uses_are_told_by_their_kind() -> None:
    assert uses(sample(), "call") == {
        "add",
        "cartLines",
        "check",
        "fromList",
        "merge",
        "price",
        "sumOf",
    }
    assert uses(sample(), "type") == {"Cart", "Line", "Money"}
    assert uses(sample(), "inherit") == {"Eq", "Priced", "Show"}


def test_imports_name_their_modules() -> None:
    assert imports(sample()) == {
        "Data.Map": (),
        "Shop.Line": (
            "Line",
            "price",
        ),
    }


def test_without_a_list_of_exports_all_is_exported() -> None:
    assert hidden(read("haskell", "A.hs", "module A where\n\nb = 1\n")) == set()


def test_names_of_one_signature_are_each_joined_with_their_equations() -> None:
    said = read("haskell", "A.hs", "module A where\nb, c :: Int\nb = 1\nc = 2\n")
    assert outline(said) == ["module A", "function b", "function c"]
    assert (lines(said, "b"), lines(said, "c")) == ((2, 3), (2, 4))


def test_the_same_method_of_two_instances_is_two_definitions() -> None:
    source = "module A where\ninstance B C where\n  d x = x\ninstance B E where\n  d x = x\n"
    assert outline(read("haskell", "A.hs", source))[1:] == ["method C.d", "method E.d"]


def test_the_prime_at_the_end_of_a_name_belongs_to_it() -> None:
    said = read("haskell", "A.hs", "module A where\nfoldr' f = f\nfoldr f = f\nb = foldr' 1\n")
    assert outline(said)[1:] == ["function foldr'", "function foldr", "function b"]
    assert "foldr'" in uses(said, "call")


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
    said = read("haskell", "A.hs", source)
    assert [one.line for one in said.definitions if one.kind == "struct"] == [3, 8]
    assert {"function empty", "function null"} <= set(outline(said))
