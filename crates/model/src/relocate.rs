//! Where the code a message was about is today. Never a wrong line in silence: what cannot be found again is said to be
//! gone.

use std::collections::HashMap;

use crate::message::Lines;

/// What has become of lines since someone wrote about them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CurrentLocation {
    /// They are where they were.
    Here,
    /// The same lines, elsewhere in the file.
    Moved(Lines),
    /// They were changed; what they were in lives on, there.
    Changed(Lines),
    /// They are gone, and so is what they were in.
    Gone,
}

/// Finds the lines `excerpt`, which were at `was`, in the text of today. `home` is where the function or type they were
/// in is now, when it still exists.
pub fn find(excerpt: &str, was: Lines, home: Option<Lines>, text: &str) -> CurrentLocation {
    LineIndex::new(text).find(excerpt, was, home)
}

/// The lines of a text by what they say, for many questions about one text.
#[derive(Debug)]
pub struct LineIndex<'a> {
    lines: Vec<&'a str>,
    /// Where each line is, without the blanks around it, in order; counted from 1.
    places: HashMap<&'a str, Vec<u32>>,
}

impl<'a> LineIndex<'a> {
    /// Indexes a text.
    pub fn new(text: &'a str) -> Self {
        let lines: Vec<&str> = text.lines().collect();
        let mut places: HashMap<&str, Vec<u32>> = HashMap::new();
        for (line, number) in lines.iter().zip(1..) {
            places.entry(line.trim()).or_default().push(number);
        }
        Self { lines, places }
    }

    /// Returns where a line is, whatever blanks are around it.
    pub fn places(&self, line: &str) -> &[u32] {
        self.places.get(line.trim()).map_or(&[], Vec::as_slice)
    }

    /// Does what [`find`] does.
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
        // A lone bracket is everywhere: equal lines say something only when there is one such place.
        if let [start] = candidates.as_slice()
            && let Some(lines) = at(**start)
        {
            return CurrentLocation::Moved(lines);
        }
        home.map_or(CurrentLocation::Gone, CurrentLocation::Changed)
    }

    /// Returns the lines at which `wanted` begins: looked for by the one of its lines that is there least often. Blank lines say
    /// nothing about where they came from.
    fn starts(&self, wanted: &[&str]) -> Vec<u32> {
        let telling = wanted.iter().zip(0..).filter(|(line, _)| !line.trim().is_empty());
        let rarest = telling.map(|(line, offset)| (self.places(line), offset)).min_by_key(|(places, _)| places.len());
        let Some((places, offset)) = rarest else { return Vec::new() };
        let starts = places.iter().filter_map(|place| place.checked_sub(offset).filter(|start| *start >= 1));
        starts.filter(|start| self.is_at(*start, wanted)).collect()
    }

    /// Compares lines; what ends a line, and blanks before it, do not count.
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
    fn what_is_everywhere_is_nowhere() {
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
