//! Work in columns: the content, its order, and the limits.

use app::verb::{CloseOptions, ColumnsOptions, MoveTo, Placement, StatusChange};
use app::view::{ColumnsView, EventView};
use app::{ChangeSet, ErrorKind};
use model::field::{Field, FieldChange};
use model::item::ItemKind;
use model::item_ref::ItemRef;

use crate::harness::{TestProject, by_name, ids};

fn asked(board: Option<&str>, filter: Option<&str>) -> ColumnsOptions {
    ColumnsOptions {
        board: board.map(by_name),
        filter: filter.map(str::to_owned),
        limit: 10,
        ..ColumnsOptions::default()
    }
}

/// Formats the non-empty columns as `status: numbers`.
fn shown(view: &ColumnsView) -> Vec<String> {
    let filled = view.columns.iter().filter(|column| !column.items.is_empty());
    let line = |column: &app::view::ColumnView| {
        let numbers: Vec<String> = column.items.iter().map(|item| item.number.to_string()).collect();
        format!("{}: {}", column.status, numbers.join(" "))
    };
    filled.map(line).collect()
}

#[test]
fn columns_are_ranked_and_closed_work_is_there() {
    let mut test = TestProject::with(ItemKind::Task, &["One", "Two", "Three", "Four"]);
    test.edit("2", &[("priority", "5")]);
    test.project.move_item(&ItemRef::parse("2"), &MoveTo::Top).unwrap();
    test.edit("3", &[("status", "review")]);
    test.project.close(&ids(&["4"]), &CloseOptions::default()).unwrap();
    let view = test.project.columns(&asked(None, None)).unwrap();
    assert_eq!(shown(&view), ["backlog: 2 1", "review: 3", "done: 4"]);
    let names: Vec<&str> = view.columns.iter().map(|column| column.status.as_str()).collect();
    assert_eq!(names, ["backlog", "ready", "in_progress", "review", "done"]);
    assert!(view.columns[4].closed && !view.columns[0].closed);
}

#[test]
fn columns_are_sorted_and_searched_as_asked() {
    let mut test = TestProject::with(ItemKind::Task, &["One", "Two", "Three"]);
    test.edit("3", &[("priority", "5")]);
    let sort = vec!["priority:desc".to_owned(), "number:desc".to_owned()];
    let sorted = ColumnsOptions { sort, limit: 9, ..ColumnsOptions::default() };
    assert_eq!(shown(&test.project.columns(&sorted).unwrap()), ["backlog: 3 2 1"]);
    let searched = ColumnsOptions { words: Some("two".to_owned()), limit: 9, ..ColumnsOptions::default() };
    assert_eq!(shown(&test.project.columns(&searched).unwrap()), ["backlog: 2"]);
    let unknown = ColumnsOptions { sort: vec!["color".to_owned()], ..ColumnsOptions::default() };
    assert_eq!(test.project.columns(&unknown).unwrap_err().kind, ErrorKind::Invalid);
}

#[test]
fn a_card_is_put_at_a_place_in_one_commit() {
    let mut test = TestProject::with(ItemKind::Task, &["One", "Two", "Three"]);
    let n_commits = test.project.log(1).unwrap().total;
    let status = FieldChange::parse(Field::try_find("status").unwrap(), "ready").unwrap();
    let to_ready = |to| Placement { to: Some(to), set: ChangeSet::of_fields([status.clone()]) };
    test.project.place(&ItemRef::parse("1"), &to_ready(MoveTo::Top)).unwrap();
    assert_eq!(test.project.log(1).unwrap().total, n_commits + 1);
    test.project.place(&ItemRef::parse("3"), &to_ready(MoveTo::Before(ItemRef::parse("1")))).unwrap();
    assert_eq!(shown(&test.project.columns(&asked(None, None)).unwrap()), ["backlog: 2", "ready: 3 1"]);
}

#[test]
fn the_feed_says_who_did_what_to_which_item() {
    let mut test = TestProject::with(ItemKind::Task, &["One", "Two"]);
    test.edit("1", &[("status", "review")]);
    test.project.close(&ids(&["2"]), &CloseOptions::default()).unwrap();
    let texts: Vec<String> = test.project.feed(5).unwrap().iter().map(EventView::text).collect();
    insta::assert_snapshot!(texts.join("\n"), @"
    closed #2 Two as done
    moved #1 One to review
    ");
    let events = test.project.events(&ItemRef::parse("1")).unwrap();
    assert_eq!(events.iter().map(|event| event.verb).collect::<Vec<_>>(), ["created", "moved"]);
}

#[test]
fn shares_count_items_by_category() {
    let mut test = TestProject::with(ItemKind::Task, &["One", "Two", "Three"]);
    let epic = test.create(ItemKind::Epic, "Epic");
    for number in ["1", "2"] {
        test.edit(number, &[("parent", &epic.id)]);
    }
    test.edit("1", &[("status", "done")]);
    let shares = test.project.shares_by_parent().unwrap();
    assert_eq!((shares[&epic.id].done, shares[&epic.id].total(), shares[""].total()), (1, 2, 1));
}

#[test]
fn a_board_shows_its_items_and_a_filter_selects_among_them() {
    let mut test = TestProject::with(ItemKind::Board, &["Team", "Other"]);
    for (title, board) in [("One", "1"), ("Two", "2"), ("Three", "1")] {
        let made = test.create(ItemKind::Issue, title);
        test.edit(&made.number.to_string(), &[("board", board)]);
    }
    assert_eq!(shown(&test.project.columns(&asked(Some("1"), None)).unwrap()), ["backlog: 1 3"]);
    assert_eq!(shown(&test.project.columns(&asked(Some("1"), Some("title ~ three"))).unwrap()), ["backlog: 3"]);
    assert_eq!(shown(&test.project.columns(&asked(None, None)).unwrap()), ["backlog: 1 2 3"]);
    let error = test.project.columns(&asked(Some("1"), Some("colour == red"))).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Invalid, "{error}");
    insta::assert_snapshot!(error.message, @"
    in the filter, unknown field `colour` at column 1, expected a field
    colour == red
    ^~~~~~
    ");
    assert_eq!(test.project.columns(&asked(Some("3"), None)).unwrap_err().kind, ErrorKind::NotFound);
}

#[test]
fn a_column_shows_as_many_as_were_asked_for_and_counts_the_rest() {
    let test = TestProject::with(ItemKind::Task, &["One", "Two", "Three", "Four", "Five"]);
    let mut options = ColumnsOptions { limit: 2, ..ColumnsOptions::default() };
    let view = test.project.columns(&options).unwrap();
    assert_eq!((shown(&view), view.columns[0].total), (vec!["backlog: 1 2".to_owned()], 5));
    options.longer = vec![("backlog".to_owned(), 4)];
    assert_eq!(shown(&test.project.columns(&options).unwrap()), ["backlog: 1 2 3 4"]);
}

#[test]
fn a_status_named_as_a_state_and_one_of_another_kind_are_columns_of_their_own() {
    let mut test = TestProject::with(ItemKind::Task, &["One", "Two"]);
    let todo = StatusChange { category: Some("todo".to_owned()), ..StatusChange::default() };
    test.project.set_status(ItemKind::Task, "open", &todo).unwrap();
    test.edit("2", &[("status", "open")]);
    assert_eq!(shown(&test.project.columns(&asked(None, None)).unwrap()), ["backlog: 1", "open: 2"]);
    test.project.set_status(ItemKind::Story, "told", &todo).unwrap();
    let view = test.project.columns(&asked(None, None)).unwrap();
    assert!(view.columns.iter().any(|column| column.status == "told" && column.total == 0));
}
