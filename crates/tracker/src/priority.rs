//! Priorities: five names, stored in the log as a number from 0 to 10 and in Taiga as a tag (`priority:high`) or, for
//! issues, as one of the project's own priorities.

/// A priority, least urgent first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the words are the contract's")]
pub enum Priority {
    Lowest,
    Low,
    Normal,
    High,
    Highest,
}

const TAG_PREFIX: &str = "priority:";

impl Priority {
    /// Every priority, least urgent first.
    pub const ALL: [Self; 5] = [Self::Lowest, Self::Low, Self::Normal, Self::High, Self::Highest];

    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lowest => "lowest",
            Self::Low => "low",
            Self::Normal => "normal",
            Self::High => "high",
            Self::Highest => "highest",
        }
    }

    /// Parses a name, case-insensitive.
    pub fn try_parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|priority| priority.name().eq_ignore_ascii_case(word))
    }

    /// Returns whether a tag stores a priority.
    pub fn is_tag(tag: &str) -> bool {
        Self::from_tag(tag).is_some()
    }

    /// Returns the priority stored in tags; the most urgent of several.
    pub(crate) fn of_tags<'a>(tags: impl IntoIterator<Item = &'a str>) -> Option<Self> {
        tags.into_iter().filter_map(|tag| Self::from_tag(tag.trim())).max()
    }

    fn from_tag(tag: &str) -> Option<Self> {
        let prefix = tag.get(..TAG_PREFIX.len())?;
        prefix.eq_ignore_ascii_case(TAG_PREFIX).then(|| Self::try_parse(&tag[TAG_PREFIX.len()..]))?
    }

    /// Returns the tag that stores it in Taiga.
    pub(crate) fn tag(self) -> String {
        format!("{TAG_PREFIX}{}", self.name())
    }

    /// Converts the log's number; 0 means none.
    pub(crate) fn from_number(number: u8) -> Option<Self> {
        match number {
            0 => None,
            1..=2 => Some(Self::Lowest),
            3..=4 => Some(Self::Low),
            5..=6 => Some(Self::Normal),
            7..=8 => Some(Self::High),
            _ => Some(Self::Highest),
        }
    }

    /// Returns the log's number.
    pub(crate) fn number(self) -> u8 {
        1 + 2 * self.place()
    }

    fn place(self) -> u8 {
        match self {
            Self::Lowest => 0,
            Self::Low => 1,
            Self::Normal => 2,
            Self::High => 3,
            Self::Highest => 4,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_priority_word_round_trips() {
        for priority in Priority::ALL {
            assert_eq!(Priority::from_number(priority.number()), Some(priority));
            assert_eq!(Priority::try_parse(&priority.name().to_uppercase()), Some(priority));
        }
        assert_eq!(Priority::from_number(0), None);
        assert_eq!(Priority::from_number(10), Some(Priority::Highest));
    }

    #[test]
    fn only_the_five_tags_mean_a_priority() {
        assert_eq!(Priority::from_tag("Priority:HIGH"), Some(Priority::High));
        for other in ["priority:", "priority:urgent", "high", "prioritäten", ""] {
            assert!(!Priority::is_tag(other), "{other}");
        }
    }
}
