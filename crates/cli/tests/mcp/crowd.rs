//! Many clients of one server, writing and reading at once: none is rejected, and every acknowledged write is in the
//! log, also if the server is killed.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use testkit::http::HttpConnection;
use testkit::{Cairn, Layout, TestRepository};

const N_CLIENTS: usize = 64;
/// If set, the test runs for half a minute and kills more servers.
const FULL: &str = "CAIRN_FULL_CROWD";
/// Generous timeout for a loaded machine.
const READ_TIMEOUT: Duration = Duration::from_mins(2);

/// The dialect of the clients.
struct Dialect {
    path: &'static str,
    /// Options of the server, and headers of the clients.
    options: &'static [&'static str],
    token: Option<&'static str>,
    create: fn(title: &str) -> (&'static str, Value),
    list: fn() -> (&'static str, Value),
}

const QUICKSILVER: Dialect = Dialect {
    path: "/mcp/quicksilver",
    options: &["--token", "crowded-with-clients"],
    token: Some("crowded-with-clients"),
    create: |title| ("tools/call", json!({"name": "create_task", "arguments": {"title": title}})),
    list: || ("resources/list", json!({})),
};

/// A server on its own port.
struct Server {
    process: Mutex<Child>,
    authority: String,
}

impl Server {
    fn start(cairn: &Cairn, dialect: &Dialect) -> Self {
        let arguments = [&["serve", "--addr", "127.0.0.1:0"], dialect.options].concat();
        let mut process = cairn.command(&arguments).stdout(Stdio::null()).spawn().unwrap();
        let mut lines = BufReader::new(process.stderr.take().unwrap());
        let mut line = String::new();
        lines.read_line(&mut line).unwrap();
        // Read to the end, or the server would block once the pipe is full.
        thread::spawn(move || lines.lines().count());
        let rest = line.trim().strip_prefix("serving http://").unwrap_or_else(|| panic!("{line}"));
        let authority = rest.split('/').next().unwrap().to_owned();
        Self { process: Mutex::new(process), authority }
    }

    /// Kills it, like a power cut.
    fn kill(&self) {
        let mut process = self.process.lock().unwrap();
        process.kill().unwrap();
        process.wait().unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A persistent connection with its own session.
struct Client<'a> {
    dialect: &'a Dialect,
    connection: HttpConnection,
    session: Option<String>,
}

impl<'a> Client<'a> {
    fn connect(server: &Server, dialect: &'a Dialect) -> std::io::Result<Self> {
        let connection = HttpConnection::open(&server.authority, READ_TIMEOUT)?;
        let mut client = Self { dialect, connection, session: None };
        let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "crowd", "version": "1"}});
        client.ask(("initialize", hello))?;
        Ok(client)
    }

    /// Sends a request and returns the response, which must not be an error. Fails if the server is gone.
    fn ask(&mut self, (method, params): (&str, Value)) -> std::io::Result<Value> {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
        let bearer = self.dialect.token.map(|token| format!("Bearer {token}"));
        let mut headers = vec![
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
            ("MCP-Protocol-Version", "2025-06-18"),
        ];
        headers.extend(self.session.iter().map(|session| ("Mcp-Session-Id", session.as_str())));
        headers.extend(bearer.iter().map(|bearer| ("Authorization", bearer.as_str())));
        let answer = self.connection.ask("POST", self.dialect.path, &headers, &body)?;
        assert_eq!(answer.status, 200, "{answer:?}");
        self.session = answer.header("mcp-session-id").map(str::to_owned).or(self.session.take());
        let answer: Value = serde_json::from_str(last_event(&answer.body)).unwrap();
        assert!(answer["error"].is_null() && answer["result"]["isError"] != true, "{answer}");
        Ok(answer)
    }
}

/// Returns the body of a response: a slow one comes as an event stream, as its last event.
fn last_event(body: &str) -> &str {
    let last = body.lines().rev().find_map(|line| line.strip_prefix("data:"));
    last.unwrap_or(body).trim()
}

/// Results of the clients.
#[derive(Default)]
struct Told {
    /// The titles of acknowledged items.
    made: Mutex<BTreeSet<String>>,
    times: Mutex<Vec<Duration>>,
}

/// Runs clients that write, and read occasionally, until `is_over`; also ends if the server is gone.
fn crowd(server: &Server, dialect: &Dialect, name: &str, is_over: &(impl Fn(usize) -> bool + Sync)) -> Told {
    let told = Told::default();
    let n_answers = AtomicUsize::new(0);
    thread::scope(|scope| {
        for who in 0..N_CLIENTS {
            let (told, n_answers) = (&told, &n_answers);
            scope.spawn(move || -> std::io::Result<()> {
                let mut client = Client::connect(server, dialect)?;
                for n in 0.. {
                    if is_over(n_answers.load(Ordering::SeqCst)) {
                        break;
                    }
                    let began = Instant::now();
                    if n % 4 == 3 {
                        client.ask((dialect.list)())?;
                    } else {
                        let title = format!("{name} {who} {n}");
                        client.ask((dialect.create)(&title))?;
                        told.made.lock().unwrap().insert(title);
                    }
                    told.times.lock().unwrap().push(began.elapsed());
                    n_answers.fetch_add(1, Ordering::SeqCst);
                }
                Ok(())
            });
        }
    });
    told
}

fn project() -> (TestRepository, Cairn) {
    let repository = TestRepository::in_memory(Layout::PLAIN);
    let cairn = Cairn::new(env!("CARGO_BIN_EXE_cairn"), repository.path());
    (repository, cairn)
}

/// Returns the titles in a clone, which has only the log.
fn titles_in_a_clone(repository: &TestRepository, cairn: &Cairn) -> Vec<String> {
    let clone = repository.clone_beside("reader", &[]);
    testkit::git_in(&clone, &["fetch", "--quiet", "origin", "refs/cairn/work:refs/cairn/work"]);
    let page = cairn.at(&clone).json(&["list", "--all", "--limit", "0", "--sort", "number"]);
    let items = page["items"].as_array().unwrap();
    let numbers: Vec<u64> = items.iter().map(|item| item["number"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (1..=items.len() as u64).collect::<Vec<u64>>(), "every number once");
    items.iter().map(|item| item["title"].as_str().unwrap().to_owned()).collect()
}

fn n_commits(repository: &TestRepository) -> usize {
    repository.git(&["rev-list", "--count", "refs/cairn/work"]).parse().unwrap()
}

#[test]
fn everyone_is_served_and_nothing_is_lost() {
    let (repository, cairn) = project();
    let server = Server::start(&cairn, &QUICKSILVER);
    let time = Duration::from_secs(if std::env::var_os(FULL).is_some() { 30 } else { 3 });
    let began = Instant::now();
    // However slow the machine is, every client makes a few requests.
    let told = crowd(&server, &QUICKSILVER, "item", &|n_answers| began.elapsed() > time && n_answers > 4 * N_CLIENTS);
    let taken = began.elapsed();
    drop(server);
    let made = told.made.into_inner().unwrap();
    let titles = titles_in_a_clone(&repository, &cairn);
    assert_eq!(titles.len(), made.len());
    assert_eq!(titles.into_iter().collect::<BTreeSet<String>>(), made);
    let n_commits = n_commits(&repository);
    assert!(n_commits < made.len(), "no two of {} writes met", made.len());
    assert_eq!(cairn.json(&["doctor"])["ok"], true);
    let mut times = told.times.into_inner().unwrap();
    times.sort_unstable();
    let n_answers = times.len();
    let summary = format!(
        "{N_CLIENTS} clients, {:.1} s: {n_answers} answers, {} items in {n_commits} commits, median {:?}, p99 {:?}\n",
        taken.as_secs_f64(),
        made.len(),
        times[n_answers / 2],
        times[n_answers * 99 / 100],
    );
    std::io::stderr().write_all(summary.as_bytes()).unwrap();
}

#[test]
fn a_killed_server_loses_nothing_it_acknowledged() {
    let (repository, cairn) = project();
    let mut made = BTreeSet::new();
    let n_rounds = if std::env::var_os(FULL).is_some() { 20 } else { 4 };
    for round in 0..n_rounds {
        let server = Server::start(&cairn, &QUICKSILVER);
        // Killed during its work, each time at another point.
        let n_before = N_CLIENTS + 37 * round;
        let told = crowd(&server, &QUICKSILVER, &format!("round {round}"), &|n_answers| {
            if n_answers >= n_before {
                server.kill();
            }
            n_answers >= n_before
        });
        let told = told.made.into_inner().unwrap();
        assert!(!told.is_empty(), "nothing was acknowledged in round {round}");
        made.extend(told);
    }
    let titles: BTreeSet<String> = titles_in_a_clone(&repository, &cairn).into_iter().collect();
    let lost: Vec<&String> = made.difference(&titles).collect();
    assert!(lost.is_empty(), "lost: {lost:?}");
    assert_eq!(cairn.json(&["doctor"])["ok"], true);
    cairn.ok(&["new", "task", "written after all that"]);
    testkit::git_in(repository.path(), &["fsck", "--strict", "--no-dangling"]);
}
