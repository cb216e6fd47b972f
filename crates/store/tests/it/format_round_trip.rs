//! Round trips of the format.

use jiff::{RoundMode, TimestampRound, Unit};
use model::op::{Change, Op};
use proptest::prelude::*;
use store::format::{read_message, v1, write_message};

use crate::random_log::{cases, line, op, written};

/// Maximum length of a subject that is not shortened.
const WHOLE: usize = 120;

fn is_kept(change: &Change) -> bool {
    // Values nested too deep are skipped; the tests of hostile logs cover them.
    !format!("{change:?}").contains("Array [Array [Array [Array [")
}

proptest! {
    #![proptest_config(cases(512))]

    #[test]
    fn an_operation_reads_back(op in op().prop_filter("too deep", |op| is_kept(&op.change))) {
        let line = written(&op);
        prop_assert!(!line.0.contains(&b'\n') && !line.0.contains(&0), "{line:?}");
        let microseconds = TimestampRound::new().smallest(Unit::Microsecond).mode(RoundMode::Trunc);
        let at = op.at.round(microseconds).unwrap();
        prop_assert_eq!(v1::read(&line.0), Ok(Op { at, ..op }));
    }

    #[test]
    fn parsed_operations_round_trip(line in line()) {
        let Ok(op) = v1::read(&line.0) else { return Ok(()) };
        if !matches!(op.change, Change::Unknown { .. }) {
            prop_assert_eq!(v1::read(&written(&op).0), Ok(op));
        }
    }

    #[test]
    fn a_commit_message_keeps_its_lines_with_any_subject(words in any::<String>(), lines in proptest::collection::vec(line(), 0..4)) {
        let lines: Vec<u8> = lines.into_iter().filter(|line| !line.0.is_empty()).flat_map(|line| [line.0, vec![b'\n']].concat()).collect();
        let message = write_message(&words, &lines);
        let read = read_message(&message);
        prop_assert_eq!(read.body, lines);
        let subject = String::from_utf8(read.subject.to_vec()).unwrap();
        prop_assert!(subject.chars().count() <= WHOLE && !subject.contains(char::is_control));
    }
}
