//! Lists, searches and counts.

use app::ChangeSet;
use app::verb::{CloseOptions, ListOptions};
use model::item::ItemKind;

use crate::harness::{TestProject, by_name, ids, refusal, texts};

/// Four items: an issue, a closed task, a deleted task and a story.
fn sample() -> TestProject {
    let mut test = TestProject::with(ItemKind::Issue, &["Crash at start"]);
    test.create(ItemKind::Task, "Write the guide");
    test.create(ItemKind::Task, "Gone");
    test.create(ItemKind::Story, "Größe of things");
    test.edit("1", &[("description", "It starts, then stops"), ("priority", "9"), ("assign", "Bob <bob@example.org>")]);
    test.project.comment(&by_name("4"), "see the crash", None).unwrap();
    let label = ChangeSet { add_labels: texts(&["crash"]), ..ChangeSet::default() };
    test.project.edit(&ids(&["2"]), &label).unwrap();
    test.project.close(&ids(&["2"]), &CloseOptions::default()).unwrap();
    test.project.delete(&ids(&["3"]), None).unwrap();
    test
}

fn numbers(test: &TestProject, options: &ListOptions) -> Vec<u64> {
    let list = test.project.list(options).unwrap();
    assert_eq!(list.total, list.items.len() as u64);
    list.items.iter().map(|item| item.number).collect()
}

fn by_number(options: ListOptions) -> ListOptions {
    ListOptions { sort: texts(&["number"]), ..options }
}

#[test]
fn last_changed_items_come_first_and_closed_ones_are_left_out() {
    let mut test = sample();
    assert_eq!(numbers(&test, &ListOptions::default()), [4, 1]);
    assert_eq!(numbers(&test, &by_number(ListOptions { all: true, ..ListOptions::default() })), [1, 2, 4]);
    let all = ListOptions { all: true, deleted: true, ..ListOptions::default() };
    assert_eq!(numbers(&test, &by_number(all)), [1, 2, 3, 4]);
    let kinds = ListOptions { kinds: vec![ItemKind::Issue, ItemKind::Epic], ..ListOptions::default() };
    assert_eq!(numbers(&test, &kinds), [1]);
    test.edit("1", &[("priority", "1")]);
    assert_eq!(numbers(&test, &ListOptions::default()), [1, 4]);
}

#[test]
fn a_filter_finds_items_by_every_field() {
    let test = sample();
    let check = |filter: &str, expect: &[u64]| {
        let options = by_number(ListOptions { filter: Some(filter.to_owned()), ..ListOptions::default() });
        assert_eq!(numbers(&test, &options), expect, "{filter}");
    };
    check("priority > 5", &[1]);
    check("text ~ crash", &[1, 4]);
    check("status == done", &[2]);
    check("state == closed or kind == story", &[2, 4]);
    check("assignee == bob", &[1]);
    check("assignee == none", &[4]);
    check("author == me", &[1, 4]);
    check("author != me", &[]);
    check("title ~ GRÖSSE", &[4]);
    check("(and (= kind issue) (> priority 5))", &[1]);
    check("", &[1, 4]);
}

#[test]
fn a_filter_that_cannot_be_read_points_at_the_place() {
    let test = sample();
    let list =
        |filter: &str| test.project.list(&ListOptions { filter: Some(filter.to_owned()), ..ListOptions::default() });
    insta::assert_snapshot!(refusal(list("priorty > 5")), @"
    Invalid: in the filter, unknown field `priorty` at column 1, did you mean `priority`?
    priorty > 5
    ^~~~~~~
    hint: fields are id, number, title, description, status, state, kind, labels, milestone, assignee, author, priority, size, severity, type, board, parent, blocked, waiting, approved, created, updated, started, expected, completed, due, comment_count, has_comments, text
    ");
    insta::assert_snapshot!(refusal(list("priority >")), @"
    Invalid: in the filter, expected a value at column 11, found end of filter
    priority >
              ^
    ");
    insta::assert_snapshot!(refusal(list("priority ~ 5")), @"
    Invalid: in the filter, expected `==`, `!=`, `<`, `<=`, `>`, `>=` or `in` for `priority` at column 10, found `~`
    priority ~ 5
             ^
    ");
}

#[test]
fn an_order_that_does_not_exist_names_the_nearest() {
    let test = sample();
    let sorted = test.project.list(&ListOptions { sort: texts(&["updatd"]), ..ListOptions::default() });
    insta::assert_snapshot!(refusal(sorted), @"Invalid: cannot sort by `updatd`; did you mean `updated`?");
}

#[test]
fn a_search_finds_the_beginnings_of_words_and_titles_come_first() {
    let test = sample();
    let check = |words: &str, expect: &[u64]| {
        let options = ListOptions { words: Some(words.to_owned()), all: true, ..ListOptions::default() };
        assert_eq!(numbers(&test, &options), expect, "{words}");
    };
    check("crash", &[1, 2, 4]);
    check("CRA", &[1, 2, 4]);
    check("crash start", &[1]);
    check("groß", &[4]);
    check("grOßE", &[4]);
    check("gone", &[]);
    check("guide OR crash", &[]);
    check("\"crash", &[1, 2, 4]);
    check("***", &[]);
    check("", &[]);
    check("nul\0crash", &[]);
}

#[test]
fn a_cursor_of_another_list_is_refused() {
    let test = sample();
    let page = ListOptions { limit: Some(1), ..ListOptions::default() };
    let cursor = test.project.list(&page).unwrap().next_cursor;
    let other = ListOptions { all: true, cursor: cursor.clone(), ..page.clone() };
    insta::assert_snapshot!(refusal(test.project.list(&other)), @"
    Invalid: this cursor is damaged or belongs to another list
    hint: leave the cursor out to start at the first page
    ");
    let damaged = ListOptions { cursor: Some("00".into()), ..page.clone() };
    insta::assert_snapshot!(refusal(test.project.list(&damaged)), @"
    Invalid: this cursor is damaged or belongs to another list
    hint: leave the cursor out to start at the first page
    ");
    let next = ListOptions { cursor, ..page };
    assert_eq!(test.project.list(&next).unwrap().items[0].number, 1);
}

#[test]
fn statistics_count_items_operations_and_people() {
    let test = sample();
    let stats = test.project.stats().unwrap();
    let task = stats.kinds.iter().find(|kind| kind.kind.name() == "task").unwrap();
    assert_eq!((task.open, task.closed, task.deleted), (0, 1, 1));
    assert_eq!(task.statuses.iter().find(|(name, _)| name == "done").unwrap().1, 1);
    assert_eq!((stats.closed_last_week, stats.closed_last_month), (1, 1));
    assert_eq!((stats.people, stats.labels), (2, 1));
    assert_eq!(stats.operations, 12);
    assert!(stats.index_bytes > 0);
}
