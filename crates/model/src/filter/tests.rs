//! The meaning of filters, by example and by property; one `check` per topic.

mod dates;
mod errors;
mod forms;
mod meaning;
mod properties;
mod random;
mod written;

use super::*;
use crate::number::{ItemNumber, NumberSpace};

/// The fixed current time of all tests.
fn now() -> Timestamp {
    "2026-03-10T15:30:00Z".parse().expect("is RFC 3339")
}

fn parse(source: &str) -> Expr {
    match Filter::parse(source, now()) {
        Ok(filter) => filter.expr,
        Err(error) => panic!("{source:?}: {error}\n{}", error.pointer(source)),
    }
}

/// The item that examples are evaluated on.
fn with_sample<T>(use_facts: impl FnOnce(&Facts<'_>) -> T) -> T {
    let labels = ["bug".to_owned(), "Größe/ui".to_owned()];
    let facts = Facts {
        id: "01890a5d-ac96-774b-bcce-b302099a8057",
        number: 42,
        title: "Crash at start",
        description: "",
        status: "In Progress",
        state: "open",
        kind: "issue",
        labels: &labels,
        milestone: Some(ReferenceFacts {
            id: "01890a5d-0000-7000-8000-000000000001",
            reference: ItemNumber { space: NumberSpace::Milestone, number: 7 },
            title: "Version 2.0",
        }),
        board: None,
        parent: None,
        assignee: "Ada Byron <ada@example.org>",
        author: "bob",
        priority: 3,
        size: "small",
        severity: "",
        type_: "defect",
        blocked: true,
        waiting: false,
        approved: false,
        created: "2026-03-01T23:59:59.5Z".parse().expect("is RFC 3339"),
        updated: "2026-03-10T15:00:00Z".parse().expect("is RFC 3339"),
        started: Some(jiff::civil::date(2026, 3, 2)),
        expected: None,
        completed: None,
        due: Some(jiff::civil::date(2026, 3, 12)),
        comment_count: 2,
        text: "Crash at start\n\nIt happens on ARM only",
    };
    use_facts(&facts)
}

fn check(source: &str, expect: bool) {
    let expr = parse(source);
    let found = with_sample(|facts| expr.matches(facts));
    assert_eq!(found, expect, "{source} means {expr}");
}
