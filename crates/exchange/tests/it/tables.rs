//! Tables: Linear, and any CSV with a mapping.

use exchange::ImportFormat::{Csv, Linear};
use exchange::{ImportOptions, ReadOptions};
use serde_json::json;

use crate::harness::TestProject;

const LINEAR: &str = r#"ID,Team,Title,Description,Status,Estimate,Priority,Project ID,Project,Creator,Assignee,Labels,Cycle Number,Cycle Name,Cycle Start,Cycle End,Created,Updated,Started,Triaged,Completed,Canceled,Archived,Due Date,Parent issue,Initiatives,Blocked by
ENG-5,Engineering,Dark mode,Text,In Review,3,Urgent,p1,Design,grace@example.com,ada@example.com,"ui, theme",4,Cycle 4,,,2024-04-01T10:00:00.000Z,2024-04-02T10:00:00.000Z,2024-04-01T12:00:00.000Z,,,,,2024-05-01,,,ENG-6
ENG-6,Engineering,Colors,,Canceled,,No priority,,,grace@example.com,,,,,,,Mon Apr 01 2024 10:00:00 GMT+0000 (GMT),2024-04-02T10:00:00.000Z,,,,2024-04-02T10:00:00.000Z,,,ENG-5,,
"#;

#[test]
fn issues_of_linear_keep_every_field() {
    let mut test = TestProject::new();
    let view = test.import(Linear, LINEAR);
    assert_eq!(view.created, 4);
    test.check(
        "2",
        &json!({"title": "Dark mode", "description": "Text", "status": "review", "priority": 9, "parent": "Design",
        "milestone": "Cycle 4", "author": "grace@example.com", "assignees": ["Ada Lovelace <ada@example.com>"],
        "labels": ["theme", "ui"], "created": "2024-04-01T10:00:00Z", "updated": "2024-04-02T10:00:00Z",
        "started": "2024-04-01", "due": "2024-05-01", "blockedBy": ["Colors"], "extra": {"estimate": "3"},
        "imported": {"from": "linear", "id": "ENG-5", "status": "In Review"}}),
    );
    test.check(
        "3",
        &json!({"status": "done", "completed": "2024-04-02", "priority": 0, "parent": "Dark mode",
        "created": "2024-04-01T10:00:00Z", "imported": {"status": "Canceled"}}),
    );
    test.import_changes_nothing(Linear, LINEAR);
}

#[test]
fn any_table_is_read_with_a_mapping() {
    let mut test = TestProject::new();
    let mapping = test.file("fields.txt", "# fields\nid = Ticket\ntitle = Summary\nstatus = State\ncreated = Opened\nlabels = Tag\nextra.customer = Customer\nurl = Link\n");
    let options = ImportOptions {
        read: ReadOptions { mapping: Some(mapping), ..ReadOptions::default() },
        ..ImportOptions::default()
    };
    let text = "Ticket;Summary;State;Opened;Tag;Tag;Customer;Link\nT-1;\"Printer; on fire\";Closed;01.06.2024;hot;a, b;Acme;https://x/1\n";
    test.import_with(Csv, text, &options).unwrap();
    test.check("1", &json!({"title": "Printer; on fire", "status": "done", "created": "2024-06-01T00:00:00Z",
        "labels": ["a", "b", "hot"], "extra": {"customer": "Acme"}, "imported": {"from": "csv", "id": "T-1", "url": "https://x/1"}}));
    assert_eq!(test.import_with(Csv, text, &options).unwrap().unchanged, 1);
    let error = test.import_with(Csv, "Ticket;Summary\nT-1;x\n", &options).unwrap_err();
    insta::assert_snapshot!(testkit::redact(&error.message), @"`<tmp>/input` has no column `State` (it has: summary, ticket)");
}

#[test]
fn mapping_and_columns_are_checked() {
    let mut test = TestProject::new();
    let mapping = test.file("bad.txt", "titel = Summary\n");
    let read = ReadOptions { mapping: Some(mapping), ..ReadOptions::default() };
    let options = ImportOptions { read, ..ImportOptions::default() };
    let error = test.import_with(Csv, "Summary\nx\n", &options).unwrap_err();
    insta::assert_snapshot!(testkit::redact(&error.message), @"`<tmp>/bad.txt`: line 1: unknown field `titel` (expected: id, number, kind, title, description, status, state, priority, size, severity, type, labels, author, assignee, assignees, created, updated, closed, started, expected, completed, due, milestone, board, parent, blocks, blockedBy, relates, touches, blocked, approved, color, url, extra.NAME)");
    test.refuses(Csv, "Name\nx\n", "no column of `<tmp>/input` is the title");
    test.refuses(
        Csv,
        "title,priority\nx,huge\n",
        "`<tmp>/input`: line 2, column `priority`: unknown priority `huge` (expected: urgent, high, medium, low, none, or 0 to 10)",
    );
    test.refuses(
        Csv,
        "title,due\nx,soon\n",
        "`<tmp>/input`: line 2, column `due`: invalid date `soon`; write 2026-01-31",
    );
    test.import(Csv, "title,due,labels\nOne,2026-01-02,\"a, b\"\n");
    test.check("1", &json!({"title": "One", "due": "2026-01-02", "labels": ["a", "b"]}));
}

#[test]
fn cycles_of_linear_have_days_and_priorities_their_words() {
    let mut test = TestProject::new();
    let table = "ID,Title,Priority,Cycle Name,Cycle Start,Cycle End,Project Milestone\n\
        E-1,x,Urgent,Cycle 4,2024-03-01,2024-03-14,Beta\nE-2,y,Sky-high,,,,\n";
    let view = test.import(Linear, table);
    test.check("milestone/1", &json!({"title": "Cycle 4", "started": "2024-03-01", "due": "2024-03-14"}));
    test.check("E-1", &json!({"priority": 9, "extra": {"project_milestone": "Beta"}}));
    let mapped: Vec<_> = view.mapped.iter().filter(|one| one.field == "priority").collect();
    assert_eq!(mapped.iter().map(|one| (one.from.as_str(), one.to.as_str())).collect::<Vec<_>>(), [("Urgent", "9")]);
    assert_eq!((view.left_out[0].what.as_str(), view.left_out[0].example.as_str()), ("priority", "Sky-high"));
}

#[test]
fn rows_of_linear_may_lack_the_last_cell() {
    let head = "ID,Team,Title,Status,Created,Blocks,SLA Status,Roadmaps\n";
    let mut test = TestProject::new();
    let rows = "IN-1,App,License,Done,2024-05-14T08:53:33Z,,\nIN-2,App,'- not a formula,Todo,2024-05-14T08:53:33Z,\"IN-1, IN-3\",\nIN-3,App,Last,Todo,2024-05-14T08:53:33Z,,";
    assert_eq!(test.import(Linear, &format!("{head}{rows}")).created, 3);
    // Linear guards texts that a spreadsheet would take for a formula.
    test.check("IN-2", &json!({"title": "- not a formula", "blocks": ["Last", "License"]}));
    test.refuses(
        Linear,
        &format!("{head}IN-4,App,Cut"),
        "`<tmp>/input`: line 2, column 4: the row has 3 cells, the heading has 8",
    );
    test.refuses(
        Linear,
        &format!("{head}IN-4,App,Long,Todo,,,,,\n"),
        "`<tmp>/input`: line 2, column 9: the row has 9 cells, the heading has 8",
    );
}
