//! Several servers on one database, killed and started again at random under load: what a client was told is there
//! once, numbers are unique, and all servers, clones and hubs end at the same state.
//!
//! Eight seconds by default; `CAIRN_SERVERS_SECONDS` sets the time.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use testkit::postgres::TestDatabase;
use testkit::{Cairn, Random, TestRepository, git_in};

const N_SERVERS: usize = 3;
const N_CLIENTS: u64 = 16;
/// Generous on a loaded machine; a client that waits longer has found a server that hangs.
const READ_TIMEOUT: Duration = Duration::from_mins(2);

struct Server {
    cairn: Cairn,
    clone: PathBuf,
    running: Mutex<Option<Running>>,
}

struct Running {
    process: Child,
    authority: String,
}

/// What clients were told.
#[derive(Default)]
struct Told {
    /// Number of each created item, by title.
    created: BTreeMap<String, u64>,
    /// Comments that were acknowledged, by item.
    comments: BTreeSet<(u64, String)>,
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
    let fixture = TestRepository::new();
    fixture.git(&["commit", "--quiet", "--allow-empty", "--message=code"]);
    let hub = fixture.clone_beside("hub.git", &["--bare"]);
    let program = Cairn::new(env!("CARGO_BIN_EXE_cairn"), fixture.path());
    let servers = (0..N_SERVERS).map(|n| {
        let clone = fixture.clone_beside(&format!("server-{n}"), &[]);
        git_in(&clone, &["remote", "set-url", "origin", hub.to_str().unwrap()]);
        Server { cairn: program.at(&clone), clone, running: Mutex::default() }
    });
    let world = World {
        servers: servers.collect(),
        database: &database,
        is_over: AtomicBool::new(false),
        n_named: AtomicU64::new(0),
        told: Mutex::default(),
        wrong: Mutex::default(),
    };
    world.servers.iter().for_each(|server| world.start(server));
    let seconds = std::env::var("CAIRN_SERVERS_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(8);
    let end = Instant::now() + Duration::from_secs(seconds);
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
    world.stop_all();
    world.check_clones(&hub);
}

impl World<'_> {
    fn start(&self, server: &Server) {
        let mut command = server.cairn.command(&["serve", "--json", "--addr", "127.0.0.1:0", "--without-token"]);
        let mut process = command.env("CAIRN_DATABASE", self.database.url()).stderr(Stdio::inherit()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let said: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: `{line}`"));
        let authority = said["address"].as_str().unwrap().to_owned();
        *server.running.lock().unwrap() = Some(Running { process, authority });
    }

    fn kill_until(&self, end: Instant) {
        let mut random = Random::new(7);
        while Instant::now() < end {
            thread::sleep(Duration::from_millis(200 + random.below(600) as u64));
            let server = &self.servers[random.below(N_SERVERS)];
            let running = server.running.lock().unwrap().take();
            if let Some(mut running) = running {
                running.process.kill().unwrap();
                running.process.wait().unwrap();
            }
            self.start(server);
        }
    }

    fn client(&self, seed: u64) {
        let mut random = Random::new(seed);
        while !self.is_over.load(Ordering::SeqCst) {
            let server = &self.servers[random.below(N_SERVERS)];
            match random.below(4) {
                0 | 1 => self.create(server),
                2 => self.comment(server, &mut random),
                _ => self.read_own(&mut random),
            }
        }
    }

    fn create(&self, server: &Server) {
        let title = format!("item {}", self.n_named.fetch_add(1, Ordering::SeqCst));
        let answer = ask(server, "POST", "/api/items", Some(&json!({"kind": "task", "title": title})));
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
        let answer = ask(server, "POST", &path, Some(&json!({"text": text})));
        let mut told = self.told.lock().unwrap();
        match answer {
            Some((200 | 201, _)) => drop(told.comments.insert((number, text))),
            Some((503, _)) => told.n_refused += 1,
            Some((status, body)) => self.wrong.lock().unwrap().push(format!("comment: {status} {body}")),
            None => drop(told.open.insert(text)),
        }
    }

    /// Whatever was acknowledged through any server is read through any other.
    fn read_own(&self, random: &mut Random) {
        let Some((title, number)) = self.any_created(random) else { return };
        let server = &self.servers[random.below(N_SERVERS)];
        match ask(server, "GET", &format!("/api/items/{number}"), None) {
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
        let Told { created, comments, open, n_refused } = &*told;
        let counts =
            format!("{} items, {} comments, {} open, {n_refused} refused", created.len(), comments.len(), open.len());
        assert!(created.len() > 50 && !comments.is_empty(), "too little was written: {counts}");
        for server in &self.servers {
            let cairn = &server.cairn;
            // A read through the server, so that the clone has everything.
            assert!(matches!(ask(server, "GET", "/api/items?limit=1", None), Some((200, _))));
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
        let commented: BTreeSet<u64> = told.comments.iter().map(|(number, _)| *number).collect();
        for number in commented {
            let item = self.servers[0].cairn.json(&["show", &number.to_string()]);
            let bodies: Vec<&str> =
                item["comments"].as_array().unwrap().iter().map(|one| one["body"].as_str().unwrap()).collect();
            for (_, text) in told.comments.iter().filter(|(of, _)| *of == number) {
                assert_eq!(bodies.iter().filter(|body| **body == text.as_str()).count(), 1, "{text} on #{number}");
            }
        }
    }

    fn stop_all(&self) {
        for server in &self.servers {
            if let Some(mut running) = server.running.lock().unwrap().take() {
                running.process.kill().unwrap();
                running.process.wait().unwrap();
            }
        }
    }

    fn check_clones(&self, hub: &std::path::Path) {
        let url = self.database.url();
        for server in &self.servers {
            git_in(&server.clone, &["fsck", "--strict", "--no-dangling"]);
            let report = server.cairn.json(&["doctor", "--database", &url]);
            assert_eq!(report["ok"], true, "{report}");
        }
        self.servers[1].cairn.ok(&["sync"]);
        let tip = |place: &std::path::Path| git_in(place, &["rev-parse", "refs/cairn/work"]);
        for server in &self.servers {
            assert_eq!(tip(&server.clone), tip(hub));
        }
    }
}

/// Sends a request; `None` if there is no server or it did not answer.
fn ask(server: &Server, method: &str, path: &str, body: Option<&Value>) -> Option<(u16, Value)> {
    let authority = server.running.lock().unwrap().as_ref().map(|running| running.authority.clone())?;
    let mut stream = TcpStream::connect(&authority).ok()?;
    stream.set_read_timeout(Some(READ_TIMEOUT)).unwrap();
    let body = body.map(Value::to_string);
    testkit::http::begin(
        &mut stream,
        &authority,
        method,
        path,
        &[("Content-Type", "application/json")],
        body.as_deref(),
    );
    let mut bytes = Vec::new();
    let _ = std::io::Read::read_to_end(&mut stream, &mut bytes);
    let text = String::from_utf8_lossy(&bytes);
    let (head, body) = text.split_once("\r\n\r\n")?;
    let status = head.split(' ').nth(1)?.parse().ok()?;
    // A server that is killed may have sent a part.
    Some((status, serde_json::from_str(body).ok()?))
}
