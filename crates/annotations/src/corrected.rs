//! Applies corrections to an annotation: the newest correction of a field replaces its value. The corrections are kept,
//! so that a reader sees their authors.

use model::annotation::{Constraint, Correction, CorrectionKind, Extra, Region, Source};

/// Replaces the corrected values.
pub(super) fn apply_corrections(region: &mut Region) {
    let mut corrections: Vec<Correction> =
        region.corrections.iter().filter(|one| one.kind == CorrectionKind::Correct).cloned().collect();
    corrections.sort_by_key(|one| one.timestamp);
    for correction in corrections {
        apply(region, &correction);
    }
}

fn apply(region: &mut Region, correction: &Correction) {
    let text = || correction.text.clone();
    let lines = || correction.text.lines().map(str::trim).filter(|line| !line.is_empty());
    match correction.field.as_deref() {
        Some("intent") => region.intent = text(),
        Some("reasoning") => region.reasoning = Some(text()),
        Some("risk_notes") => region.risk_notes = Some(text()),
        Some("tags") => {
            region.tags = lines().flat_map(|line| line.split(',')).map(|tag| tag.trim().to_owned()).collect();
        }
        Some("constraints") => {
            let constraint =
                |line: &str| Constraint { text: line.to_owned(), source: Source::Author, extra: Extra::new() };
            region.constraints = lines().map(constraint).collect();
        }
        // A dependency refers to a file and a function: a text cannot replace it.
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn correction(field: &str, text: &str, second: i64) -> Correction {
        Correction {
            id: String::new(),
            kind: CorrectionKind::Correct,
            field: Some(field.to_owned()),
            text: text.to_owned(),
            author: String::new(),
            timestamp: jiff::Timestamp::from_second(second).ok(),
            extra: Extra::new(),
        }
    }

    #[test]
    fn newest_correction_of_a_field_wins() {
        let mut region = Region::new("a.rs", "a", "wrong");
        let flag = Correction { kind: CorrectionKind::Flag, ..correction("intent", "bad", 9) };
        region.corrections = vec![
            correction("intent", "right", 2),
            correction("intent", "nearly", 1),
            flag,
            correction("constraints", "a\nb", 1),
        ];
        apply_corrections(&mut region);
        let constraints: Vec<&str> = region.constraints.iter().map(|one| one.text.as_str()).collect();
        assert_eq!((region.intent.as_str(), constraints, region.corrections.len()), ("right", vec!["a", "b"], 4));
    }
}
