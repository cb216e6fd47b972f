//! Files made by Backlog.md itself. `cargo xtask ci --only test` installs it from npm, at the version of
//! `tests/importers/package.json`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use exchange::ImportFormat::Backlog;
use exchange::{ImportOptions, ImportView, ImportedDecision};
use serde_json::json;

use crate::harness::TestProject;

/// Returns the program, from the packages under `target/tools`; `None`, with a note, if it is not installed.
fn backlog() -> Option<PathBuf> {
    let packages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools/tests-importers/node_modules");
    let platforms = std::fs::read_dir(packages).into_iter().flatten().flatten();
    let mut programs = platforms.map(|entry| entry.path().join("backlog")).filter(|program| program.is_file());
    let found = programs.next();
    if found.is_none() {
        testkit::skip("there is no Backlog.md here; `cargo xtask ci --only test` installs it");
    }
    found
}

/// A folder with a project of the real tool.
struct Folder<'a> {
    program: &'a Path,
    path: &'a Path,
}

impl Folder<'_> {
    #[track_caller]
    fn run(&self, arguments: &[&str]) {
        let mut command = Command::new(self.program);
        command.args(arguments).current_dir(self.path).env_clear().env("HOME", self.path).env("TZ", "UTC");
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default()).stdin(Stdio::null());
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "backlog {arguments:?}: {said}");
    }

    /// Makes tasks with every field, a subtask, a draft, a completed task, a milestone and decisions.
    fn fill(&self) {
        self.run(&["init", "Shop", "--defaults", "--integration-mode", "none", "--no-git"]);
        self.run(&["milestone", "add", "Release 1", "--description", "All of it", "--due-date", "2027-01-31"]);
        let task = "task create --priority high --type feature --due-date 2026-12-31 -a @grace,@bob -l ui,web \
            --ref https://example.com/x --modified-file src/list.rs --doc docs/a.md --plain";
        let mut first: Vec<&str> = task.split_whitespace().collect();
        first.extend(["Sort: the \"list\"", "-d", "By name.\nAnd *more*.", "--ac", "Umlauts: ä", "--ac", "Empty"]);
        first.extend(["--dod", "Reviewed", "-m", "Release 1"]);
        self.run(&first);
        self.run(&["task", "create", "Names", "--dep", "task-1", "--plain"]);
        self.run(&["task", "create", "Part", "-p", "task-1", "-s", "In Progress", "--plan", "Step one", "--plain"]);
        self.run(&["task", "create", "Idea", "--draft", "--plain"]);
        let edit = ["task", "edit", "1", "--comment-author", "grace", "--comment", "Really?\nYes.", "--check-ac", "1"];
        self.run(&edit);
        self.run(&["task", "edit", "1", "-s", "Done", "--final-summary", "All sorted", "--plain"]);
        self.run(&["decision", "create", "Tabs", "-s", "accepted"]);
        self.run(&["decision", "create", "Spaces"]);
    }
}

fn import(test: &mut TestProject, folder: &Path) -> (ImportView, Vec<ImportedDecision>) {
    exchange::import(&mut test.project, Backlog, &[folder.to_owned()], &ImportOptions::default(), &mut |_| {}).unwrap()
}

#[test]
fn every_field_of_a_real_folder_is_kept() {
    let Some(program) = backlog() else { return };
    let mut test = TestProject::new();
    let path = test.files.path().to_owned();
    Folder { program: &program, path: &path }.fill();
    let (view, decisions) = import(&mut test, &path);
    assert_eq!((view.created, view.comments), (5, 1), "{view:?}");
    test.check("1", &json!({"kind": "task", "title": "Sort: the \"list\"", "status": "done", "state": "closed", "type": "feature", "priority": 7,
        "description": "By name.\nAnd *more*.\n\n## Acceptance Criteria\n- [x] Umlauts: ä\n- [ ] Empty\n\n## Definition of Done\n- [ ] Reviewed\n\n## Final Summary\n\nAll sorted",
        "assignees": ["grace", "bob"], "labels": ["ui", "web"], "milestone": "Release 1", "due": "2026-12-31",
        "touches": ["src/list.rs"], "blocks": ["Names"], "children": ["Part"], "imported": {"from": "backlog", "id": "task-1"},
        "extra": {"references": ["https://example.com/x"], "documentation": ["docs/a.md"]},
        "comments": [{"author": "grace", "body": "Really?\nYes."}]}));
    test.check(
        "task-2",
        &json!({"title": "Names", "status": "backlog", "blockedBy": ["Sort: the \"list\""], "due": null}),
    );
    test.check(
        "task-1.1",
        &json!({"title": "Part", "status": "in_progress", "parent": "Sort: the \"list\"",
        "description": "## Implementation Plan\n\nStep one"}),
    );
    test.check("draft-1", &json!({"title": "Idea", "status": "backlog", "imported": {"status": "draft"}}));
    test.check("milestone/1", &json!({"title": "Release 1", "due": "2027-01-31", "description": "All of it"}));
    let names: Vec<&str> = decisions.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["backlog decision-1"]);
    assert_eq!(decisions[0].text, "Tabs");
    let left: Vec<_> = view.left_out.iter().map(|one| (one.what.as_str(), one.count)).collect();
    assert_eq!(left, [("decision", 1)]);
    // The times are those of the files, to the minute.
    let item = test.show("1");
    let written = std::fs::read_to_string(path.join("backlog/tasks/task-1 - Sort-the-list.md")).unwrap();
    for (key, at) in [("created_date", item.created), ("updated_date", item.updated)] {
        let minute = at.to_string().get(..16).unwrap().replace('T', " ");
        assert!(written.contains(&format!("{key}: '{minute}'")), "{key} {minute}\n{written}");
    }
    let (again, _) = import(&mut test, &path);
    assert_eq!((again.created, again.updated, again.comments, again.unchanged), (0, 0, 0, 5));
}

#[test]
fn change_by_the_real_tool_updates_the_item() {
    let Some(program) = backlog() else { return };
    let mut test = TestProject::new();
    let path = test.files.path().to_owned();
    let folder = Folder { program: &program, path: &path };
    folder.run(&["init", "Shop", "--defaults", "--integration-mode", "none", "--no-git"]);
    folder.run(&["task", "create", "One", "--plain"]);
    import(&mut test, &path);
    folder.run(&["task", "edit", "1", "-t", "Uno", "-s", "In Progress", "--comment", "Hi", "--plain"]);
    let (view, _) = import(&mut test, &path);
    assert_eq!((view.created, view.updated, view.comments), (0, 1, 1));
    test.check("task-1", &json!({"title": "Uno", "status": "in_progress", "comments": [{"body": "Hi"}]}));
}
