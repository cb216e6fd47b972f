//! The non-trivial lines of a piece of code, for measuring how similar two pieces are.
//!
//! A line is the hash of its trimmed text: a file with tens of thousands of functions is compared without a copy of, or
//! a map over, its text.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// Code with fewer lines cannot be recognized by a part of it.
const MIN_LINES: usize = 3;
/// From this ratio of lengths on, lines are looked up instead of compared one after the other.
const MUCH_LONGER: usize = 8;

/// The hash of a line; `None` for a blank line or a lone bracket.
pub(super) type LineHash = Option<u64>;

/// Returns the hash of a line.
pub(super) fn line_hash(line: &str) -> LineHash {
    let line = line.trim();
    (line.len() > 1).then(|| {
        let mut hasher = DefaultHasher::new();
        line.hash(&mut hasher);
        hasher.finish()
    })
}

/// The non-trivial lines of a piece of code, as a multiset.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct SolidLines {
    /// Sorted.
    hashes: Vec<u64>,
}

impl SolidLines {
    pub(super) fn new(lines: impl IntoIterator<Item = LineHash>) -> Self {
        let mut hashes: Vec<u64> = lines.into_iter().flatten().collect();
        hashes.sort_unstable();
        Self { hashes }
    }

    /// Returns each line with its count.
    pub(super) fn counts(&self) -> impl Iterator<Item = (u64, usize)> {
        self.hashes.chunk_by(|a, b| a == b).map(|same| (same[0], same.len()))
    }

    /// Returns whether it has this line.
    pub(super) fn has(&self, line: u64) -> bool {
        self.hashes.binary_search(&line).is_ok()
    }

    fn count(&self, line: u64) -> usize {
        let from = self.hashes.partition_point(|hash| *hash < line);
        self.hashes[from..].iter().take_while(|hash| **hash == line).count()
    }

    /// Counts the common lines, as a multiset.
    pub(super) fn n_shared(&self, other: &Self) -> usize {
        let (short, long) = if self.len() < other.len() { (self, other) } else { (other, self) };
        if short.len() * MUCH_LONGER < long.len() {
            return short.counts().map(|(line, n)| long.count(line).min(n)).sum();
        }
        let (mut a, mut b, mut n_shared) = (short.hashes.iter().peekable(), long.hashes.iter().peekable(), 0);
        while let (Some(one), Some(two)) = (a.peek(), b.peek()) {
            let order = one.cmp(two);
            n_shared += usize::from(order.is_eq());
            if order.is_le() {
                a.next();
            }
            if order.is_ge() {
                b.next();
            }
        }
        n_shared
    }

    /// Returns the share of this code that is in the other, from 0 to 1.
    pub(super) fn share_in(&self, other: &Self) -> f64 {
        self.share_of(self.n_shared(other), other)
    }

    /// Returns the share for a known number of common lines. A few lines prove nothing if the other code has many more:
    /// then its length counts.
    pub(super) fn share_of(&self, n_shared: usize, other: &Self) -> f64 {
        let whole = if self.is_significant() { self.len() } else { self.len().max(other.len()) };
        ratio(n_shared, whole)
    }

    /// Returns the similarity of both, from 0 to 1.
    pub(super) fn likeness(&self, other: &Self) -> f64 {
        self.likeness_of(self.n_shared(other), other)
    }

    /// Returns the similarity for a known number of common lines.
    pub(super) fn likeness_of(&self, n_shared: usize, other: &Self) -> f64 {
        ratio(n_shared, self.len().max(other.len()))
    }

    pub(super) fn len(&self) -> usize {
        self.hashes.len()
    }

    /// Returns whether it is long enough for its lines to be significant.
    pub(super) fn is_significant(&self) -> bool {
        self.len() >= MIN_LINES
    }
}

fn ratio(part: usize, whole: usize) -> f64 {
    let count = |n: usize| f64::from(u32::try_from(n).unwrap_or(u32::MAX));
    if whole == 0 { 0.0 } else { count(part) / count(whole) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> SolidLines {
        SolidLines::new(text.lines().map(line_hash))
    }

    #[test]
    fn function_that_only_grew_is_the_same_function() {
        let (short, long) = (lines("aa\nbb\ncc"), lines("aa\nxx\nbb\nyy\ncc\nzz\nvv"));
        assert!(short.share_in(&long) > 0.99 && short.likeness(&long) < 0.5);
    }

    #[test]
    fn repeated_lines_count_as_often_as_in_both() {
        let (one, two) = (lines("aa\naa\naa\nbb\n}\n\n"), lines("  aa\nbb  \naa\ncc"));
        assert_eq!((one.len(), one.n_shared(&two), two.n_shared(&one)), (4, 3, 3));
        let long = lines(&format!("aa\naa\n{}", "xx\n".repeat(100)));
        assert_eq!((one.n_shared(&long), long.n_shared(&one)), (2, 2));
        assert_eq!(one.counts().map(|(_, n)| n).sum::<usize>(), 4);
        let has = |line: &str| one.has(line_hash(line).unwrap());
        assert!(has("bb") && !has("cc"));
    }

    #[test]
    fn part_of_two_lines_counts_the_length_of_the_other() {
        let (short, long) = (lines("aa\nbb"), lines("aa\nbb\ncc\ndd"));
        assert!((short.share_in(&long) - 0.5).abs() < 1e-9 && !short.is_significant() && long.is_significant());
        assert!(lines("").share_in(&long) < 1e-9);
    }
}
