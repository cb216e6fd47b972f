//! Symbols by line, for many lookups in one text.

use crate::symbol::{LineRange, Symbol, Symbols};

/// The innermost symbol of each line; the same results as [`Symbols::at`], in constant time.
#[derive(Debug, Clone, Default)]
pub struct LineIndex {
    /// Position in [`Symbols::all`], by line.
    innermost: Vec<Option<usize>>,
}

impl LineIndex {
    /// Indexes the symbols of a text.
    pub fn new(symbols: &Symbols) -> Self {
        let mut places: Vec<usize> = (0..symbols.all.len()).collect();
        // Later symbols overwrite the lines of earlier ones, so sort by size, largest first; of equal sizes the first
        // in the text goes last and wins.
        places.sort_by_key(|place| std::cmp::Reverse((symbols.all[*place].lines.count(), *place)));
        let mut index = Self::default();
        for place in places {
            let symbol = &symbols.all[place];
            index.claim(symbol.lines, place);
            if let Some(doc) = symbol.doc {
                index.claim(doc, place);
            }
        }
        index
    }

    fn claim(&mut self, lines: LineRange, place: usize) {
        if self.innermost.len() <= lines.end {
            self.innermost.resize(lines.end + 1, None);
        }
        self.innermost[lines.start..=lines.end].fill(Some(place));
    }

    /// Returns the innermost symbol on this line, if any; its doc comment counts as part of it. `symbols` must be those
    /// that were indexed.
    pub fn at<'s>(&self, symbols: &'s Symbols, line: usize) -> Option<&'s Symbol> {
        symbols.all.get((*self.innermost.get(line)?)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Language;

    #[test]
    fn every_line_has_the_symbol_that_a_search_finds() {
        let samples = [
            (
                "a.rs",
                "/// Of the module.\nmod a {\n    /// Two on a line.\n    fn one() {} fn two() {}\n\n    impl A {\n        fn b() {\n            1\n        }\n    }\n}\nfn last() {}\n",
            ),
            (
                "a.py",
                "class A:\n    \"\"\"Doc\"\"\"\n    def b(self):\n        def c(): pass\n        return c\n\n\ndef d(): pass\n",
            ),
            ("a.txt", "nothing\n"),
        ];
        for (path, text) in samples {
            let symbols = Language::of_path(path).and_then(|language| crate::symbols(language, text).ok());
            let symbols = symbols.unwrap_or_default();
            let index = LineIndex::new(&symbols);
            for line in 0..text.lines().count() + 3 {
                assert_eq!(index.at(&symbols, line), symbols.at(line), "{path}:{line}");
            }
        }
    }
}
