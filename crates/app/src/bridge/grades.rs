//! Severities, types and priorities: words and numbers here, ids of the project's own lists there.

/// One value of a list there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Grade {
    pub(super) id: u64,
    pub(super) name: String,
    pub(super) order: i64,
}

/// A list of names there, words here.
#[derive(Debug, Clone, Default)]
pub(super) struct Grades {
    grades: Vec<Grade>,
    default: Option<u64>,
}

impl Grades {
    pub(super) fn new(mut grades: Vec<Grade>, default: Option<u64>) -> Self {
        grades.sort_by_key(|grade| (grade.order, grade.id));
        let default = default.filter(|id| grades.iter().any(|grade| grade.id == *id));
        Self { grades, default }
    }

    pub(super) fn has(&self, id: u64) -> bool {
        self.grades.iter().any(|grade| grade.id == id)
    }

    pub(super) fn name(&self, id: u64) -> Option<&str> {
        self.grades.iter().find(|grade| grade.id == id).map(|grade| grade.name.trim())
    }

    /// Returns what a word is there; nothing said is the project's default.
    pub(super) fn id(&self, word: Option<&str>) -> Option<u64> {
        let Some(word) = word else { return self.default };
        let is_exact = |grade: &&Grade| grade.name.trim() == word.trim();
        let is_same = |grade: &&Grade| grade.name.trim().to_lowercase() == word.trim().to_lowercase();
        let found = self.grades.iter().find(is_exact).or_else(|| self.grades.iter().find(is_same));
        found.map(|grade| grade.id)
    }

    /// Returns the names there are, for people.
    pub(super) fn names(&self) -> String {
        let names: Vec<&str> = self.grades.iter().map(|grade| grade.name.trim()).collect();
        names.join(", ")
    }
}

/// The words for how urgent something is, with the numbers the log has for them.
const WORDS: [(&str, u8); 5] = [("lowest", 1), ("low", 3), ("normal", 5), ("high", 7), ("highest", 9)];

const TAG: &str = "priority:";

/// Returns the word for a number of the log; 0 says nothing.
pub(super) fn word(priority: u8) -> Option<&'static str> {
    let place = usize::from(priority.checked_sub(1)?) / 2;
    WORDS.get(place.min(WORDS.len() - 1)).map(|(word, _)| *word)
}

/// Returns the number for a word.
pub(super) fn number(word: &str) -> Option<u8> {
    WORDS.iter().find(|(known, _)| known.eq_ignore_ascii_case(word)).map(|(_, number)| *number)
}

/// Returns the priority that a tag stands for; a Taiga has none of its own for stories, tasks and epics.
pub(super) fn of_tag(tag: &str) -> Option<u8> {
    let prefix = tag.get(..TAG.len()).filter(|prefix| prefix.eq_ignore_ascii_case(TAG))?;
    number(&tag[prefix.len()..])
}

/// Returns the tag for a word.
pub(super) fn tag(word: &str) -> String {
    format!("{TAG}{word}")
}

/// The priorities of issues: ids there, 0 to 10 here.
#[derive(Debug, Clone, Default)]
pub(super) struct Priorities {
    /// Least urgent first, each with its number here.
    numbers: Vec<(u64, u8)>,
    default: Option<u64>,
}

impl Priorities {
    pub(super) fn new(grades: Vec<Grade>, default: Option<u64>) -> Self {
        let Grades { grades, default } = Grades::new(grades, default);
        let named: Option<Vec<u8>> = grades.iter().map(|grade| number(grade.name.trim())).collect();
        let by_name = named.filter(|numbers| numbers.is_sorted_by(|one, next| one < next));
        let numbers = by_name.unwrap_or_else(|| spread(grades.len()));
        Self { numbers: grades.iter().map(|grade| grade.id).zip(numbers).collect(), default }
    }

    /// Returns the number here.
    pub(super) fn number(&self, id: u64) -> Option<u8> {
        self.numbers.iter().find(|(known, _)| *known == id).map(|(_, number)| *number)
    }

    /// Returns the one that stands for all that have the same number here. With up to ten, that is each itself.
    pub(super) fn canonical(&self, id: u64) -> Option<u64> {
        self.nearest(self.number(id)?)
    }

    /// Returns what a number is there; 0 is the project's default.
    pub(super) fn id(&self, number: u8) -> Option<u64> {
        match number {
            0 => self.default.and_then(|id| self.canonical(id)),
            _ => self.nearest(number),
        }
    }

    fn nearest(&self, number: u8) -> Option<u64> {
        self.numbers.iter().min_by_key(|(_, own)| own.abs_diff(number)).map(|(id, _)| *id)
    }
}

/// Spreads so many over 1 to 9, or over 1 to 10 if they are more.
fn spread(count: usize) -> Vec<u8> {
    let span = if count > 9 { 9 } else { 8 };
    let place = |n: usize| 1 + n * span / (count.max(2) - 1);
    (0..count).map(|n| u8::try_from(place(n)).unwrap_or(10)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(names: &[&str]) -> Vec<Grade> {
        let grade = |((id, order), name): ((u64, i64), &&str)| Grade { id, name: (*name).to_owned(), order };
        (1..).zip(1..).zip(names).map(grade).collect()
    }

    #[test]
    fn words_and_numbers_lead_to_each_other() {
        for (name, value) in WORDS {
            assert_eq!((number(name), word(value), of_tag(&tag(name))), (Some(value), Some(name), Some(value)));
        }
        assert_eq!((word(0), word(2), word(10)), (None, Some("lowest"), Some("highest")));
        assert_eq!((of_tag("priority:soon"), of_tag("prioritätsfrage"), of_tag("")), (None, None, None));
    }

    #[test]
    fn every_priority_there_is_found_again() {
        let usual = Priorities::new(list(&["Low", "Normal", "High"]), Some(2));
        assert_eq!([1, 2, 3].map(|id| usual.number(id)), [Some(3), Some(5), Some(7)]);
        assert_eq!([0, 1, 4, 6, 10].map(|number| usual.id(number)), [Some(2), Some(1), Some(1), Some(2), Some(3)]);
        for count in 1..=20_usize {
            let names: Vec<String> = (0..count).map(|n| format!("P{n}")).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let priorities = Priorities::new(list(&names), None);
            for id in 1..=count as u64 {
                let canonical = priorities.canonical(id).unwrap();
                assert!(count > 10 || canonical == id, "{id} of {count}");
                assert_eq!(priorities.id(priorities.number(id).unwrap()), Some(canonical));
            }
        }
    }

    #[test]
    fn a_word_is_found_in_any_case_and_none_is_the_default() {
        let grades = Grades::new(list(&["Minor", "major", "Major"]), Some(1));
        assert_eq!(grades.id(Some("MINOR")), Some(1));
        assert_eq!((grades.id(Some("Major")), grades.id(Some("major"))), (Some(3), Some(2)));
        assert_eq!((grades.id(None), grades.id(Some("awful"))), (Some(1), None));
    }
}
