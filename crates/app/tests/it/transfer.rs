//! Export and import: nothing is lost or duplicated.

use app::verb::ListOptions;
use app::{ErrorKind, Project};
use model::item::ItemKind;
use proptest::prelude::*;
use serde_json::json;
use store::format::v1;
use store::index::CLOCK_JUMP;
use uuid::Uuid;

use crate::harness::{TestProject, by_name, cases, check_error};
use crate::random_log::line;

fn export(project: &Project) -> Vec<u8> {
    let mut bytes = Vec::new();
    let n_lines = project.export(&mut bytes).unwrap();
    assert_eq!(n_lines, bytes.split_inclusive(|byte| *byte == b'\n').count());
    bytes
}

/// Returns the visible state of a project.
fn seen(project: &Project) -> String {
    let every = ListOptions { all: true, deleted: true, sort: vec!["number".into()], ..ListOptions::default() };
    let items = project.list(&every).unwrap().items;
    let whole: Vec<_> = items.iter().map(|item| project.show(&by_name(&item.id)).unwrap()).collect();
    format!("{whole:#?}\n{:#?}\n{:#?}", project.members().unwrap(), project.workflows(None).unwrap())
}

#[track_caller]
fn assert_same(own: &str, other: &str) {
    let differing = own.lines().zip(other.lines()).find(|(own, other)| own != other);
    assert!(own == other, "{differing:?}");
}

proptest! {
    #![proptest_config(cases(32))]

    #[test]
    fn an_export_imports_to_the_same_and_only_once(lines in proptest::collection::vec(line(), 1..50)) {
        let mut given = TestProject::with(ItemKind::Task, &["One"]);
        for lines in lines.chunks(20) {
            let mut readable: Vec<&[u8]> = lines.iter().map(|line| line.0.trim_ascii()).collect();
            readable.retain(|line| v1::read(line).is_ok());
            if given.project.import(&mut readable.join(&b'\n').as_slice()).is_err() {
                readable.retain(|line| v1::read(line).unwrap().stamp.lamport < CLOCK_JUMP);
                given.project.import(&mut readable.join(&b'\n').as_slice()).unwrap();
            }
        }
        let exported = export(&given.project);
        let mut other = TestProject::new();
        let first = other.project.import(&mut exported.as_slice()).unwrap();
        prop_assert_eq!((first.known, first.created), (0, 0));
        assert_eq!(String::from_utf8_lossy(&export(&other.project)), String::from_utf8_lossy(&exported));
        assert_same(&seen(&other.project), &seen(&given.project));
        let again = other.writes_nothing(|other| other.project.import(&mut exported.as_slice()).unwrap());
        prop_assert_eq!((again.operations, again.known), (0, first.operations));
    }
}

#[test]
fn a_large_import_goes_into_files_and_comes_back() {
    let mut given = TestProject::new();
    let body = "x".repeat(200_000);
    for n in 0..9 {
        given.create(ItemKind::Task, &format!("Item {n}"));
        given.project.comment(&by_name((n + 1).to_string()), &format!("{n} {body}"), None).unwrap();
    }
    let exported = export(&given.project);
    let mut other = TestProject::new();
    other.project.import(&mut exported.as_slice()).unwrap();
    assert!(other.fixture.git(&["ls-tree", "-r", "--name-only", "refs/cairn/work"]).contains("ops/000001.jsonl"));
    assert_eq!(export(&other.project), exported);
    assert_same(&seen(&other.project), &seen(&given.project));
}

#[test]
fn plain_lines_become_items() {
    let mut test = TestProject::with(ItemKind::Task, &["One"]);
    let lines = concat!(
        "{\"title\": \"Two\", \"kind\": \"task\", \"labels\": [\"bug\"], \"priority\": 3, \"assignee\": \"me\"}\n\n",
        "{\"title\": \"Three\", \"status\": \"done\", \"comments\": [\"one\", {\"body\": \"two\"}], \"mood\": {\"a\": 1}}",
    );
    let view = test.project.import(&mut lines.as_bytes()).unwrap();
    assert_eq!((view.operations, view.created), (0, 2));
    let two = test.show("2");
    assert_eq!((two.kind.name(), two.priority, two.labels.as_slice()), ("task", 3, ["bug".to_owned()].as_slice()));
    assert_eq!(two.assignee.as_deref(), Some("Ada Lovelace <ada@example.com>"));
    let three = test.show("3");
    assert_eq!((three.kind.name(), three.state.name(), three.comment_count), ("issue", "closed", 2));
    assert_eq!(three.extra["mood"]["a"], 1);
    assert_eq!(test.project.log(1).unwrap().entries[0].text, "import 2 items");
}

#[test]
fn plain_lines_name_other_items_as_people_do() {
    let mut test = TestProject::with(ItemKind::Board, &["Wall"]);
    let lines = "{\"title\": \"Two\", \"board\": \"Wall\"}\n{\"title\": \"Three\", \"board\": 1}";
    test.project.import(&mut lines.as_bytes()).unwrap();
    let board = |id: &str| test.show(id).board.map(|board| board.title);
    assert_eq!([board("1"), board("2")], [Some("Wall".to_owned()), Some("Wall".to_owned())]);
    let lines = "{\"title\": \"Four\", \"board\": \"Fence\"}";
    let refused = test.writes_nothing(|test| test.project.import(&mut lines.as_bytes()));
    check_error(refused, ErrorKind::Invalid, "line 1: item not found: `Fence`", "by its number");
    let lines = "{\"title\": \"Four\", \"board\": {\"number\": 1}}";
    let refused = test.writes_nothing(|test| test.project.import(&mut lines.as_bytes()));
    check_error(refused, ErrorKind::Invalid, "line 1: `board` must be text", "by its title or number");
}

#[test]
fn an_import_is_taken_whole_or_not_at_all() {
    let mut test = TestProject::new();
    let mut check = |lines: &str, message: &str| {
        let refused = test.writes_nothing(|test| test.project.import(&mut lines.as_bytes()));
        check_error(refused, ErrorKind::Invalid, message, "");
    };
    check("{\"title\": \"One\"}\nnot json", "line 2: it is not JSON");
    check("{\"title\": \"One\"}\n{\"name\": \"Two\"}", "line 2: it is neither an operation of an export");
    check("{\"title\": \"One\"}\n{\"title\": \"\"}", "line 2: the title is empty");
    check("{\"title\": \"One\", \"kind\": \"comet\"}", "line 1: unknown kind `comet`");
    check("{\"title\": \"One\", \"priority\": 11}", "line 1: invalid priority `11`");
    check("{\"title\": \"One\", \"labels\": [\"a,b\"]}", "line 1: the label `a,b` contains a comma");
    check("[1]", "line 1: it is neither");
}

#[test]
fn an_operation_too_far_ahead_of_the_clock_is_refused() {
    let mut test = TestProject::with(ItemKind::Task, &["One"]);
    let mut import = |lamport: u64| {
        let op = json!({"v": 1, "id": Uuid::from_u128(1), "entity": Uuid::from_u128(2), "lamport": lamport,
            "kind": "create", "item": "task", "number": 2});
        test.project.import(&mut op.to_string().as_bytes()).map(|view| view.operations)
    };
    let message = "operation 00000000-0000-0000-0000-000000000001 runs too far ahead of the clock";
    check_error(import(CLOCK_JUMP + 2), ErrorKind::Invalid, message, "an export of the whole project");
    assert_eq!(import(CLOCK_JUMP + 1).unwrap(), 1);
    assert_eq!(test.show("2").kind.name(), "task");
}

#[test]
fn items_among_operations_are_refused() {
    let mut test = TestProject::with(ItemKind::Task, &["One"]);
    let mut lines = export(&test.project);
    lines.extend(b"{\"title\": \"Two\"}\n");
    let refused = test.writes_nothing(|test| test.project.import(&mut lines.as_slice()));
    check_error(refused, ErrorKind::Invalid, "line 2: an item among the operations of an export", "from two files");
}
