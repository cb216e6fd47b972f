//! The two surface forms: detection and equivalence.

use super::*;

fn same(left: &str, right: &str) {
    assert_eq!(parse(left), parse(right), "{left} and {right}");
}

#[test]
fn both_forms_mean_the_same() {
    same("status == \"open\" and labels ~ \"bug\"", "(and (= status \"open\") (contains labels bug))");
    same("status == open", "(= status open)");
    same("status == open", "(== status 'open')");
    same("status != open", "(!= status open)");
    same("priority <= 3 || priority > 5", "(or (<= priority 3) (> priority 5))");
    same("priority < 3", "(< priority 3)");
    same("priority >= 3", "(>= priority 3)");
    same("title ~ x", "(~ title x)");
    same("not (a == b)".replace('a', "kind").as_str(), "(not (= kind b))");
    same("!kind == b", "(! (= kind b))");
    same("kind == b && kind == c", "(&& (= kind b) (= kind c))");
    same("kind == b || kind == c", "(|| (= kind b) (= kind c))");
    same("kind == b", "(and (= kind b))");
    same("kind == b", "(or (= kind b))");
    same("not true", "(not true)");
    same("kind == and or kind == b".replace("and", "'and'").as_str(), "(or (= kind and) (= kind b))");
}

#[test]
fn lists_have_several_spellings() {
    for source in [
        "status in [open, closed]",
        "status in [open,closed,]",
        "status IN (open, 'closed')",
        "status == open or status == closed",
        "(in status open closed)",
        "(in status open, closed)",
        "(in status (open closed))",
        "(in status (open, closed))",
        "(in status [open, closed])",
        "(IN status [open closed])",
    ] {
        same(source, "status == open or status = closed");
    }
    same("status not in [open, closed]", "(not (in status open closed))");
    same("status NOT IN [open]", "status != open");
    same("status in [open]", "status == open");
}

#[test]
fn words_without_an_operator_are_searched_for() {
    same("bug", "text ~ bug or labels ~ bug");
    same("'status'", "text ~ status or labels ~ status");
    same("login safari", "(text ~ login or labels ~ login) and (text ~ safari or labels ~ safari)");
    same("not bug", "not (text ~ bug or labels ~ bug)");
    same("bug and priority >= 3", "(text ~ bug or labels ~ bug) and priority >= 3");
    same(
        "(crash or hang) and status == open",
        "(text ~ crash or labels ~ crash or text ~ hang or labels ~ hang) and status == open",
    );
}

#[test]
fn priorities_have_words() {
    same("priority == high", "priority >= 7 and priority <= 8");
    same("priority != high", "not (priority >= 7 and priority <= 8)");
    same("priority >= High", "priority >= 7");
    same("priority > high", "priority > 8");
    same("priority < medium", "priority < 4");
    same("priority <= low", "priority <= 3");
    same("(in priority urgent low)", "priority == urgent or priority == low");
}

#[test]
fn keywords_and_fields_take_any_case() {
    same("Status == open AND Labels ~ bug Or NOT kind == x", "status==open&&labels~bug||!kind==x");
    same("labels contains bug", "labels ~ bug");
}

#[test]
fn group_may_begin_either_form() {
    same("(status == open) and kind == y", "status == open and kind == y");
    same("(not status == open)", "status != open");
    same("(! status == open)", "(not (= status open))");
    same("(not (status == open))", "status != open");
    same("(not (status == open) and kind == y)", "status != open and kind == y");
    same("(not (not (= status open)))", "not not status == open");
    same("(not (not (status == open)))", "not not status == open");
    same("((status == open))", "status == open");
    same("(not ((status == open)))", "status != open");
    same("(status in [open]) or (kind == y)", "(or (in status open) (= kind y))");
    same("(labels contains bug)", "(contains labels bug)");
    same("(true)", "true");
    same("(true and kind == y)", "(and true (= kind y))");
}

#[test]
fn bare_words_take_more_than_letters() {
    for word in [
        "v1.2-rc_3",
        "a:b",
        "@me",
        "#12",
        "a/b",
        "c++",
        "Größe",
        "ошибка",
        "日本語",
        "क्षेत्र",
        "🐛",
        "-7d",
        "2026-01-31T00:00:00+02:00",
    ] {
        same(&format!("labels == {word}"), &format!("labels == \"{word}\""));
    }
}

#[test]
fn operands_of_the_same_kind_are_joined() {
    same("(kind == a and kind == b) and kind == c", "kind == a and kind == b and kind == c");
    same("kind == a or (kind == b or kind == c)", "kind in [a, b, c]");
    same("(and (and (= kind a) (= kind b)) (= kind c))", "kind == a and (kind == b and kind == c)");
}

#[test]
fn canonical_text_is_infix() {
    let check = |source: &str, expect: &str| assert_eq!(parse(source).to_string(), expect);
    check("", "true");
    check("(and (= status open) (or (= kind a) (~ kind b)))", "status == \"open\" and (kind == \"a\" or kind ~ \"b\")");
    check("kind == a and kind == b or kind == c", "kind == \"a\" and kind == \"b\" or kind == \"c\"");
    check("not title ~ 'say \"hi\"'", "not title ~ \"say \\\"hi\\\"\"");
    check("not (kind == a or kind == b)", "not (kind == \"a\" or kind == \"b\")");
    check("label != none", "labels != none");
    check("assignee == none", "assignee == \"\"");
    check("blocked = YES", "blocked == true");
    check("number != #4", "number != 4");
    check("id == ABCD", "id == \"abcd\"");
}
