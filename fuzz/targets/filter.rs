//! The filter language with arbitrary text: no panic, a parsed filter prints and parses back to the same in both forms,
//! and an error has a position.

#![no_main]

use jiff::Timestamp;
use model::filter::{Expr, Facts, Filter, FilterError, MAX_LENGTH};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Ok(source) = str::from_utf8(bytes) {
        check(source);
    }
});

fn check(source: &str) {
    match Filter::parse(source, now()) {
        Ok(filter) => {
            reads_back(&filter, &filter.expr().to_string());
            reads_back(&filter, &prefix(filter.expr()));
            let opposite = Expr::negate(filter.expr().clone());
            assert_ne!(filter.matches(&facts()), opposite.matches(&facts()));
        }
        Err(error) => says_where(&error, source),
    }
}

fn reads_back(filter: &Filter, text: &str) {
    match Filter::parse(text, now()) {
        Ok(read) => assert_eq!(&read, filter, "{text}"),
        // Abbreviations are expanded, so the printed form may exceed the limits of the parser.
        Err(error) => assert!(text.len() > MAX_LENGTH || error.message.contains("nested more than"), "{error}: {text}"),
    }
}

fn says_where(error: &FilterError, source: &str) {
    assert!(source.get(error.span.clone()).is_some());
    assert!(error.column <= source.chars().count() + 1);
    let pointer = error.pointer(source);
    assert_eq!(pointer.lines().count(), 2, "{pointer}");
    let is_clean = |character: char| character == '\n' || !character.is_control();
    assert!(pointer.chars().all(is_clean));
    assert!(error.message.chars().all(|character| !character.is_control()));
}

/// Writes an s-expression.
fn prefix(expr: &Expr) -> String {
    let group = |head: &str, operands: &[Expr]| {
        let operands: Vec<String> = operands.iter().map(prefix).collect();
        format!("({head} {})", operands.join(" "))
    };
    match expr {
        Expr::True => "true".to_owned(),
        Expr::And(operands) => group("and", operands),
        Expr::Or(operands) => group("or", operands),
        Expr::Not(operand) => format!("(not {})", prefix(operand)),
        Expr::Compare(comparison) => {
            let infix = comparison.to_string();
            let mut words = infix.splitn(3, ' ');
            let (field, symbol, value) = (words.next(), words.next(), words.next());
            let [field, symbol, value] = [field, symbol, value].map(|word| word.expect("a comparison has three parts"));
            format!("({symbol} {field} {value})")
        }
    }
}

fn now() -> Timestamp {
    Timestamp::from_second(1_800_000_000).expect("it is in range")
}

fn facts() -> Facts<'static> {
    Facts {
        id: "01890a5d-ac96-774b-bcce-b302099a8057",
        number: 12,
        title: "Login fails on Safari",
        description: "The Straße button does nothing.",
        status: "in_progress",
        state: "open",
        kind: "issue",
        labels: &[],
        milestone: None,
        board: None,
        parent: None,
        assignee: "Ada Lovelace <ada@example.com>",
        author: "Ada Lovelace <ada@example.com>",
        priority: 5,
        size: "small",
        severity: "",
        type_: "",
        blocked: false,
        waiting: false,
        approved: true,
        created: now(),
        updated: Timestamp::MAX,
        started: None,
        expected: None,
        completed: None,
        due: Some(jiff::civil::date(2026, 3, 9)),
        comment_count: 2,
        text: "Login fails on Safari",
    }
}
