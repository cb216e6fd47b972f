//! Imported items are found by their names in the tool they came from.

use app::ErrorKind;
use exchange::ImportFormat::{self, Github, Gitlab, Jira, Linear, Taiga};
use model::item_ref::ItemRef;
use serde_json::json;

use crate::harness::TestProject;

const GITHUB: &str = r#"[{"number": 12, "title": "Login", "state": "open", "html_url": "https://github.com/octo/shop/issues/12",
    "milestone": {"number": 3, "title": "1.0", "state": "open"}}]"#;
const GITLAB: &str = r#"[{"iid": 7, "project_id": 4, "title": "Slow", "state": "opened",
    "web_url": "https://gitlab.example.com/g/p/-/issues/7"}]"#;
const TAIGA: &str = r#"{"slug": "harbour", "user_stories": [{"ref": 40, "subject": "Berth", "status": "New"}]}"#;

fn given() -> TestProject {
    let mut test = TestProject::new();
    test.import(Jira, "Issue key,Summary\nPROJ-1,Pay\nENG-5,Both\n");
    test.import(Linear, "ID,Title,Status\nENG-5,Dark mode,Todo\nENG-6,Light mode,Todo\n");
    test.import(Github, GITHUB);
    test.import(Gitlab, GITLAB);
    test.import(Taiga, TAIGA);
    test
}

#[test]
fn keys_and_addresses_find_items() {
    let test = given();
    let check = |name: &str, title: &str| test.check(name, &json!({"title": title}));
    check("PROJ-1", "Pay");
    check("proj-1", "Pay");
    check("https://shop.atlassian.net/browse/PROJ-1", "Pay");
    check("ENG-6", "Light mode");
    check("https://linear.app/shop/issue/ENG-6/light-mode", "Light mode");
    check("octo/shop#12", "Login");
    check("https://github.com/octo/shop/issues/12#issuecomment-5", "Login");
    check("https://github.com/octo/shop/milestone/3", "1.0");
    check("https://gitlab.example.com/g/p/-/issues/7", "Slow");
    check("TG-40", "Berth");
    check("harbour#40", "Berth");
    check("https://taiga.example.org/project/harbour/us/40", "Berth");
}

#[test]
fn ambiguous_and_unknown_names_are_errors() {
    let test = given();
    let error = |name: &str| test.project.show(&ItemRef::parse(name)).unwrap_err();
    let both = error("ENG-5");
    assert_eq!(both.kind, ErrorKind::Invalid);
    assert!(both.message.starts_with("`ENG-5` can be issue #"), "{both:?}");
    for name in ["PROJ-9", "octo/shop#13", "https://github.com/octo/shop/issues/13", "TG-41"] {
        let error = error(name);
        assert_eq!((error.kind, error.message), (ErrorKind::NotFound, format!("item not found: `{name}`")));
    }
}

#[test]
fn every_format_can_be_named() {
    let formats = [
        ImportFormat::Jsonl,
        ImportFormat::Markdown,
        Github,
        Gitlab,
        Jira,
        Linear,
        Taiga,
        ImportFormat::Beads,
        ImportFormat::Backlog,
        ImportFormat::GitBug,
        ImportFormat::GitMile,
        ImportFormat::Csv,
        ImportFormat::Todo,
    ];
    let mut names = formats.map(ImportFormat::name);
    names.sort_unstable();
    assert_eq!(names, model::imported::TOOLS);
}
