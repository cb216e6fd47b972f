//! Symbols by range of lines, for many lookups in one text.

use crate::symbol::{LineRange, Symbol, Symbols};

/// The symbols that overlap a range; a lookup costs only its results, also inside a module of thousands of functions.
#[derive(Debug, Clone, Default)]
pub struct SpanIndex {
    /// Positions in [`Symbols::all`], by first line.
    places: Vec<usize>,
    /// The first line of each.
    starts: Vec<usize>,
    /// A binary heap of the last lines: node 1 is the root, the children of `n` are `2n` and `2n + 1`, and each node has
    /// the maximum of its leaves. The leaves are in the order of `places`.
    ends: Vec<usize>,
}

impl SpanIndex {
    /// Indexes the symbols of a text.
    pub fn new(symbols: &Symbols) -> Self {
        let mut places: Vec<usize> = (0..symbols.all.len()).collect();
        places.sort_by_key(|place| symbols.all[*place].lines.start);
        let starts = places.iter().map(|place| symbols.all[*place].lines.start).collect();
        let n_leaves = places.len().next_power_of_two();
        let mut ends = vec![0; 2 * n_leaves];
        for (leaf, place) in places.iter().enumerate() {
            ends[n_leaves + leaf] = symbols.all[*place].lines.end;
        }
        for node in (1..n_leaves).rev() {
            ends[node] = ends[2 * node].max(ends[2 * node + 1]);
        }
        Self { places, starts, ends }
    }

    /// Returns the symbols that have a line in the range, in the order of the text. `symbols` must be those that were
    /// indexed.
    pub fn overlapping<'s>(&self, symbols: &'s Symbols, range: LineRange) -> Vec<&'s Symbol> {
        let n_begun = self.starts.partition_point(|start| *start <= range.end);
        let mut found = Vec::new();
        self.collect(1, (0, self.ends.len() / 2), (n_begun, range.start), &mut found);
        found.sort_unstable();
        found.into_iter().filter_map(|place| symbols.all.get(place)).collect()
    }

    /// Collects the positions of the leaves below a node that are before `n_begun` and end at `line` or later.
    fn collect(&self, node: usize, (from, to): (usize, usize), limits: (usize, usize), found: &mut Vec<usize>) {
        let (n_begun, line) = limits;
        if from >= n_begun || self.ends.get(node).is_none_or(|end| *end < line) {
            return;
        }
        if to - from == 1 {
            found.extend(self.places.get(from));
            return;
        }
        let middle = usize::midpoint(from, to);
        self.collect(2 * node, (from, middle), limits, found);
        self.collect(2 * node + 1, (middle, to), limits, found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Language;

    fn check(path: &str, text: &str) {
        let symbols = Language::of_path(path).and_then(|language| crate::symbols(language, text).ok());
        let symbols = symbols.unwrap_or_default();
        let index = SpanIndex::new(&symbols);
        let n_lines = text.lines().count();
        for start in 0..n_lines + 3 {
            for end in start..n_lines + 3 {
                let overlaps = |symbol: &&Symbol| symbol.lines.start <= end && start <= symbol.lines.end;
                let expected: Vec<&Symbol> = symbols.all().iter().filter(overlaps).collect();
                assert_eq!(index.overlapping(&symbols, LineRange { start, end }), expected, "{path}:{start}-{end}");
            }
        }
    }

    #[test]
    fn every_range_has_the_symbols_that_a_search_finds() {
        check(
            "a.rs",
            "fn one() {} fn two() {}\nmod a {\n    fn b() {\n    }\n\n    mod c {\n        fn d() {}\n    }\n}\nfn e() {}\n",
        );
        check("a.py", "class A:\n    def b(self):\n        def c(): pass\n        return c\n\n\ndef d(): pass\n");
        check("a.rs", "fn only() {}\n");
        check("a.txt", "nothing\n");
    }
}
