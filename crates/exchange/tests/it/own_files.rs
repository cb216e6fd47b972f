//! Files that Cairn itself wrote, edited and imported again into the project they came from. Nothing that such a file does
//! not say is changed.

use app::verb::{LinkTarget, NewAttachment};
use app::{ChangeSet, NewItem};
use exchange::ImportFormat::{Beads, Csv, Jsonl, Markdown};
use exchange::{ExportFormat, ExportOptions, ImportOptions};
use model::field::{self, Field, FieldChange};
use model::item::ItemKind;
use model::item_ref::ItemRef;
use serde_json::{Value, json};

use crate::harness::TestProject;
use crate::round_trip::export;

/// Two items that were created here, with values that not every format has.
fn given() -> TestProject {
    let mut test = TestProject::new();
    for title in ["One", "Two"] {
        test.project.create(&NewItem::new(ItemKind::Issue, title)).unwrap();
    }
    let set = |field: &'static Field, text: &str| FieldChange::parse(field, text).unwrap();
    let fields = vec![
        set(&field::EXPECTED, "2027-01-01"),
        set(&field::COLOR, "#112233"),
        set(&field::PRIORITY, "7"),
        set(&field::BLOCKED, "vendor"),
    ];
    let changes = ChangeSet { fields, add_labels: vec!["bug".into()], ..ChangeSet::default() };
    test.project.edit(&[ItemRef::parse("1")], &changes).unwrap();
    let targets = [
        LinkTarget::Relates(ItemRef::parse("2")),
        LinkTarget::Blocks(ItemRef::parse("2")),
        LinkTarget::Touches("src/a.rs".into()),
    ];
    for target in targets {
        test.project.link(&ItemRef::parse("1"), &target, None).unwrap();
    }
    let file = NewAttachment { name: "shot.png".to_owned(), content: b"abc".to_vec() };
    test.project.attach(&ItemRef::parse("1"), &[file], None).unwrap();
    test
}

#[test]
fn unchanged_files_change_nothing() {
    let mut test = given();
    let text = export(&test, ExportFormat::Markdown);
    test.import_changes_nothing(Markdown, &text);
    let lines = ["1", "2"].map(|id| serde_json::to_string(&test.show(id)).unwrap()).join("\n");
    test.import_changes_nothing(Jsonl, &lines);
    let table = export(&test, ExportFormat::Csv);
    test.import_changes_nothing(Csv, &table);
}

#[test]
fn edited_file_keeps_attachments() {
    let mut test = given();
    let text = export(&test, ExportFormat::Markdown).replace("title: \"One\"", "title: \"Uno\"");
    test.import(Markdown, &text);
    test.check("1", &json!({"title": "Uno", "attachments": [{"name": "shot.png"}]}));
}

#[test]
fn table_changes_only_its_columns() {
    let mut test = given();
    let table = export(&test, ExportFormat::Csv).replace(",One,", ",Uno,").replace(",bug,", ",\"bug, new\",");
    let view = test.import(Csv, &table);
    assert_eq!((view.updated, view.left_out.len()), (1, 0), "{view:?}");
    test.check(
        "1",
        &json!({"title": "Uno", "labels": ["bug", "new"], "expected": "2027-01-01", "colour": "#112233", "priority": 7,
        "blocked": {"is": true, "reason": "vendor"}, "relates": ["Two"], "blocks": ["Two"], "touches": ["src/a.rs"],
        "attachments": [{"name": "shot.png"}]}),
    );
    // An empty cell of a column that is there clears the value.
    let id = test.show("1").id;
    test.import(Csv, &format!("id,title,labels\n{id},Uno,\n"));
    test.check("1", &json!({"labels": [], "priority": 7}));
}

#[test]
fn closing_in_a_table_sets_the_day() {
    let mut test = given();
    let id = test.show("1").id;
    test.import(Csv, &format!("id,title,status\n{id},One,done\n"));
    test.check("1", &json!({"state": "closed", "completed": "2026-03-10"}));
    test.import(Csv, &format!("id,title,status\n{id},One,ready\n"));
    test.check("1", &json!({"state": "open", "completed": null}));
}

#[test]
fn line_with_the_id_of_an_item_changes_only_its_keys() {
    let mut test = given();
    let id = test.show("1").id;
    let view = test.import(Jsonl, &json!({"id": id, "title": "Uno", "labels": [], "color": null}).to_string());
    assert_eq!(view.updated, 1);
    test.check(
        "1",
        &json!({"title": "Uno", "labels": [], "colour": null, "expected": "2027-01-01", "priority": 7, "blocks": ["Two"],
        "touches": ["src/a.rs"], "attachments": [{"name": "shot.png"}], "blocked": {"is": true}}),
    );
}

/// An issue of beads that was edited in an exported file.
#[test]
fn edits_in_a_file_count_as_changes_made_here() {
    let mut test = TestProject::new();
    let issue = r#"{"id": "bd-1", "title": "One", "priority": 2, "created_at": "2025-01-01T00:00:00Z"}"#;
    test.import(Beads, issue);
    let text = export(&test, ExportFormat::Markdown);
    let edited = text.replace("\"One\"", "\"Uno\"");
    test.import(Markdown, &edited);
    // The source has not changed, so the edit stays.
    test.import_changes_nothing(Beads, issue);
    test.check("1", &json!({"title": "Uno"}));
    // Back to the text of the source: also an edit.
    test.import(Markdown, &text);
    test.check("1", &json!({"title": "One"}));
}

#[test]
fn field_with_the_name_of_a_flag_does_not_hide_the_others() {
    let mut test = TestProject::new();
    test.import(Jsonl, r#"{"title": "One", "extra": {"is": false, "customer": "Acme"}}"#);
    let mut other = TestProject::new();
    other.import(Markdown, &export(&test, ExportFormat::Markdown));
    other.check("1", &json!({"extra": {"is": false, "customer": "Acme"}}));
}

#[test]
fn renamed_item_has_one_file_in_a_folder() {
    let mut test = given();
    let folder = test.files.path().join("split");
    let write =
        |test: &TestProject| exchange::export_folder(&test.project, &ExportOptions::default(), &folder).unwrap();
    write(&test);
    // A file of a person, with a name like ours.
    std::fs::write(folder.join("issue-1-notes.md"), "---\ntitle: \"Notes\"\n---\n").unwrap();
    let title = FieldChange::parse(&field::TITLE, "Uno").unwrap();
    test.project.edit(&[ItemRef::parse("1")], &ChangeSet { fields: vec![title], ..ChangeSet::default() }).unwrap();
    write(&test);
    let mut names: Vec<String> =
        std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, ["issue-1-notes.md", "issue-1-uno.md", "issue-2-two.md"]);
    std::fs::remove_file(folder.join("issue-1-notes.md")).unwrap();
    let options = ImportOptions::default();
    let view = exchange::import(&mut test.project, Markdown, &[folder], &options, &mut |_| {}).unwrap().0;
    assert_eq!((view.created, view.updated, view.unchanged), (0, 0, 2));
}

#[test]
fn misspelled_key_of_a_comment_is_refused() {
    let mut test = TestProject::new();
    let mut check = |comment: &Value, message: &str| {
        let line = json!({"title": "One", "comments": [comment]}).to_string();
        let error = test.try_import(Jsonl, &line).unwrap_err().message;
        assert!(error.ends_with(message), "{error}");
    };
    let unknown = "(expected: author, body, created, id)";
    check(
        &json!({"body": "x", "created_at": "2024-01-01"}),
        &format!("unknown key `created_at` of a comment {unknown}"),
    );
    check(&json!({"body": "x", "user": "bob"}), &format!("unknown key `user` of a comment {unknown}"));
    test.import(
        Jsonl,
        &json!({"title": "One", "comments": [{"body": "x", "imported": "github", "former": []}]}).to_string(),
    );
}

#[test]
fn quoted_formula_comes_back_from_a_table() {
    let mut test = TestProject::new();
    test.import(Jsonl, r#"{"title": "'=1+1"}"#);
    let mut other = TestProject::new();
    other.import(Csv, &export(&test, ExportFormat::Csv));
    other.check("1", &json!({"title": "'=1+1"}));
}

#[test]
fn table_in_another_project_names_its_own_items() {
    let mut given = TestProject::new();
    let items = "{\"id\": \"a\", \"title\": \"First\"}\n{\"id\": \"b\", \"title\": \"Second\", \"labels\": [\"x;y\", \"z\"], \"blockedBy\": [\"a\"]}";
    given.import(Jsonl, items);
    let mut table = Vec::new();
    exchange::export(&given.project, ExportFormat::Csv, &ExportOptions::default(), &mut table).unwrap();
    let table = String::from_utf8(table).unwrap();
    let mut other = TestProject::new();
    // Numbers of that table are not those of this project.
    other.import(Jsonl, "{\"title\": \"Another one\"}");
    other.import(Csv, &table);
    other.check("2", &json!({"title": "Second", "labels": ["x;y", "z"], "blockedBy": ["First"]}));
    other.import_changes_nothing(Csv, &table);
}
