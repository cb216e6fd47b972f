//! Maps a Taiga project's issue priorities to local numbers. Their names are configurable: each gets a number of the
//! log, and through it one of the five priority names.

use std::cmp::Reverse;

use crate::Priority;

/// The highest priority number of the log; the lowest set one is 1.
const MAX_PRIORITIES: u8 = 10;

/// The priorities of a project with their numbers, least urgent first.
#[derive(Debug, Clone, Default)]
pub(super) struct PriorityScale {
    steps: Vec<(u64, u8)>,
}

impl PriorityScale {
    /// Takes ids and names in the project's order. A priority with one of the five names gets its number, the others
    /// get one by position.
    pub(super) fn new(priorities: &[(u64, &str)]) -> Self {
        let names: Vec<&str> = priorities.iter().map(|(_, name)| name.trim()).collect();
        Self { steps: priorities.iter().map(|(id, _)| *id).zip(numbers(&names)).collect() }
    }

    /// Returns the number of a priority. Up to ten priorities have distinct numbers; of more, some share one.
    pub(super) fn number(&self, id: u64) -> Option<u8> {
        self.steps.iter().find(|(known, _)| *known == id).map(|(_, number)| *number)
    }

    /// Returns the name of a priority.
    pub(super) fn word(&self, id: u64) -> Option<Priority> {
        Priority::from_number(self.number(id)?)
    }

    /// Returns the priority nearest to a number; on a tie, the less urgent one.
    pub(super) fn nearest(&self, number: u8) -> Option<u64> {
        let near = |(_, own): &&(u64, u8)| (own.abs_diff(number), *own);
        self.steps.iter().min_by_key(near).map(|(id, _)| *id)
    }
}

fn numbers(names: &[&str]) -> Vec<u8> {
    let mut numbers: Vec<Option<u8>> = Vec::new();
    for name in names {
        let number = Priority::try_parse(name).map(Priority::number);
        numbers.push(number.filter(|number| !numbers.contains(&Some(*number))));
    }
    for place in 0..names.len() {
        let wanted = spread(place, names.len());
        let number = numbers[place].unwrap_or_else(|| free(&numbers, wanted));
        numbers[place] = Some(number);
    }
    numbers.into_iter().flatten().collect()
}

/// Spreads `count` priorities evenly over 1–9 (1–10 if there are more than nine). A single priority maps to 5.
fn spread(place: usize, count: usize) -> u8 {
    let span = if count > 9 { 9 } else { 8 };
    let steps = (place * span).checked_div(count.saturating_sub(1)).unwrap_or(span / 2);
    u8::try_from(1 + steps).unwrap_or(MAX_PRIORITIES)
}

/// Returns the wanted number or, with at most ten priorities, the nearest free one.
fn free(taken: &[Option<u8>], wanted: u8) -> u8 {
    if taken.len() > usize::from(MAX_PRIORITIES) {
        return wanted;
    }
    let is_free = |number: &u8| !taken.contains(&Some(*number));
    (1..=MAX_PRIORITIES)
        .filter(is_free)
        .min_by_key(|number| (number.abs_diff(wanted), Reverse(*number)))
        .unwrap_or(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scale(names: &[&str]) -> PriorityScale {
        let priorities: Vec<(u64, &str)> = (0..).zip(names.iter().copied()).collect();
        PriorityScale::new(&priorities)
    }

    /// Checks the priority for each name, and the name for each priority.
    #[track_caller]
    fn check(names: &[&str], places: [u64; 5], words: &[&str]) {
        let scale = scale(names);
        assert_eq!(Priority::ALL.map(|word| scale.nearest(word.number()).unwrap()), places);
        let back: Vec<&str> = (0..).zip(names).filter_map(|(id, _)| scale.word(id)).map(Priority::name).collect();
        assert_eq!(back, words);
    }

    #[test]
    fn words_are_matched_by_name_then_by_place() {
        check(&["Low", "Normal", "High"], [0, 0, 1, 2, 2], &["low", "normal", "high"]);
        check(&["P3", "P2", "P1"], [0, 0, 1, 1, 2], &["lowest", "normal", "highest"]);
        check(&["Low", "Normal", "High", "Urgent"], [0, 0, 1, 2, 3], &["low", "normal", "high", "highest"]);
        check(
            &["Lowest", "Low", "Normal", "High", "Highest"],
            [0, 1, 2, 3, 4],
            &["lowest", "low", "normal", "high", "highest"],
        );
        check(&["Whatever"], [0; 5], &["normal"]);
        // An administrator may put the most urgent first: the name decides.
        check(&["HIGH", "Normal", "low "], [2, 2, 1, 0, 0], &["high", "normal", "low"]);
        check(&["Normal", "normal", "High"], [0, 0, 0, 2, 2], &["normal", "normal", "high"]);
        assert_eq!(scale(&[]).nearest(5), None);
    }

    #[test]
    fn up_to_ten_have_a_number_each() {
        let names: Vec<String> = (0..30).map(|n| format!("P{n}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        for count in 1..=30 {
            for named in [&[][..], &["High", "Low"], &["low", "Low", "LOW"]] {
                let all = [named, &names[..count - named.len().min(count)]].concat();
                let scale = scale(&all);
                for id in (0..).zip(&all).map(|(id, _)| id) {
                    let number = scale.number(id).unwrap();
                    let found = scale.nearest(number).unwrap();
                    assert_eq!(scale.number(found), Some(number));
                    assert!(all.len() > 10 || found == id, "{id} of {all:?}");
                }
            }
        }
    }
}
