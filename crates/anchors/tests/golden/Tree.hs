{-# LANGUAGE ScopedTypeVariables #-}
-- | Trees.
module Data.Tree
  ( Tree (..)
  , insert
  ) where

import qualified Data.Map as M

infixr 5 <+>

-- | A tree.
data Tree a
  = Leaf
  | Node (Tree a) a (Tree a)
  deriving (Show, Eq)

newtype Size = Size { unSize :: Int }

type Pair a = (a, a)

-- | Things with a size.
class Sized f where
  size :: f a -> Int
  size _ = 0

  isEmpty :: f a -> Bool

-- | How deep it may be.
limit :: Int
limit = 10

-- | Inserts.
--
-- Keeps the order.
insert :: Ord a => a -> Tree a -> Tree a
insert x Leaf = Node Leaf x Leaf
insert x t@(Node l y r)
  | x < y = Node (insert x l) y r
  | x > y = Node l y (insert x r)
  | otherwise = t

toList :: Tree a -> [a]
toList t = go t []
  where
    go :: Tree a -> [a] -> [a]
    go Leaf acc = acc
    go (Node l x r) acc = go l (x : go r acc)
    unused = 1

(<+>) :: Tree a -> Tree a -> Tree a
Leaf <+> t = t
t <+> _ = t

a `orElse` b = case a of
  Leaf -> b
  _ -> a

noSignature x y = x + y

first, second :: (a, a) -> a
first (a, _) = a
second (_, b) = b

instance Sized Tree where
  size Leaf = 0
  size (Node l _ r) = size l + 1 + size r
  isEmpty t = size t == 0

instance Show a => Show (Pair3 a) where
  show (Pair3 a) = "x"

{-# INLINE größe #-}
größe :: Int
größe = 1

main :: IO ()
main = do
  let local = insert 1 Leaf
  line <- getLine
  print (size local)
