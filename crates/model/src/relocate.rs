//! Finds the code of a message in the current text. It never reports a wrong line: code that cannot be found is
//! reported as gone.

use std::collections::HashMap;

use crate::message::Lines;

/// Where lines are now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CurrentLocation {
    /// Unchanged, at the same place.
    Here,
    /// Unchanged, elsewhere in the file.
    Moved(Lines),
    /// Changed; the symbol that contained them still exists, here.
    Changed(Lines),
    /// Gone, together with the symbol that contained them.
    Gone,
}

/// Finds the lines `excerpt`, which were at `was`, in the current text. `home` is the current range of the symbol that
/// contained them, if it still exists.
pub fn find(excerpt: &str, was: Lines, home: Option<Lines>, text: &str) -> CurrentLocation {
    LineLookup::new(text).find(excerpt, was, home)
}

/// Lines by content, for many lookups in one text.
#[derive(Debug)]
pub struct LineLookup<'a> {
    lines: Vec<&'a str>,
    /// Line numbers of each line without surrounding white space, in order; counted from 1.
    places: HashMap<&'a str, Vec<u32>>,
}

impl<'a> LineLookup<'a> {
    /// Indexes a text.
    pub fn new(text: &'a str) -> Self {
        let lines: Vec<&str> = text.lines().collect();
        let mut places: HashMap<&str, Vec<u32>> = HashMap::new();
        for (line, number) in lines.iter().zip(1..) {
            places.entry(line.trim()).or_default().push(number);
        }
        Self { lines, places }
    }

    /// Returns the numbers of a line, ignoring surrounding white space.
    pub fn places(&self, line: &str) -> &[u32] {
        self.places.get(line.trim()).map_or(&[], Vec::as_slice)
    }

    /// The same as [`find`].
    pub fn find(&self, excerpt: &str, was: Lines, home: Option<Lines>) -> CurrentLocation {
        let wanted: Vec<&str> = excerpt.split('\n').collect();
        if self.is_at(was.start(), &wanted) {
            return CurrentLocation::Here;
        }
        let starts = self.starts(&wanted);
        let at = |start: u32| Lines::new(start, start.saturating_add(was.count() - 1));
        let in_home = |start: &&u32| home.is_some_and(|home| (home.start()..=home.end()).contains(*start));
        let candidates: Vec<&u32> = match home {
            Some(_) if starts.iter().any(|start| in_home(&start)) => starts.iter().filter(in_home).collect(),
            _ => starts.iter().collect(),
        };
        // A lone bracket is everywhere: equal lines count only if there is exactly one such place.
        if let [start] = candidates.as_slice()
            && let Some(lines) = at(**start)
        {
            return CurrentLocation::Moved(lines);
        }
        home.map_or(CurrentLocation::Gone, CurrentLocation::Changed)
    }

    /// Returns the lines at which `wanted` begins, searched by its rarest line. Blank lines are ignored.
    fn starts(&self, wanted: &[&str]) -> Vec<u32> {
        let telling = wanted.iter().zip(0..).filter(|(line, _)| !line.trim().is_empty());
        let rarest = telling.map(|(line, offset)| (self.places(line), offset)).min_by_key(|(places, _)| places.len());
        let Some((places, offset)) = rarest else { return Vec::new() };
        let starts = places.iter().filter_map(|place| place.checked_sub(offset).filter(|start| *start >= 1));
        starts.filter(|start| self.is_at(*start, wanted)).collect()
    }

    /// Compares lines; trailing white space and line endings are ignored.
    fn is_at(&self, start: u32, wanted: &[&str]) -> bool {
        let first = (start as usize).saturating_sub(1);
        let today = self.lines.get(first..first.saturating_add(wanted.len()));
        today.is_some_and(|today| today.iter().zip(wanted).all(|(a, b)| a.trim_end() == b.trim_end()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(start: u32, end: u32) -> Lines {
        Lines::new(start, end).unwrap()
    }

    #[test]
    fn lines_are_found_again() {
        let text = "fn a() {\n    one();\n}\nfn b() {\n    two();\n}\n";
        let find = |excerpt, was, home| find(excerpt, was, home, text);
        assert_eq!(find("    two();", lines(5, 5), None), CurrentLocation::Here);
        assert_eq!(find("    two();", lines(2, 2), None), CurrentLocation::Moved(lines(5, 5)));
        assert_eq!(find("fn b() {\n    two();", lines(1, 2), None), CurrentLocation::Moved(lines(4, 5)));
        assert_eq!(find("    three();", lines(5, 5), Some(lines(4, 6))), CurrentLocation::Changed(lines(4, 6)));
        assert_eq!(find("    three();", lines(5, 5), None), CurrentLocation::Gone);
    }

    #[test]
    fn lines_found_everywhere_locate_nothing() {
        let text = "a {\n}\nb {\n}\n";
        assert_eq!(find("}", lines(9, 9), None, text), CurrentLocation::Gone);
        assert_eq!(find("}", lines(9, 9), Some(lines(3, 4)), text), CurrentLocation::Moved(lines(4, 4)));
        assert_eq!(find("", lines(1, 1), None, text), CurrentLocation::Gone);
        assert_eq!(find(" ", lines(2, 2), None, "a\n\nb\n"), CurrentLocation::Here);
    }

    #[test]
    fn line_ends_do_not_matter() {
        assert_eq!(find("a\nb", lines(1, 2), None, "a\r\nb\r\n"), CurrentLocation::Here);
    }
}
