//! Error messages of invalid filters.

use super::*;

fn fail(source: &str) -> FilterError {
    match Filter::parse(source, now()) {
        Ok(filter) => panic!("{source:?} was read as {}", filter.expr),
        Err(error) => error,
    }
}

fn check(source: &str, message: &str) {
    assert_eq!(fail(source).to_string(), message, "{source}");
}

#[test]
fn missing_parts_are_named() {
    check("status == ", "expected a value at column 11, found end of filter");
    check("status", "expected an operator after `status` at column 7, found end of filter");
    check("status open", "expected an operator after `status` at column 8, found `open`");
    check("status == open kind", "expected `and`, `or` or end of filter at column 16, found `kind`");
    check("status == open and", "expected a field at column 19, found end of filter");
    check("(status == open", "expected `and`, `or` or `)` at column 16, found end of filter");
    check("status == open)", "expected `and`, `or` or end of filter at column 15, found `)`");
    check("()", "expected a field at column 2, found `)`");
    check("== open", "expected a field at column 1, found `==`");
    check("status == and", "expected a value at column 11, found `and`");
    check("status in open", "expected a list such as `[a, b]` at column 11, found `open`");
    check("status in []", "expected a value at column 12, found `]`");
    check("status in [a b]", "expected `,` or `]` at column 14, found `b`");
    check("status not open", "expected `in` at column 12, found `open`");
    check("\"status\" == open", "expected a field at column 1, found `\"status\"`");
    check("größe == ü and", "unknown field `größe` at column 1, expected a field");
    check("title == ü and", "expected a field at column 15, found end of filter");
}

#[test]
fn missing_parts_of_an_s_expression_are_named() {
    check("(and)", "expected `(` at column 5, found `)`");
    check("(and (= kind a)", "expected `(` or `)` at column 16, found end of filter");
    check("(= kind)", "expected a value at column 8, found `)`");
    check("(= kind a b)", "expected `)` at column 11, found `b`");
    check("(= \"kind\" a)", "expected a field at column 4, found `\"kind\"`");
    check("(in kind)", "expected a value at column 9, found `)`");
    check("(in kind ())", "expected a value at column 11, found `)`");
    check("(in kind (a)", "expected `)` at column 13, found end of filter");
    check("(not (= kind a) (= kind b))", "expected `)` at column 17, found `(`");
    check("(= kind a) and (= kind b)", "expected end of filter at column 12, found `and`");
    let operators = "expected one of `and`, `or`, `not`, `=`, `!=`, `<`, `<=`, `>`, `>=`, `contains`, `in`";
    check("(eq kind a)", &format!("unknown operator `eq` at column 2, {operators}"));
    check("(and (= kind a) (eq kind a))", &format!("unknown operator `eq` at column 18, {operators}"));
    check("(not (eq kind a))", &format!("unknown operator `eq` at column 7, {operators}"));
    check("(and ((= kind a)))", "expected an operator such as `and` or `=` at column 7, found `(`");
}

#[test]
fn unknown_field_names_the_nearest() {
    check("stauts == open", "unknown field `stauts` at column 1, did you mean `status`?");
    check("(= stauts open)", "unknown field `stauts` at column 4, did you mean `status`?");
    check("asignee == x", "unknown field `asignee` at column 1, did you mean `assignee`?");
    check("create_at < today", "unknown field `create_at` at column 1, did you mean `created_at`?");
    check("xyzzy == 1", "unknown field `xyzzy` at column 1, expected a field");
    check("status:open", "unknown field `status:open` at column 1, did you mean `status`?");
    assert_eq!(fail("status:open").hint.as_deref(), Some("write `status == open`"));
    insta::assert_snapshot!(fail("xyzzy == 1").hint.unwrap(), @"fields are id, number, title, description, status, state, kind, labels, milestone, assignee, author, priority, size, severity, type, board, parent, blocked, waiting, approved, created, updated, started, expected, completed, due, comment_count, has_comments, text");
}

#[test]
fn bare_words_can_be_refused() {
    let refuse = |source| Filter::parse_with(source, now(), BareWords::Refuse).map_err(|error| error.to_string());
    assert_eq!(refuse("bug"), Err("unknown field `bug` at column 1, expected a field".to_owned()));
    assert_eq!(refuse("'bug'"), Err("expected a field at column 1, found `'bug'`".to_owned()));
}

#[test]
fn unknown_operator_lists_known_ones() {
    check("a <> b", "unknown operator `<>` at column 3, did you mean `!=`?");
    check("a => b", "unknown operator `=>` at column 3, did you mean `>=`?");
    check("a & b", "unknown operator `&` at column 3, did you mean `&&`?");
    let known = "expected one of `==`, `!=`, `<`, `<=`, `>`, `>=`, `~`, `in`";
    check("a >> b", &format!("unknown operator `>>` at column 3, {known}"));
    check("a !~ b", &format!("unknown operator `!~` at column 3, {known}"));
    check("status * open", "unexpected character `*` at column 8");
    check("status == “open”", "unexpected character `“` at column 11");
    assert_eq!(fail("status == “open”").hint.as_deref(), Some("use straight quotes: `\"` or `'`"));
}

#[test]
fn operator_must_suit_the_field() {
    check("assignee < bob", "expected `==`, `!=`, `~` or `in` for `assignee` at column 10, found `<`");
    check("labels >= bug", "expected `==`, `!=`, `~` or `in` for `labels` at column 8, found `>=`");
    check("(> milestone 3)", "expected `==`, `!=`, `~` or `in` for `milestone` at column 2, found `>`");
    check("priority ~ 3", "expected `==`, `!=`, `<`, `<=`, `>`, `>=` or `in` for `priority` at column 10, found `~`");
    check(
        "due contains 3",
        "expected `==`, `!=`, `<`, `<=`, `>`, `>=` or `in` for `due` at column 5, found `contains`",
    );
    check("blocked < yes", "expected `==`, `!=` or `in` for `blocked` at column 9, found `<`");
    check("blocked and kind == a", "expected an operator after `blocked` at column 9, found `and`");
    assert_eq!(fail("blocked and kind == a").hint.as_deref(), Some("write `blocked == true`"));
}

#[test]
fn value_must_suit_the_field() {
    let levels = "a whole number, `urgent`, `high`, `medium`, `low` or `none` for `priority`";
    check("priority == highest", &format!("expected {levels} at column 13, found `highest`"));
    check("priority == #3", &format!("expected {levels} at column 13, found `#3`"));
    check("number == 1.5", "expected a whole number for `number` at column 11, found `1.5`");
    check("number == none", "expected a whole number for `number` at column 11, found `none`");
    check("priority > 9223372036854775808", &format!("expected {levels} at column 12, found `9223372036854775808`"));
    check("blocked == maybe", "expected `true` or `false` for `blocked` at column 12, found `maybe`");
    check("number in [1, x]", "expected a whole number for `number` at column 15, found `x`");
    for date in [
        "2026-02-30",
        "2026-1-1",
        "20260131",
        "2026-03-01T10:00:00",
        "-7",
        "-7y",
        "-d",
        "--7d",
        "-+7d",
        "7d",
        "-99999999999999999999d",
        "-999999999999w",
        "soon",
        "none",
        "''",
        "2026-01-31T10:00:00Z[UTC]",
    ] {
        let date = if date.contains('[') { format!("'{date}'") } else { date.to_owned() };
        check(
            &format!("created < {date}"),
            &format!("expected a date or time for `created` at column 11, found `{date}`"),
        );
    }
    check("due < none", "expected a date for `due` at column 7, found `none`");
    check("due == 2026-03-01T10:00:00Z", "expected a date for `due` at column 8, found `2026-03-01T10:00:00Z`");
}

#[test]
fn span_and_pointer_show_the_mistake() {
    let source = "title == 'ü' and stauts == open";
    let error = fail(source);
    assert_eq!((error.column, error.span.clone()), (18, 18..24));
    assert_eq!(error.pointer(source), format!("{source}\n{}^~~~~~", " ".repeat(17)));
    let source = "status not  in [";
    assert_eq!(fail("due not  in [x]").span, 13..14);
    assert_eq!(fail(source).span, 16..16);
}

#[test]
fn nesting_has_a_limit() {
    let deep = |depth: usize| format!("{}kind == a{}", "(".repeat(depth), ")".repeat(depth));
    assert_eq!(parse(&deep(64)), parse("kind == a"));
    check(&deep(65), "filter is nested more than 64 deep at column 66");
    check(&format!("{}kind == a", "!".repeat(65)), "filter is nested more than 64 deep at column 66");
    let deep = |depth: usize| format!("{}(= kind a){}", "(not ".repeat(depth), ")".repeat(depth));
    assert_eq!(parse(&deep(62)), parse(&format!("{}kind == a", "not ".repeat(62))));
    check(&deep(64), "filter is nested more than 64 deep at column 322");
    for start in ["(", "!", "not ", "(not ", "(and ", "(! ", "kind in ["] {
        fail(&start.repeat(MAX_LENGTH / start.len()));
    }
}

#[test]
fn length_has_a_limit() {
    assert_eq!(parse(&" ".repeat(MAX_LENGTH)), Expr::True);
    let error = fail(&"ü".repeat(MAX_LENGTH));
    assert_eq!(error.to_string(), "filter is longer than 16384 bytes at column 8193");
    assert!(error.pointer(&"ü".repeat(MAX_LENGTH)).len() < 500);
}
