//! Pages: for any list size, limit and offset, the pages together are the list.

use std::cell::RefCell;

use proptest::test_runner::{Config, TestCaseError, TestRunner};
use serde_json::{Value, json};
use testkit::taiga::ItemKind;

use super::bench::{Bench, EMPTY_PROJECT};

/// A small number of cases; `PROPTEST_CASES` overrides it.
fn cases() -> Config {
    let mut config = Config { failure_persistence: None, ..Config::default() };
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = 60;
    }
    config
}

/// Checks random windows and walks over a growing list of issues: before each, up to `growth` are added.
fn check_pages(bench: &Bench, growth: usize, add: impl Fn(usize) -> Vec<u64>) {
    let all = RefCell::new(Vec::new());
    let mut runner = TestRunner::new(cases());
    let outcome = runner.run(&(0..=growth, 0_usize..260, 1_usize..=200), |(more, offset, limit)| {
        let added = add(more);
        all.borrow_mut().extend(added);
        let all = all.borrow();
        check_window(bench, &all, offset, limit)?;
        let walked = walk(bench, limit);
        let wrong = || TestCaseError::fail(format!("{} by {limit} are {}", all.len(), walked.len()));
        if walked == *all { Ok(()) } else { Err(wrong()) }
    });
    outcome.unwrap();
    assert!(all.borrow().len() > cases().cases as usize / 2, "the list did not grow");
}

fn check_window(bench: &Bench, all: &[u64], offset: usize, limit: usize) -> Result<(), TestCaseError> {
    let page = bench.data("list_issues", json!({"offset": offset, "limit": limit}));
    let (start, end) = (offset.min(all.len()), (offset + limit).min(all.len()));
    let has_next = end < all.len() && start < end;
    let meta = json!({"limit": limit, "offset": offset, "total": all.len(), "hasNext": has_next});
    if ids(&page) != all[start..end] || page["meta"] != meta {
        return Err(TestCaseError::fail(format!("offset {offset}, limit {limit}: {}", page["meta"])));
    }
    Ok(())
}

/// Reads the whole list with one limit.
fn walk(bench: &Bench, limit: usize) -> Vec<u64> {
    let mut all = Vec::new();
    loop {
        let page = bench.data("list_issues", json!({"offset": all.len(), "limit": limit}));
        all.extend(ids(&page));
        if page["meta"]["hasNext"] == false {
            return all;
        }
    }
}

fn ids(page: &Value) -> Vec<u64> {
    page["items"].as_array().unwrap().iter().map(|item| item["id"].as_u64().unwrap()).collect()
}

#[test]
fn pages_of_the_repository_are_its_list() {
    let bench = Bench::local();
    check_window(&bench, &[], 0, 50).unwrap();
    let add = |more| (0..more).map(|n| bench.make("create_issue", json!({"subject": format!("Issue {n}")})));
    check_pages(&bench, 3, |more| add(more).collect());
}

#[test]
fn pages_of_a_server_are_its_list() {
    let bench = Bench::remote_project();
    check_window(&bench, &[], 0, 50).unwrap();
    check_pages(&bench, 9, |more| bench.taiga().add_items(ItemKind::Issue, EMPTY_PROJECT, more));
}

/// Some servers return fewer entries per page than requested.
#[test]
fn pages_of_a_server_with_small_pages_are_its_list() {
    let bench = Bench::remote_project();
    bench.taiga().limit_pages(30);
    check_pages(&bench, 5, |more| bench.taiga().add_items(ItemKind::Issue, EMPTY_PROJECT, more));
}
