//! Pages: for any size of list, any limit and any place to begin, they are the list.

use proptest::test_runner::{Config, TestCaseError, TestRunner};
use serde_json::{Value, json};
use testkit::taiga::ItemKind;

use super::bench::{Bench, EMPTY_PROJECT};

/// As many windows as a person waits for; `PROPTEST_CASES` asks for more.
fn cases() -> Config {
    let mut config = Config { failure_persistence: None, ..Config::default() };
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = 60;
    }
    config
}

/// Checks windows at random over a list whose ids are known.
fn check_windows(bench: &Bench, tool: &str, all: &[u64]) {
    let windows = (0_u64..260, 1_u64..=200);
    let mut runner = TestRunner::new(cases());
    let outcome = runner.run(&windows, |(offset, limit)| {
        let page = bench.data(tool, json!({"offset": offset, "limit": limit}));
        let start = usize::try_from(offset).unwrap().min(all.len());
        let end = usize::try_from(offset + limit).unwrap().min(all.len());
        let has_next = end < all.len() && start < end;
        let meta = json!({"limit": limit, "offset": offset, "total": all.len(), "hasNext": has_next});
        if ids(&page) != all[start..end] || page["meta"] != meta {
            return Err(TestCaseError::fail(format!("offset {offset}, limit {limit}: {}", page["meta"])));
        }
        Ok(())
    });
    outcome.unwrap();
}

/// Walks a list with one limit and returns everything that came.
fn walk(bench: &Bench, tool: &str, limit: u64) -> Vec<u64> {
    let mut all = Vec::new();
    loop {
        let page = bench.data(tool, json!({"offset": all.len(), "limit": limit}));
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
fn windows_of_the_repository_are_its_list() {
    let bench = Bench::local();
    let made: Vec<u64> =
        (0..73).map(|n| bench.make("create_issue", json!({"subject": format!("Issue {n}")}))).collect();
    check_windows(&bench, "list_issues", &made);
    for limit in [1, 7, 72, 73, 74, 200] {
        assert_eq!(walk(&bench, "list_issues", limit), made);
    }
    check_windows(&Bench::local(), "list_issues", &[]);
}

#[test]
fn windows_of_a_server_are_its_list() {
    let bench = Bench::remote_project();
    let made = bench.taiga().add_items(ItemKind::Issue, EMPTY_PROJECT, 217);
    check_windows(&bench, "list_issues", &made);
    for limit in [7, 100, 199, 200] {
        assert_eq!(walk(&bench, "list_issues", limit), made);
    }
    check_windows(&bench, "list_epics", &[]);
}
