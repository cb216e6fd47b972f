//! Several servers on one database, killed and started again at random under load: what a client was told is there
//! once, numbers are unique, and all servers, clones and hubs end at the same state.
//!
//! Eight seconds by default, a minute in a soak test.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use testkit::postgres::TestDatabase;
use testkit::{Random, git_in};

use crate::serving::{Server, with_code};

const N_SERVERS: usize = 3;
/// Sixteen for each server.
const N_CLIENTS: u64 = 48;
const DEFAULT_TIME: Duration = Duration::from_secs(8);
const SOAK_TIME: Duration = Duration::from_mins(1);

/// What clients were told.
#[derive(Default)]
struct Told {
    /// Number of each created item, by title.
    created: BTreeMap<String, u64>,
    /// Comments that were acknowledged, by item.
    comments: BTreeSet<(u64, String)>,
    /// Labels that were acknowledged, by item.
    labels: BTreeSet<(u64, String)>,
    /// Writes without an answer, or with an error that leaves it open.
    open: BTreeSet<String>,
    n_refused: usize,
}

struct World<'a> {
    servers: Vec<Server>,
    database: &'a TestDatabase<'a>,
    is_over: AtomicBool,
    n_named: AtomicU64,
    told: Mutex<Told>,
    wrong: Mutex<Vec<String>>,
}

#[test]
fn servers_that_are_killed_lose_and_double_nothing() {
    let Some(database) = TestDatabase::shared() else { return };
    let fixture = with_code();
    let hub = fixture.clone_beside("hub.git", &["--bare"]);
    let servers = (0..N_SERVERS).map(|n| {
        let server = Server::new(&fixture, &format!("server-{n}"), &database.url());
        git_in(&server.clone, &["remote", "set-url", "origin", hub.to_str().unwrap()]);
        server.start();
        server
    });
    let world = World {
        servers: servers.collect(),
        database: &database,
        is_over: AtomicBool::new(false),
        n_named: AtomicU64::new(0),
        told: Mutex::default(),
        wrong: Mutex::default(),
    };
    let time = if std::env::var_os("CAIRN_SOAK_MINUTES").is_some() { SOAK_TIME } else { DEFAULT_TIME };
    let end = Instant::now() + time;
    thread::scope(|scope| {
        for client in 0..N_CLIENTS {
            let world = &world;
            scope.spawn(move || world.client(client));
        }
        world.kill_until(end);
        world.is_over.store(true, Ordering::SeqCst);
    });
    assert_eq!(*world.wrong.lock().unwrap(), Vec::<String>::new());
    world.check_everything_told();
    world.check_equal_answers();
    world.servers.iter().for_each(Server::kill);
    world.check_clones(&hub);
}

impl World<'_> {
    fn kill_until(&self, end: Instant) {
        let mut random = Random::new(7);
        while Instant::now() < end {
            thread::sleep(Duration::from_millis(200 + random.below(600) as u64));
            let server = &self.servers[random.below(N_SERVERS)];
            server.kill();
            server.start();
        }
    }

    fn client(&self, seed: u64) {
        let mut random = Random::new(seed);
        while !self.is_over.load(Ordering::SeqCst) {
            let server = &self.servers[random.below(N_SERVERS)];
            match random.below(5) {
                0 | 1 => self.create(server),
                2 => self.comment(server, &mut random),
                3 => self.label(server, &mut random),
                _ => self.read_own(&mut random),
            }
        }
    }

    fn create(&self, server: &Server) {
        let title = format!("item {}", self.n_named.fetch_add(1, Ordering::SeqCst));
        let answer = server.ask("POST", "/api/items", Some(&json!({"kind": "task", "title": title})));
        let mut told = self.told.lock().unwrap();
        match answer {
            Some((201, item)) => drop(told.created.insert(title, item["number"].as_u64().unwrap())),
            Some((503, _)) => told.n_refused += 1,
            Some((status, body)) => self.wrong.lock().unwrap().push(format!("create: {status} {body}")),
            None => drop(told.open.insert(title)),
        }
    }

    fn comment(&self, server: &Server, random: &mut Random) {
        let Some((_, number)) = self.any_created(random) else { return };
        let text = format!("comment {}", self.n_named.fetch_add(1, Ordering::SeqCst));
        let path = format!("/api/items/{number}/comments");
        let answer = server.ask("POST", &path, Some(&json!({"text": text})));
        let mut told = self.told.lock().unwrap();
        match answer {
            Some((200 | 201, _)) => drop(told.comments.insert((number, text))),
            Some((503, _)) => told.n_refused += 1,
            Some((status, body)) => self.wrong.lock().unwrap().push(format!("comment: {status} {body}")),
            None => drop(told.open.insert(text)),
        }
    }

    fn label(&self, server: &Server, random: &mut Random) {
        let Some((_, number)) = self.any_created(random) else { return };
        let label = format!("label-{}", self.n_named.fetch_add(1, Ordering::SeqCst));
        let answer = server.ask("PATCH", &format!("/api/items/{number}"), Some(&json!({"addLabels": [label]})));
        let mut told = self.told.lock().unwrap();
        match answer {
            Some((200, _)) => drop(told.labels.insert((number, label))),
            Some((503, _)) => told.n_refused += 1,
            Some((status, body)) => self.wrong.lock().unwrap().push(format!("label: {status} {body}")),
            None => drop(told.open.insert(label)),
        }
    }

    /// Whatever was acknowledged through any server is read through any other.
    fn read_own(&self, random: &mut Random) {
        let Some((title, number)) = self.any_created(random) else { return };
        let server = &self.servers[random.below(N_SERVERS)];
        match server.ask("GET", &format!("/api/items/{number}"), None) {
            Some((200, item)) if item["title"] == title.as_str() => {}
            None | Some((503, _)) => {}
            other => self.wrong.lock().unwrap().push(format!("read of #{number} `{title}`: {other:?}")),
        }
    }

    fn any_created(&self, random: &mut Random) -> Option<(String, u64)> {
        let told = self.told.lock().unwrap();
        let n = told.created.len();
        let place = (n > 0).then(|| random.below(n))?;
        told.created.iter().nth(place).map(|(title, number)| (title.clone(), *number))
    }

    fn check_everything_told(&self) {
        let told = self.told.lock().unwrap();
        let Told { created, comments, labels, open, n_refused } = &*told;
        let (n_items, n_comments, n_labels) = (created.len(), comments.len(), labels.len());
        let counts = format!(
            "{n_items} items, {n_comments} comments, {n_labels} labels, {} open, {n_refused} refused",
            open.len()
        );
        assert!(n_items > 50 && n_comments > 0 && n_labels > 0, "too little was written: {counts}");
        for server in &self.servers {
            let cairn = &server.cairn;
            // A read through the server, so that the clone has everything.
            assert!(matches!(server.ask("GET", "/api/items?limit=1", None), Some((200, _))));
            let listed = cairn.json(&["list", "--all", "--limit", "0"]);
            let items = listed["items"].as_array().unwrap();
            let mut by_title: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
            for item in items {
                by_title.entry(item["title"].as_str().unwrap()).or_default().push(item["number"].as_u64().unwrap());
            }
            let numbers: BTreeSet<u64> = by_title.values().flatten().copied().collect();
            assert_eq!(numbers.len(), items.len(), "each number once");
            for (title, number) in &told.created {
                assert_eq!(by_title.get(title.as_str()), Some(&vec![*number]), "{title}");
            }
            for (title, numbers) in &by_title {
                assert_eq!(numbers.len(), 1, "{title}");
                assert!(told.created.contains_key(*title) || told.open.contains(*title), "{title} was refused");
            }
        }
        let changed: BTreeSet<u64> = comments.iter().chain(labels).map(|(number, _)| *number).collect();
        for number in changed {
            let item = self.servers[0].cairn.json(&["show", &number.to_string()]);
            let texts = |key: &str, of: &dyn Fn(&Value) -> Value| -> Vec<Value> {
                item[key].as_array().unwrap().iter().map(of).collect()
            };
            let bodies = texts("comments", &|comment| comment["body"].clone());
            let names = texts("labels", &Value::clone);
            for (told, found) in [(comments, bodies), (labels, names)] {
                for (_, text) in told.iter().filter(|(of, _)| *of == number) {
                    assert_eq!(found.iter().filter(|one| **one == text.as_str()).count(), 1, "{text} on #{number}");
                }
            }
        }
    }

    /// All servers answer the same, page by page.
    fn check_equal_answers(&self) {
        let mut after = String::new();
        loop {
            let path = format!("/api/items?all=true&limit=200{after}");
            let pages: Vec<Value> =
                self.servers.iter().map(|server| server.ask("GET", &path, None).unwrap().1).collect();
            assert!(pages.iter().all(|page| *page == pages[0] && page["items"].is_array()), "{path}");
            match pages[0]["nextCursor"].as_str() {
                Some(cursor) => after = format!("&cursor={cursor}"),
                None => return,
            }
        }
    }

    fn check_clones(&self, hub: &Path) {
        let url = self.database.url();
        let tip = |place: &Path| git_in(place, &["rev-parse", "refs/cairn/work"]);
        for server in &self.servers {
            git_in(&server.clone, &["fsck", "--strict", "--no-dangling"]);
            let report = server.cairn.json(&["doctor", "--database", &url]);
            assert_eq!(report["ok"], true, "{report}");
        }
        let expected = tip(&self.servers[0].clone);
        for server in &self.servers {
            server.cairn.ok(&["sync"]);
            assert_eq!((tip(&server.clone), tip(hub)), (expected.clone(), expected.clone()));
        }
        git_in(hub, &["fsck", "--strict", "--no-dangling"]);
    }
}
