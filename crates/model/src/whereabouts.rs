//! Where the code a message was about is today. Never a wrong line in silence: what cannot be found again is said to be
//! gone.

use crate::message::Lines;

/// What has become of lines since someone wrote about them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whereabouts {
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
pub fn find(excerpt: &str, was: Lines, home: Option<Lines>, text: &str) -> Whereabouts {
    let today: Vec<&str> = text.lines().collect();
    let wanted: Vec<&str> = excerpt.split('\n').collect();
    let first = was.start() as usize - 1;
    if today.get(first..first.saturating_add(wanted.len())).is_some_and(|window| is_same(window, &wanted)) {
        return Whereabouts::Here;
    }
    let places = places(&wanted, &today);
    let at = |start: u32| Lines::new(start, start.saturating_add(was.count() - 1));
    let in_home = |start: &&u32| home.is_some_and(|home| (home.start()..=home.end()).contains(*start));
    let candidates: Vec<&u32> = match home {
        Some(_) if places.iter().any(|start| in_home(&start)) => places.iter().filter(in_home).collect(),
        _ => places.iter().collect(),
    };
    // A lone bracket is everywhere: equal lines say something only when there is one such place.
    if let [start] = candidates.as_slice()
        && let Some(lines) = at(**start)
    {
        return Whereabouts::Moved(lines);
    }
    home.map_or(Whereabouts::Gone, Whereabouts::Changed)
}

/// Compares lines; what ends a line, and blanks before it, do not count.
fn is_same(today: &[&str], wanted: &[&str]) -> bool {
    today.len() == wanted.len() && today.iter().zip(wanted).all(|(a, b)| a.trim_end() == b.trim_end())
}

/// Returns the lines at which `wanted` begins. Blank lines say nothing about where they came from.
fn places(wanted: &[&str], today: &[&str]) -> Vec<u32> {
    let says_nothing = wanted.iter().all(|line| line.trim().is_empty());
    if says_nothing || wanted.len() > today.len() {
        return Vec::new();
    }
    let starts = today.windows(wanted.len()).enumerate().filter(|(_, window)| is_same(window, wanted));
    starts.filter_map(|(n, _)| u32::try_from(n + 1).ok()).collect()
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
        assert_eq!(find("    two();", lines(5, 5), None), Whereabouts::Here);
        assert_eq!(find("    two();", lines(2, 2), None), Whereabouts::Moved(lines(5, 5)));
        assert_eq!(find("fn b() {\n    two();", lines(1, 2), None), Whereabouts::Moved(lines(4, 5)));
        assert_eq!(find("    three();", lines(5, 5), Some(lines(4, 6))), Whereabouts::Changed(lines(4, 6)));
        assert_eq!(find("    three();", lines(5, 5), None), Whereabouts::Gone);
    }

    #[test]
    fn what_is_everywhere_is_nowhere() {
        let text = "a {\n}\nb {\n}\n";
        assert_eq!(find("}", lines(9, 9), None, text), Whereabouts::Gone);
        assert_eq!(find("}", lines(9, 9), Some(lines(3, 4)), text), Whereabouts::Moved(lines(4, 4)));
        assert_eq!(find("", lines(1, 1), None, text), Whereabouts::Gone);
        assert_eq!(find(" ", lines(2, 2), None, "a\n\nb\n"), Whereabouts::Here);
    }

    #[test]
    fn line_ends_do_not_matter() {
        assert_eq!(find("a\nb", lines(1, 2), None, "a\r\nb\r\n"), Whereabouts::Here);
    }
}
