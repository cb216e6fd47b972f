//! Runs every session in the guide.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace is there")
}

fn check(page: &str) {
    testkit::check_page(&root().join(page), Path::new(env!("CARGO_BIN_EXE_cairn")));
}

#[test]
fn readme_session_is_true() {
    check("README.md");
}

#[test]
fn getting_started_is_true() {
    check("docs/guide/getting-started.md");
}

#[test]
fn annotations_page_is_true() {
    check("docs/guide/annotations.md");
}

#[test]
fn board_page_is_true() {
    check("docs/guide/board.md");
}

#[test]
fn importing_page_is_true() {
    check("docs/guide/importing.md");
}

#[test]
fn exporting_page_is_true() {
    check("docs/guide/exporting.md");
}

#[test]
fn filters_are_true() {
    check("docs/guide/filters.md");
}

#[test]
fn planning_is_true() {
    check("docs/guide/planning.md");
}

#[test]
fn sharing_is_true() {
    check("docs/guide/sharing.md");
}

#[test]
fn agents_page_is_true() {
    check("docs/guide/agents.md");
}

#[test]
fn coding_agents_page_is_true() {
    check("docs/guide/coding-agents.md");
}

#[test]
fn commits_page_is_true() {
    check("docs/guide/commits.md");
}

#[test]
fn checking_page_is_true() {
    check("docs/guide/checking.md");
}

#[test]
fn inbox_page_is_true() {
    check("docs/guide/inbox.md");
}

#[test]
fn several_servers_are_true() {
    let Some(database) = testkit::postgres::TestDatabase::shared() else { return };
    let (page, program) = (root().join("docs/guide/several-servers.md"), Path::new(env!("CARGO_BIN_EXE_cairn")));
    testkit::check_page_with(&page, program, &[("CAIRN_DATABASE", &database.url())]);
}

#[test]
fn team_server_is_true() {
    check("docs/guide/team-server.md");
}

#[test]
fn taiga_page_is_true() {
    check("docs/guide/taiga.md");
}

#[test]
fn taiga_bridge_page_is_true() {
    check("docs/guide/taiga-bridge.md");
}

#[test]
fn terminal_page_is_true() {
    check("docs/guide/terminal.md");
}

#[test]
fn troubleshooting_is_true() {
    check("docs/guide/troubleshooting.md");
}

#[test]
fn concept_of_the_log_is_true() {
    check("docs/concepts/log.md");
}

#[test]
fn concept_of_numbers_is_true() {
    check("docs/concepts/numbers.md");
}

#[test]
fn concept_of_annotations_is_true() {
    check("docs/concepts/annotations.md");
}

#[test]
fn no_page_of_the_guide_is_forgotten() {
    let mut pages: Vec<String> = fs::read_dir(root().join("docs/guide"))
        .expect("the guide is there")
        .map(|entry| entry.expect("it can be listed").file_name().to_string_lossy().into_owned())
        .collect();
    pages.sort();
    let expected = [
        "agents.md",
        "annotations.md",
        "board.md",
        "checking.md",
        "coding-agents.md",
        "commits.md",
        "exporting.md",
        "filters.md",
        "getting-started.md",
        "importing.md",
        "inbox.md",
        "planning.md",
        "several-servers.md",
        "sharing.md",
        "taiga-bridge.md",
        "taiga.md",
        "team-server.md",
        "terminal.md",
        "troubleshooting.md",
    ];
    assert_eq!(pages, expected, "add a test for a new page above");
}

#[test]
fn the_site_has_every_page_of_the_guide_and_of_the_concepts() {
    let summary = fs::read_to_string(root().join("docs/SUMMARY.md")).expect("the site has a table of contents");
    for folder in ["guide", "concepts"] {
        for entry in fs::read_dir(root().join("docs").join(folder)).expect("it is there") {
            let name = entry.expect("it can be listed").file_name();
            let link = format!("({folder}/{})", name.to_string_lossy());
            assert!(summary.contains(&link), "docs/SUMMARY.md has no link {link}");
        }
    }
}

#[test]
fn links_between_pages_lead_somewhere() {
    let mut broken = Vec::new();
    for page in pages() {
        let text = fs::read_to_string(&page).expect("it was listed");
        for target in link_targets(&text).filter(|target| !target.contains("://") && !target.starts_with('#')) {
            let path = target.split('#').next().unwrap_or_default();
            if !page.parent().expect("a page is in a folder").join(path).exists() {
                broken.push(format!("{}: {target}", page.display()));
            }
        }
    }
    assert_eq!(broken, [""; 0]);
}

fn pages() -> Vec<PathBuf> {
    let mut pages = Vec::new();
    let mut folders = vec![root().join("docs")];
    for name in ["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SHORTCOMINGS.md"] {
        pages.push(root().join(name));
    }
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("it can be listed") {
            let path = entry.expect("it can be listed").path();
            match path.extension() {
                Some(extension) if extension == "md" => pages.push(path),
                _ if path.is_dir() => folders.push(path),
                _ => {}
            }
        }
    }
    pages
}

fn link_targets(text: &str) -> impl Iterator<Item = &str> {
    text.split("](").skip(1).filter_map(|rest| rest.split_once(')').map(|(target, _)| target))
}

#[test]
fn tests_named_in_the_architecture_exist() {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let names = text.split('`').skip(1).step_by(2).filter(|word| is_test_name(word));
    let sources = sources(&root().join("crates")) + &sources(&root().join("tests"));
    let exists = |name: &str| ["fn", "function"].iter().any(|word| sources.contains(&format!("{word} {name}(")));
    let missing: Vec<&str> = names.filter(|name| !exists(name)).collect();
    assert_eq!(missing, [""; 0]);
}

/// Test names are sentences; nothing else on the page has as many underscores.
fn is_test_name(word: &str) -> bool {
    word.matches('_').count() >= 2 && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
}

fn sources(folder: &Path) -> String {
    let mut text = String::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            text.push_str(&sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs" || extension == "mjs") {
            text.push_str(&fs::read_to_string(path).unwrap());
        }
    }
    text
}
