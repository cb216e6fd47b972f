//! Compares actual and expected output, and renders the difference.

use std::fmt::Write as _;

use crate::redact::redact_line;

/// Returns whether the lines match; `...` matches any lines and `[..]` any text within one.
pub(super) fn matches(expected: &[String], got: &[String]) -> bool {
    match expected.split_first() {
        None => got.is_empty(),
        Some((first, rest)) if first == "..." => (0..=got.len()).any(|skipped| matches(rest, &got[skipped..])),
        Some((first, rest)) => {
            got.split_first().is_some_and(|(line, after)| matches_line(first, line) && matches(rest, after))
        }
    }
}

fn matches_line(expected: &str, got: &str) -> bool {
    let (expected, got) = (redact_line(expected), redact_line(got));
    let mut parts = expected.split("[..]");
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = got.strip_prefix(first) else { return false };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    true
}

/// Renders a diff: expected lines with `-`, actual ones with `+`, common ones at either end with a space.
pub(super) fn diff(expected: &[String], got: &[String]) -> String {
    let same = |pair: &(&String, &String)| matches_line(pair.0, pair.1);
    let n_before = expected.iter().zip(got).take_while(same).count();
    let (expected_rest, got_rest) = (&expected[n_before..], &got[n_before..]);
    let n_after = expected_rest.iter().rev().zip(got_rest.iter().rev()).take_while(same).count();
    let (expected_rest, after) = expected_rest.split_at(expected_rest.len() - n_after);
    let got_rest = &got_rest[..got_rest.len() - n_after];
    let sections = [(' ', &expected[..n_before]), ('-', expected_rest), ('+', got_rest), (' ', after)];
    let mut shown = String::new();
    for (mark, line) in sections.into_iter().flat_map(|(mark, lines)| lines.iter().map(move |line| (mark, line))) {
        let _ = writeln!(shown, "{mark} {line}");
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.split('|').map(str::to_owned).collect()
    }

    #[track_caller]
    fn check(expected: &str, got: &str, expect: bool) {
        assert_eq!(matches(&lines(expected), &lines(got)), expect, "{expected:?} and {got:?}");
    }

    #[test]
    fn holes_match_within_a_line_and_across_lines() {
        check("a[..]d", "abcd", true);
        check("a[..]c[..]", "abcd", true);
        check("a[..]", "b", false);
        check("[..]b", "abc", false);
        check("a|...|z", "a|b|c|z", true);
        check("a|...|z", "a|z", true);
        check("...", "a", true);
        check("a|...|y", "a|b|z", false);
        check("a", "a|b", false);
    }

    #[test]
    fn varying_output_is_normalized() {
        check("0bce277c  2026-11-15 23:32  Ada", "2f041406  2027-01-01 00:00  Ada", true);
        check("id 01a1e18e-2194-7737-9b68-13f5d5c00f5f", "id 01a1e18e-0000-7737-9b68-13f5d5c00f5f", true);
        check("\"at\":\"2026-11-15T23:32:30.705Z\"", "\"at\":\"2027-11-15T23:32:30Z\"", true);
        check("warning: 0bce277c: a", "warning: 2f041406: a", true);
        check("3  task  now", "3  task  1m ago", true);
        check("due 2026-11-15", "due 2026-11-16", false);
        check("3  task  now", "4  task  now", false);
        check("12 items", "13 items", false);
    }

    #[test]
    fn diff_shows_only_the_middle_as_changed() {
        let shown = diff(&lines("a|b|c|d"), &lines("a|x|d"));
        assert_eq!(shown, "  a\n- b\n- c\n+ x\n  d\n");
    }
}
