//! Sixteen agents on one repository, each with its own server process: no write is lost, and the only errors are
//! conflicts that say what happened.

use std::collections::{BTreeMap, BTreeSet};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use testkit::{Layout, TestRepository};

use crate::client::{Client, run};

const N_AGENTS: usize = 16;
/// If set, the test runs for half a minute.
const FULL: &str = "CAIRN_FULL_CROWD";

/// What an agent was told.
#[derive(Default)]
struct Told {
    titles: BTreeSet<String>,
    comments: BTreeSet<String>,
    claims: Vec<u64>,
    n_conflicts: usize,
}

/// An agent's client, and what it was told.
struct Agent {
    client: Client,
    name: String,
    told: Told,
}

impl Agent {
    /// Calls a tool; returns `None` for a conflict. Any other error fails the test.
    fn call(&mut self, tool: &str, arguments: &Value) -> Option<Value> {
        let answer = self.client.call(tool, arguments)["result"].clone();
        if answer["isError"] != true {
            return Some(answer["structuredContent"].clone());
        }
        let text = answer["content"][0]["text"].as_str().unwrap_or_default();
        let is_honest = ["is taken: ", "is closed", "was changed"].iter().any(|words| text.contains(words));
        assert!(is_honest, "{tool} {arguments}: {text}");
        self.told.n_conflicts += 1;
        None
    }

    /// One round of work: creates an item, claims the first ready one, comments on it, closes it if nobody changed it.
    fn work(&mut self, round: usize) {
        let title = format!("{} item {round}", self.name);
        if self.call("create", &json!({"title": title})).is_some() {
            self.told.titles.insert(title);
        }
        let ready = self.call("ready", &json!({"limit": 1})).expect("reading has no conflict");
        let Some(number) = ready["items"][0]["number"].as_u64() else { return };
        let Some(claimed) = self.call("update", &json!({"id": number, "claim": true})) else { return };
        self.told.claims.push(number);
        let body = format!("{} comment {round}", self.name);
        if self.call("comment", &json!({"id": number, "text": body})).is_some() {
            self.told.comments.insert(body);
        }
        // The comment is a change: this revision is old, and the update must say so.
        let stale = json!({"id": number, "status": "closed", "if_unchanged": claimed["items"][0]["revision"]});
        assert!(self.call("update", &stale).is_none(), "an old revision was accepted");
        self.call("update", &json!({"id": number, "status": "closed"}));
    }
}

#[test]
fn sixteen_agents_lose_nothing() {
    let repository = TestRepository::in_memory(Layout::PLAIN);
    run(repository.path(), &["new", "task", "First"]);
    let time = Duration::from_secs(if std::env::var_os(FULL).is_some() { 30 } else { 3 });
    let began = Instant::now();
    let told: Vec<Told> = thread::scope(|scope| {
        let agents: Vec<_> = (0..N_AGENTS)
            .map(|n| {
                let client = Client::start_with(repository.path(), &["--dialect", "cairn"]);
                let mut agent = Agent { client, name: format!("agent {n}"), told: Told::default() };
                scope.spawn(move || {
                    // However slow the machine is, every agent works a few rounds.
                    for round in 0.. {
                        if began.elapsed() > time && round >= 2 {
                            break;
                        }
                        agent.work(round);
                    }
                    agent.told
                })
            })
            .collect();
        agents.into_iter().map(|agent| agent.join().unwrap()).collect()
    });
    check(&repository, &told);
}

/// Compares what the agents were told with a clone, which has only the log.
fn check(repository: &TestRepository, told: &[Told]) {
    let clone = repository.clone_beside("reader", &[]);
    testkit::git_in(&clone, &["fetch", "--quiet", "origin", "refs/cairn/work:refs/cairn/work"]);
    let page: Value =
        serde_json::from_str(&run(&clone, &["list", "--all", "--limit", "0", "--json"])).expect("it is JSON");
    let items = page["items"].as_array().expect("a list");
    let titles: BTreeSet<String> = items.iter().map(|item| item["title"].as_str().unwrap().to_owned()).collect();
    let mut expected: BTreeSet<String> = told.iter().flat_map(|told| told.titles.clone()).collect();
    expected.insert("First".to_owned());
    assert_eq!(titles, expected);
    let mut n_claims: BTreeMap<u64, usize> = BTreeMap::new();
    for number in told.iter().flat_map(|told| &told.claims) {
        *n_claims.entry(*number).or_default() += 1;
    }
    assert!(n_claims.values().all(|n| *n == 1), "claimed twice: {n_claims:?}");
    let mut comments = BTreeSet::new();
    for number in n_claims.keys() {
        let item: Value = serde_json::from_str(&run(&clone, &["show", &number.to_string(), "--json"])).unwrap();
        assert_eq!(item["state"], "closed", "{item}");
        comments
            .extend(item["comments"].as_array().unwrap().iter().map(|one| one["body"].as_str().unwrap().to_owned()));
    }
    let written: BTreeSet<String> = told.iter().flat_map(|told| told.comments.clone()).collect();
    assert_eq!(comments, written);
    let n_conflicts: usize = told.iter().map(|told| told.n_conflicts).sum();
    assert!(n_conflicts > 0 && !n_claims.is_empty(), "nobody met");
}
