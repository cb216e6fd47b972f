//! Properties of all filters.

use proptest::prelude::*;

use super::random::{expr, item, soup};
use super::written::{Written, written};
use super::*;

proptest! {
    #[test]
    fn canonical_text_reads_back(expr in expr()) {
        let text = expr.to_string();
        let read = Filter::parse(&text, now());
        prop_assert_eq!(read.as_ref().map(Filter::expr), Ok(&expr), "{}", text);
    }

    #[test]
    fn canonical_text_means_the_same_at_any_time(written in written()) {
        let expr = parse(&written.infix());
        let later = Timestamp::from_second(4_000_000_000).expect("is in range");
        let read = Filter::parse(&expr.to_string(), later);
        prop_assert_eq!(read.as_ref().map(Filter::expr), Ok(&expr));
    }

    #[test]
    fn both_forms_parse_to_the_written_filter(written in written(), item in item()) {
        let infix = parse(&written.infix());
        let prefix = parse(&written.prefix());
        prop_assert_eq!(&infix, &prefix);
        let (found, expected) =
            item.with_facts(|facts| (infix.matches(facts), written.holds(facts)));
        prop_assert_eq!(found, expected, "{}", written.infix());
    }

    #[test]
    fn negation_is_exact(written in written(), item in item()) {
        let plain = parse(&written.infix());
        let negated = parse(&Written::Not(Box::new(written)).prefix());
        let (plain, negated) =
            item.with_facts(|facts| (plain.matches(facts), negated.matches(facts)));
        prop_assert_ne!(plain, negated);
    }

    #[test]
    fn any_text_is_read_or_refused(source in any::<String>()) {
        check_total(&source)?;
    }

    #[test]
    fn any_tokens_are_read_or_refused(source in soup()) {
        check_total(&source)?;
    }

    #[test]
    fn any_expression_is_evaluated(expr in expr(), item in item()) {
        let opposite = Expr::negate(expr.clone());
        let (plain, negated) =
            item.with_facts(|facts| (expr.matches(facts), opposite.matches(facts)));
        prop_assert_ne!(plain, negated);
    }
}

/// A valid filter can be printed and parsed again; the error of an invalid one has a position inside the source.
fn check_total(source: &str) -> Result<(), TestCaseError> {
    match Filter::parse(source, now()) {
        Ok(filter) => {
            let read = Filter::parse(&filter.expr().to_string(), now());
            prop_assert_eq!(read.as_ref(), Ok(&filter));
        }
        Err(error) => {
            prop_assert!(source.get(error.span.clone()).is_some());
            prop_assert!(error.column <= source.chars().count() + 1);
            let pointer = error.pointer(source);
            prop_assert_eq!(pointer.lines().count(), 2, "{}", pointer);
            let is_clean = |character: char| character == '\n' || !character.is_control();
            prop_assert!(pointer.chars().all(is_clean));
            prop_assert!(error.message.chars().all(|character| !character.is_control()));
        }
    }
    Ok(())
}
