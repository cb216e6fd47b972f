//! The symbols of a file by the lines of their code, so that similar code is found without a comparison with every
//! symbol.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use anchors::Symbol;

use super::solid_lines::SolidLines;

/// The lines of all symbols of one file.
#[derive(Debug, Default)]
pub(super) struct LineOwners {
    /// The lines of each symbol.
    solid: Vec<SolidLines>,
    /// The positions of the symbols that have a line, line by line.
    owners: Vec<usize>,
    /// Where the owners of a line are. A binary search in all of them is a fifth of the time of a query about tens of
    /// thousands of renamed functions.
    ranges: HashMap<u64, Range<usize>>,
}

impl LineOwners {
    pub(super) fn new(solid: Vec<SolidLines>) -> Self {
        let mut pairs: Vec<(u64, usize)> = Vec::new();
        for (place, lines) in solid.iter().enumerate() {
            pairs.extend(lines.counts().map(|(line, _)| (line, place)));
        }
        pairs.sort_unstable();
        let mut from = 0;
        let mut ranges = HashMap::with_capacity(pairs.len());
        for same in pairs.chunk_by(|a, b| a.0 == b.0) {
            ranges.insert(same[0].0, from..from + same.len());
            from += same.len();
        }
        Self { solid, owners: pairs.into_iter().map(|(_, place)| place).collect(), ranges }
    }

    fn owners_of(&self, line: u64) -> &[usize] {
        self.ranges.get(&line).map_or(&[], |range| &self.owners[range.clone()])
    }

    /// Returns those lines of some code that any symbol has, with their counts. The result of
    /// [`most_alike`](Self::most_alike) depends only on them and on the length of the code.
    pub(super) fn common_lines(&self, before: &SolidLines) -> Vec<(u64, usize)> {
        before.counts().filter(|(line, _)| self.ranges.contains_key(line)).collect()
    }

    /// Finds the symbol with the highest score; `None` on a tie. `score` gets the number of common lines and the lines of
    /// the symbol, and returns `None` if that is not enough.
    ///
    /// Invariant: a score never exceeds that of the same number of common lines with `before` itself, and never falls
    /// when that number grows. So the search begins with the rarest line, and ends when no other symbol can win: a line
    /// that every function has costs nothing if the function is there.
    pub(super) fn most_alike<'s>(
        &self,
        all: &'s [Symbol],
        before: &SolidLines,
        score: impl Fn(usize, &SolidLines) -> Option<f64>,
        is_wanted: impl Fn(&Symbol) -> bool,
    ) -> Option<&'s Symbol> {
        self.most_alike_within(usize::MAX, all, before, score, is_wanted).unwrap_or_default()
    }

    /// Does the same; fails if more than `max` symbols have to be compared.
    pub(super) fn most_alike_within<'s>(
        &self,
        max: usize,
        all: &'s [Symbol],
        before: &SolidLines,
        score: impl Fn(usize, &SolidLines) -> Option<f64>,
        is_wanted: impl Fn(&Symbol) -> bool,
    ) -> Result<Option<&'s Symbol>, LongSearch> {
        let mut lines: Vec<(&[usize], usize)> = before.counts().map(|(line, n)| (self.owners_of(line), n)).collect();
        lines.retain(|(owners, _)| !owners.is_empty());
        lines.sort_by_key(|(owners, _)| owners.len());
        // What a symbol without any of the lines so far can have in common.
        let mut left: usize = lines.iter().map(|(_, n)| n).sum();
        let mut seen = HashSet::new();
        let mut best = BestMatch::default();
        for (owners, n) in lines {
            if score(left, before).is_none_or(|limit| best.is_above(limit)) {
                break;
            }
            for place in owners {
                if !seen.insert(*place) {
                    continue;
                }
                if seen.len() > max {
                    return Err(LongSearch);
                }
                let (symbol, now) = (&all[*place], &self.solid[*place]);
                let scored = score(before.n_shared(now), now).filter(|score| !best.is_above(*score));
                if let Some(score) = scored.filter(|_| is_wanted(symbol)) {
                    best.offer(score, symbol);
                }
            }
            left -= n;
        }
        Ok(best.winner)
    }
}

/// A search has to compare more symbols than allowed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct LongSearch;

/// The highest score so far.
#[derive(Debug, Default)]
struct BestMatch<'s> {
    score: Option<f64>,
    /// `None` on a tie.
    winner: Option<&'s Symbol>,
}

impl<'s> BestMatch<'s> {
    fn is_above(&self, score: f64) -> bool {
        self.score.is_some_and(|best| best.total_cmp(&score).is_gt())
    }

    /// Takes a score that is not below the best one.
    fn offer(&mut self, score: f64, symbol: &'s Symbol) {
        let is_tie = self.score.is_some_and(|best| best.total_cmp(&score).is_eq());
        self.winner = if is_tie { None } else { Some(symbol) };
        self.score = Some(score);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::solid_lines::line_hash;

    fn lines(words: &[u8]) -> SolidLines {
        SolidLines::new(words.iter().map(|word| line_hash(&format!("line {word}"))))
    }

    fn symbols(n: usize) -> Vec<Symbol> {
        let lines: Vec<String> = (0..n).map(|n| format!("fn f{n}() {{}}\n")).collect();
        let text = lines.concat();
        crate::symbols("a.rs", &text)
    }

    /// Compares with every symbol.
    fn by_comparison(all: &[Symbol], solid: &[SolidLines], before: &SolidLines) -> Option<String> {
        let scored = all.iter().zip(solid).filter(|(symbol, _)| is_wanted(symbol));
        let mut scored: Vec<(f64, &Symbol)> =
            scored.filter_map(|(symbol, now)| Some((score(before, before.n_shared(now), now)?, symbol))).collect();
        scored.sort_by(|a, b| b.0.total_cmp(&a.0));
        match scored.as_slice() {
            [(first, _), (second, _), ..] if first.total_cmp(second).is_eq() => None,
            [(_, symbol), ..] => Some(symbol.name.clone()),
            [] => None,
        }
    }

    fn score(before: &SolidLines, n: usize, now: &SolidLines) -> Option<f64> {
        let share = before.share_of(n, now);
        (share >= 0.5).then(|| share + before.likeness_of(n, now))
    }

    fn is_wanted(symbol: &Symbol) -> bool {
        symbol.name != "f1"
    }

    proptest! {
        #[test]
        fn search_and_comparison_agree(
            code in prop::collection::vec(prop::collection::vec(0_u8..12, 0..8), 0..8),
            before in prop::collection::vec(0_u8..12, 0..8),
        ) {
            let (all, before) = (symbols(code.len()), lines(&before));
            let solid: Vec<SolidLines> = code.iter().map(|words| lines(words)).collect();
            let expected = by_comparison(&all, &solid, &before);
            let owners = LineOwners::new(solid);
            let found = owners.most_alike(&all, &before, |n, now| score(&before, n, now), is_wanted);
            prop_assert_eq!(found.map(|symbol| symbol.name.clone()), expected);
        }
    }

    #[test]
    fn common_line_is_not_looked_up_for_code_that_is_found() {
        let (all, before) = (symbols(3), lines(&[7, 8, 9]));
        let owners = LineOwners::new(vec![lines(&[7, 8, 9]), lines(&[8]), lines(&[8, 9])]);
        let n_scores = std::cell::Cell::new(0);
        let counted = |n: usize, now: &SolidLines| {
            n_scores.set(n_scores.get() + 1);
            score(&before, n, now)
        };
        let found = owners.most_alike_within(1, &all, &before, counted, |_| true);
        assert_eq!(found.unwrap().map(|symbol| symbol.name.as_str()), Some("f0"));
        assert_eq!(n_scores.get(), 3, "two limits and one symbol");
        let common = lines(&[8]);
        let long = owners.most_alike_within(1, &all, &common, |n, now| score(&common, n, now), |_| true);
        assert_eq!(long, Err(LongSearch), "three symbols have the line");
        assert_eq!(owners.common_lines(&lines(&[1, 9, 9])), lines(&[9, 9]).counts().collect::<Vec<_>>());
    }
}
