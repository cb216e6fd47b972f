//! To-do comments in code.

use exchange::ImportFormat::Todo;
use exchange::{ImportOptions, ImportView};
use serde_json::json;
use testkit::git_in;

use crate::harness::TestProject;

fn import(test: &mut TestProject) -> ImportView {
    let folder = test.fixture.path().to_owned();
    exchange::import(&mut test.project, Todo, &[folder], &ImportOptions::default(), &mut |_| {}).unwrap().0
}

#[test]
fn comments_become_tasks_linked_to_their_code() {
    let mut test = TestProject::new();
    let path = test.fixture.path().to_owned();
    let code = "fn sort() {\n    // TODO(grace): umlauts\n    let x = \"TODO: no\";\n}\n// FIXME all of it\n";
    std::fs::write(path.join("list.rs"), code).unwrap();
    std::fs::write(path.join("data.bin"), b"// TODO: \0 binary").unwrap();
    git_in(&path, &["add", "."]);
    git_in(&path, &["commit", "-q", "-m", "Sort", "--author", "Grace Hopper <grace@example.com>"]);
    let view = import(&mut test);
    assert_eq!(view.created, 2);
    test.check(
        "1",
        &json!({"kind": "task", "title": "umlauts", "type": "todo", "touches": ["list.rs:sort"],
        "author": "Grace Hopper <grace@example.com>", "imported": {"from": "todo", "id": "list.rs:sort: umlauts"}}),
    );
    test.check("2", &json!({"title": "all of it", "type": "fixme", "touches": ["list.rs"]}));
    // Lines move; the task stays the same.
    std::fs::write(path.join("list.rs"), format!("\n\n{code}")).unwrap();
    git_in(&path, &["commit", "-q", "-a", "-m", "Move"]);
    let again = import(&mut test);
    assert_eq!(again.created, 0);
}
