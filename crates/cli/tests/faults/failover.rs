//! The primary database is killed under load, and its synchronous standby promoted: no acknowledged write is lost, and
//! every server writes again within ten seconds of the promotion, without a restart.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use testkit::postgres::Postgres;

use crate::serving::{Server, with_code};

const N_SERVERS: usize = 2;
const N_CLIENTS: usize = 8;
/// Acknowledged writes before the primary is killed.
const N_BEFORE: usize = 50;
/// How long the service may take after the promotion.
const MAX_OUTAGE: Duration = Duration::from_secs(10);

/// Answers to creates.
#[derive(Default)]
struct Answers {
    /// The number of each item that was acknowledged, by title.
    created: BTreeMap<String, u64>,
    /// Titles that were refused: they must not exist.
    refused: Vec<String>,
    /// Anything else: neither a result nor a refusal.
    unexpected: Vec<String>,
    /// When each server acknowledged a write last.
    last: [Option<Instant>; N_SERVERS],
}

struct Load<'a> {
    servers: &'a [Server],
    is_over: AtomicBool,
    n_titles: AtomicU64,
    answers: Mutex<Answers>,
}

#[test]
fn no_acknowledged_write_is_lost_when_the_primary_is_killed() {
    let Some(primary) = Postgres::start() else { return };
    let database = primary.database();
    let standby = primary.start_synchronous_standby();
    let hosts = [primary.address(), standby.address()];
    let url = format!("{}?target_session_attrs=read-write", database.url_at(&hosts));
    let fixture = with_code();
    let servers: Vec<Server> = (0..N_SERVERS).map(|n| Server::new(&fixture, &format!("server-{n}"), &url)).collect();
    servers.iter().for_each(Server::start);
    let load = Load {
        servers: &servers,
        is_over: AtomicBool::new(false),
        n_titles: AtomicU64::new(0),
        answers: Mutex::default(),
    };
    let outages = thread::scope(|scope| {
        for client in 0..N_CLIENTS {
            let load = &load;
            scope.spawn(move || load.create_until_over(client % N_SERVERS));
        }
        load.wait_for_writes(N_BEFORE);
        primary.kill();
        // Somebody has to notice first.
        thread::sleep(Duration::from_secs(1));
        standby.promote();
        let promoted = Instant::now();
        let outages = (0..N_SERVERS).map(|n| load.wait_for_write_after(n, promoted)).collect::<Vec<_>>();
        thread::sleep(Duration::from_secs(1));
        load.is_over.store(true, Ordering::SeqCst);
        outages
    });
    assert!(outages.iter().all(|outage| *outage < MAX_OUTAGE), "{outages:?}");
    load.check();
}

impl Load<'_> {
    fn create_until_over(&self, at: usize) {
        while !self.is_over.load(Ordering::SeqCst) {
            let title = format!("item {}", self.n_titles.fetch_add(1, Ordering::SeqCst));
            let body = json!({"kind": "task", "title": title});
            let answer = self.servers[at].ask("POST", "/api/items", Some(&body));
            let mut answers = self.answers.lock().unwrap();
            match answer {
                Some((201, item)) => {
                    answers.created.insert(title, item["number"].as_u64().unwrap());
                    answers.last[at] = Some(Instant::now());
                }
                Some((503, _)) => {
                    answers.refused.push(title);
                    drop(answers);
                    thread::sleep(Duration::from_millis(20));
                }
                other => answers.unexpected.push(format!("{title}: {other:?}")),
            }
        }
    }

    fn wait_for_writes(&self, n_writes: usize) {
        let start = Instant::now();
        while self.answers.lock().unwrap().created.len() < n_writes {
            assert!(start.elapsed() < Duration::from_mins(1), "too few writes");
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Waits until a server has acknowledged a write after a moment; returns how long that took.
    fn wait_for_write_after(&self, at: usize, moment: Instant) -> Duration {
        loop {
            let last = self.answers.lock().unwrap().last[at];
            if let Some(last) = last.filter(|last| *last > moment) {
                return last - moment;
            }
            assert!(moment.elapsed() < MAX_OUTAGE * 3, "server {at} does not write again");
            thread::sleep(Duration::from_millis(5));
        }
    }

    fn check(&self) {
        let answers = self.answers.lock().unwrap();
        assert_eq!(answers.unexpected, Vec::<String>::new());
        for server in self.servers {
            // A read through the server, so that its clone has everything.
            assert!(matches!(server.ask("GET", "/api/items?limit=1", None), Some((200, _))));
            let listed = server.cairn.json(&["list", "--all", "--limit", "0"]);
            let mut there: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
            for item in listed["items"].as_array().unwrap() {
                let number = item["number"].as_u64().unwrap();
                there.entry(item["title"].as_str().unwrap()).or_default().push(number);
            }
            for (title, number) in &answers.created {
                assert_eq!(there.get(title.as_str()), Some(&vec![*number]), "{title}");
            }
            for title in &answers.refused {
                assert_eq!(there.get(title.as_str()), None, "{title} was refused");
            }
            assert_eq!(there.len(), answers.created.len(), "nothing else");
        }
    }
}
