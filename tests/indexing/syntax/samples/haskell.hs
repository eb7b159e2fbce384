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
