//! The meaning of each operator for each type of field.

use super::*;

fn check_all(expect: bool, sources: &[&str]) {
    for source in sources {
        check(source, expect);
    }
}

#[test]
fn empty_filter_matches_everything() {
    check_all(true, &["", "  \n\t", "true", "TRUE"]);
    assert_eq!(parse(" "), Expr::True);
}

#[test]
fn text_is_exact_and_ordered_by_code_point() {
    check_all(
        true,
        &[
            "title == \"Crash at start\"",
            "title = 'Crash at start'",
            "title != crash",
            "title < Z",
            "title < a",
            "title <= 'Crash at start'",
            "title >= Crash",
            "title > Crash",
            "title ~ CRASH",
            "text ~ 'arm ONLY'",
            "kind == issue",
            "kind in [issue, task]",
            "kind not in [story]",
            "state == open",
            "size == small and type == defect",
        ],
    );
    check_all(
        false,
        &["title == 'crash at start'", "title > a", "title ~ arm", "kind == Issue", "state == 'In Progress'"],
    );
}

#[test]
fn absent_text_is_empty() {
    check_all(true, &["severity == ''", "severity == none", "description == None", "size != none", "size != ''"]);
    // In quotes, and for texts that are never absent, `none` is an ordinary word.
    check_all(false, &["severity == \"none\"", "title == none", "size in [none, '']"]);
}

#[test]
fn status_equals_name_or_state() {
    check_all(
        true,
        &[
            "status == open",
            "status == 'In Progress'",
            "status in [closed, open]",
            "status != closed",
            "status ~ progress",
            "status < J",
            "status >= 'In Progress'",
        ],
    );
    // Order and containment use only the name.
    check_all(false, &["status != open", "status != 'In Progress'", "status == Open", "status ~ open", "status > a"]);
}

#[test]
fn labels_are_a_set() {
    check_all(
        true,
        &[
            "labels == bug",
            "label == bug",
            "labels == Größe/ui",
            "labels ~ GRÖSSE",
            "labels in [x, bug]",
            "labels != feature",
            "labels not in [x, y]",
            "labels != none",
            "labels ~ ''",
        ],
    );
    check_all(false, &["labels == Bug", "labels == bu", "labels != bug", "labels == none", "labels == ''"]);
}

#[test]
fn numbers_compare_as_numbers() {
    check_all(
        true,
        &[
            "number == 42",
            "number == #42",
            "number == '#42'",
            "number in [#1, #42]",
            "priority > -1",
            "priority >= 3",
            "priority < 10",
            "comment_count <= 2",
            "priority != 4",
        ],
    );
    check_all(false, &["number == 4", "priority > 3", "comment_count == 0"]);
}

#[test]
fn numbers_beyond_the_signed_range_are_greater() {
    let expr = parse("number > 9223372036854775807");
    let found = with_sample(|facts| expr.matches(&Facts { number: u64::MAX, ..*facts }));
    assert!(found);
}

#[test]
fn flags_take_four_words() {
    check_all(
        true,
        &[
            "blocked == true",
            "blocked == YES",
            "approved == no",
            "approved == false",
            "blocked != false",
            "waiting == false",
            "has_comments == yes",
            "approved in [true, false]",
        ],
    );
    check_all(false, &["blocked == no", "has_comments = false", "approved == true"]);
}

#[test]
fn person_is_whole_name_or_email() {
    check_all(
        true,
        &[
            "assignee == 'ada byron'",
            "assignee == ADA@example.org",
            "assignee == 'Ada Byron <ada@example.org>'",
            "assignee ~ example.org",
            "assignee in [bob, ada@example.org]",
            "assignee != none",
            "assignee != ''",
            "author == BOB",
        ],
    );
    check_all(false, &["assignee == ada", "assignee == none", "assignee == ''", "author != bob"]);
    let expr = parse("assignee == none and assignee == '' and assignee != ada");
    assert!(with_sample(|facts| expr.matches(&Facts { assignee: "", ..*facts })));
}

#[test]
fn reference_is_number_uuid_or_title() {
    check_all(
        true,
        &[
            "milestone == 7",
            "milestone == #7",
            "milestone == milestone/7",
            "milestone == 01890A5D-0000-7000-8000-000000000001",
            "milestone == 'version 2.0'",
            "milestone ~ 2.0",
            "milestone != none",
            "milestone in [none, 7]",
            "board == none",
            "board == ''",
            "parent in [3, none]",
            "board != 7",
            "board not in [7]",
        ],
    );
    check_all(
        false,
        &["milestone == 8", "milestone ~ 7", "milestone == none", "board == 7", "board ~ ''", "board != none"],
    );
}

#[test]
fn id_takes_the_beginning_of_one() {
    check_all(
        true,
        &[
            "id == 0189",
            "id == 01890A5D",
            "id == 01890a5d-ac",
            "id == 01890a5dac96",
            "id == 01890a5dac96774bbcceb302099a8057",
            "id == 01890a5d-ac96-774b-bcce-b302099a8057",
            "id != 01890b",
            "id in [ffff, 0189]",
            "id ~ AC96",
            "id < 02",
        ],
    );
    check_all(
        false,
        &["id == 018", "id == 0a5d", "id == 42", "id == 0189-0a5d", "id == 01890a5d-ac96-774b-bcce-b302099a80570"],
    );
    assert_eq!(parse("id == ABCD"), parse("id == abcd"));
}

#[test]
fn connectives_bind_not_then_and_then_or() {
    check_all(
        true,
        &[
            "number == 42 or number == 1 and number == 2",
            "not number == 1 and number == 42",
            "!number == 1 && !(number == 2 || number == 3)",
            "not not number == 42",
            "!!number == 42",
        ],
    );
    check_all(
        false,
        &[
            "(number == 42 or number == 1) and number == 2",
            "not (number == 1 or number == 42)",
            "not number == 42 or number == 1",
        ],
    );
}

#[test]
fn filter_knows_the_fields_it_names() {
    let names = |source: &str, field| Filter::parse(source, now()).expect("is well formed").names(field);
    assert!(names("kind == issue and not (priority > 1 or status != open)", Field::Status));
    assert!(!names("state == open", Field::Status));
    assert!(names("due == none", Field::Date(DateField::Due)));
    assert!(names("id == abcd", Field::Text(TextField::Id)));
    assert!(names("created == today", Field::Instant(InstantField::Created)));
    assert!(!names("", Field::Status));
}

#[test]
fn every_name_finds_its_field() {
    for field in Field::all() {
        for name in field.names() {
            assert_eq!(Field::try_find(&name.to_uppercase()), Some(field), "{name}");
        }
    }
    assert_eq!(Field::all().count(), 29);
}
