//! Decisions of another tool become conventions of the repository, once.

use annotations::view::ListedView;
use annotations::{Annotated as _, AnnotationFilter, Decision};

use super::Code;

fn decision(name: &str, text: &str) -> Decision {
    Decision { name: name.to_owned(), text: text.to_owned(), reasoning: Some("Decided on 2025-06-22.".to_owned()) }
}

fn record(code: &mut Code, decisions: &[Decision]) -> usize {
    let new = code.project.annotations_mut().new_decisions(decisions).unwrap();
    if !new.is_empty() {
        code.project.annotations_mut().record_decisions(&new).unwrap();
    }
    new.len()
}

fn listed(code: &mut Code) -> Vec<String> {
    let list = code.project.annotations_mut().list(None, AnnotationFilter::All, None).unwrap();
    let mut told: Vec<String> = list
        .annotations
        .iter()
        .map(|ListedView { file, intent, knowledge, .. }| {
            let kind = knowledge.kind.as_deref().unwrap_or("reason");
            format!("{file} {kind}: {intent}{}", if knowledge.aged.is_some() { " (aged)" } else { "" })
        })
        .collect();
    told.sort();
    told
}

#[test]
fn decisions_are_written_once_and_replaced_when_they_change() {
    let mut code = Code::with(&[("a.rs", "fn f() {}\n")]);
    let (tabs, names) = (decision("backlog decision-1", "Tabs"), decision("backlog decision-2", "Names"));
    assert_eq!(record(&mut code, &[tabs.clone(), names.clone()]), 2);
    assert_eq!(listed(&mut code), [". convention: Names", ". convention: Tabs"]);
    assert_eq!(record(&mut code, &[tabs.clone(), names.clone()]), 0);
    code.commit("Later");
    assert_eq!(record(&mut code, &[tabs.clone(), names]), 0, "they are at an earlier commit");
    assert_eq!(record(&mut code, &[decision("backlog decision-1", "Spaces")]), 1);
    assert_eq!(listed(&mut code), [". convention: Names", ". convention: Spaces"]);
    // Back to what was said before: the newest statement holds.
    code.commit("Even later");
    assert_eq!(record(&mut code, &[tabs]), 1);
    assert_eq!(listed(&mut code), [". convention: Names", ". convention: Tabs"]);
}

#[test]
fn there_must_be_a_commit() {
    let code = Code::with(&[("a.rs", "fn f() {}\n")]);
    assert!(code.project.annotations().has_commit().unwrap());
    let empty = testkit::TestRepository::in_memory(testkit::Layout::PLAIN);
    assert!(!crate::harness::open(empty.path()).annotations().has_commit().unwrap());
}
