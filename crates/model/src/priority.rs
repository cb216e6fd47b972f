//! Priorities in words. The log has numbers from 0 to 10; people read and write five levels.

use std::ops::RangeInclusive;

/// A level of priority, least urgent first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PriorityLevel {
    /// 0: not set.
    None,
    /// 1 to 3.
    Low,
    /// 4 to 6.
    Medium,
    /// 7 and 8.
    High,
    /// 9 and 10.
    Urgent,
}

impl PriorityLevel {
    /// Every level, least urgent first.
    pub const ALL: [Self; 5] = [Self::None, Self::Low, Self::Medium, Self::High, Self::Urgent];

    /// Returns the level of a stored number.
    pub fn of(number: u8) -> Self {
        let is_in = |level: &Self| level.numbers().contains(&number);
        Self::ALL.into_iter().find(is_in).unwrap_or(Self::Urgent)
    }

    /// Parses a word, case-insensitive.
    pub fn try_parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.word().eq_ignore_ascii_case(word.trim()))
    }

    /// Returns the word.
    pub fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Urgent => "urgent",
        }
    }

    /// Returns the number to store for the word. The odd numbers are those of Taiga's five priorities, so that a word
    /// set here keeps its meaning there.
    pub fn number(self) -> u8 {
        match self {
            Self::None => 0,
            Self::Low => 3,
            Self::Medium => 5,
            Self::High => 7,
            Self::Urgent => 9,
        }
    }

    /// Returns all numbers of the level.
    pub fn numbers(self) -> RangeInclusive<u8> {
        match self {
            Self::None => 0..=0,
            Self::Low => 1..=3,
            Self::Medium => 4..=6,
            Self::High => 7..=8,
            Self::Urgent => 9..=10,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_has_one_level() {
        for number in 0..=10 {
            let levels = PriorityLevel::ALL.into_iter().filter(|level| level.numbers().contains(&number));
            assert_eq!(levels.collect::<Vec<_>>(), [PriorityLevel::of(number)], "{number}");
        }
        assert_eq!(PriorityLevel::of(200), PriorityLevel::Urgent);
    }

    #[test]
    fn priority_words_keep_their_level() {
        for level in PriorityLevel::ALL {
            assert_eq!(PriorityLevel::of(level.number()), level);
            assert_eq!(PriorityLevel::try_parse(&level.word().to_uppercase()), Some(level));
        }
        assert_eq!(PriorityLevel::try_parse("highest"), None);
    }
}
