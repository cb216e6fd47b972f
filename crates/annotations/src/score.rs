//! The confidence of an annotation. The weights are the contract's.

use jiff::Timestamp;
use model::annotation::{ContextLevel, Operation};

use crate::view::FactorsView;

/// Half-life of a note, in days.
const HALF_LIFE_DAYS: f64 = 180.0;
/// Penalty per flag.
const PENALTY_PER_FLAG: f64 = 0.15;
/// Minimum confidence.
const MIN_CONFIDENCE: f64 = 0.1;

/// How an annotation matches the requested code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum AnchorMatch {
    Overlap,
    Name,
    /// Its name and signature match.
    NameAndSignature,
}

impl AnchorMatch {
    fn factor(self) -> f64 {
        match self {
            Self::NameAndSignature => 1.0,
            Self::Name => 0.7,
            Self::Overlap => 0.4,
        }
    }
}

/// Returns the factors of the confidence. `now` is the time of the newest commit, so that a result depends on the
/// history and not on the current date.
pub(super) fn factors(
    now: Timestamp,
    written: Option<Timestamp>,
    context: &ContextLevel,
    anchor: AnchorMatch,
    operation: &Operation,
) -> FactorsView {
    FactorsView {
        recency: rounded(written.map_or(0.0, |written| recency(now, written))),
        context_level: if *context == ContextLevel::Enhanced { 1.0 } else { 0.5 },
        anchor_match: anchor.factor(),
        provenance: match operation {
            Operation::Initial => 1.0,
            Operation::Amend => 0.8,
            Operation::Squash | Operation::Other(_) => 0.7,
        },
    }
}

/// Combines the factors.
pub(super) fn confidence(factors: &FactorsView, n_flags: usize) -> f64 {
    let flags = PENALTY_PER_FLAG * f64::from(u32::try_from(n_flags).unwrap_or(u32::MAX));
    let sum =
        0.4 * factors.recency + 0.3 * factors.context_level + 0.2 * factors.anchor_match + 0.1 * factors.provenance
            - flags;
    rounded(sum.max(MIN_CONFIDENCE))
}

fn recency(now: Timestamp, written: Timestamp) -> f64 {
    let days = now.duration_since(written).as_secs_f64() / 86_400.0;
    // An annotation newer than the newest commit, or with a clock that is ahead, counts as new.
    0.5_f64.powf(days.max(0.0) / HALF_LIFE_DAYS)
}

// More digits would suggest false precision.
fn rounded(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(days: i64) -> Timestamp {
        Timestamp::from_second(1_700_000_000 + days * 86_400).unwrap()
    }

    #[test]
    fn the_best_is_one_and_half_a_year_halves_recency() {
        let best =
            factors(at(0), Some(at(0)), &ContextLevel::Enhanced, AnchorMatch::NameAndSignature, &Operation::Initial);
        assert_eq!(confidence(&best, 0).to_string(), "1");
        let old = FactorsView { recency: recency(at(180), at(0)), ..best };
        assert_eq!(confidence(&old, 0).to_string(), "0.8");
        let of_the_future = factors(at(0), Some(at(9)), &ContextLevel::Enhanced, AnchorMatch::Name, &Operation::Amend);
        assert_eq!(of_the_future.recency.to_string(), "1");
    }

    #[test]
    fn flags_count_down_to_the_floor() {
        let best = factors(at(0), Some(at(0)), &ContextLevel::Inferred, AnchorMatch::Overlap, &Operation::Squash);
        assert_eq!(confidence(&best, 0).to_string(), "0.7");
        assert_eq!(confidence(&best, 2).to_string(), "0.4");
        assert_eq!(confidence(&best, 50).to_string(), "0.1");
    }
}
