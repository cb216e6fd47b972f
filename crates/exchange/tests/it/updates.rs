//! A second import: what the source changed is updated, what was changed here stays.

use app::ChangeSet;
use exchange::ImportFormat::Beads;
use model::field::{FieldChange, PRIORITY, TITLE};
use model::item_ref::ItemRef;
use serde_json::{Value, json};

use crate::harness::TestProject;

fn issue(changes: &Value) -> String {
    let mut issue = json!({"id": "bd-1", "title": "One", "status": "open", "priority": 2, "labels": ["a", "b"],
        "created_at": "2025-01-01T00:00:00Z", "updated_at": "2025-01-02T00:00:00Z",
        "comments": [{"id": 1, "author": "ada", "text": "First", "created_at": "2025-01-01T10:00:00Z"}]});
    for (name, value) in changes.as_object().unwrap() {
        issue[name] = value.clone();
    }
    issue.to_string()
}

#[test]
fn second_import_updates_what_the_source_changed() {
    let mut test = TestProject::new();
    test.import(Beads, &issue(&json!({})));
    let comments = json!([{"id": 1, "author": "ada", "text": "First, edited", "created_at": "2025-01-01T10:00:00Z"},
        {"id": 2, "author": "bob", "text": "Second", "created_at": "2025-01-03T10:00:00Z"}]);
    let changed = issue(&json!({"title": "Uno", "labels": ["b", "c"], "comments": comments,
        "updated_at": "2025-01-04T00:00:00Z"}));
    let view = test.import(Beads, &changed);
    assert_eq!((view.created, view.updated, view.comments), (0, 1, 2));
    test.check(
        "1",
        &json!({"title": "Uno", "labels": ["b", "c"], "updated": "2025-01-04T00:00:00Z",
        "comments": [{"body": "First, edited"}, {"body": "Second"}]}),
    );
    test.import_changes_nothing(Beads, &changed);
}

#[test]
fn changes_made_here_survive_a_second_import() {
    let mut test = TestProject::new();
    test.import(Beads, &issue(&json!({})));
    let set = ChangeSet {
        fields: vec![FieldChange::parse(&TITLE, "Mine").unwrap(), FieldChange::parse(&PRIORITY, "8").unwrap()],
        add_labels: vec!["mine".into()],
        remove_labels: vec!["a".into()],
        ..ChangeSet::default()
    };
    test.project.edit(&[ItemRef::parse("1")], &set).unwrap();
    test.import_changes_nothing(Beads, &issue(&json!({})));
    // The source changed the priority meanwhile: that is news, the title is not.
    test.import(Beads, &issue(&json!({"priority": 0})));
    test.check("1", &json!({"title": "Mine", "priority": 9, "labels": ["b", "mine"]}));
}

#[test]
fn deleted_item_stays_deleted() {
    let mut test = TestProject::new();
    test.import(Beads, &issue(&json!({})));
    test.project.delete(&[ItemRef::parse("1")], None).unwrap();
    let view = test.import(Beads, &issue(&json!({"title": "Uno"})));
    assert_eq!((view.updated, view.left_out[0].why.as_str()), (0, "it was deleted here"));
}
