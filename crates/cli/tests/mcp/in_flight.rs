//! Signals during a call: it is finished and answered, and the server exits cleanly.
//!
//! The call is blocked where it reads the log's ref, which is a named pipe here: opening its other end succeeds once
//! the call has begun, and writing to it lets the call continue.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::PathBuf;
use std::thread;

use serde_json::json;
use testkit::TestRepository;

use crate::client::{Client, MILESTONE, finish, program, project, text};
use crate::http::{Served, call};

/// The ref of the log, as a named pipe.
struct Held {
    path: PathBuf,
    tip: String,
}

impl Held {
    fn new(repository: &TestRepository) -> Self {
        let path = repository.path().join(".git/refs/cairn/work");
        let tip = fs::read_to_string(&path).expect("the ref is a file");
        fs::remove_file(&path).expect("it can be removed");
        finish(program("mkfifo", repository.path()).arg(&path));
        Self { path, tip }
    }

    /// Waits until a call reads the ref.
    fn wait(&self) -> File {
        OpenOptions::new().write(true).open(&self.path).expect("it can be opened")
    }

    /// Lets the waiting call continue, and later ones pass.
    fn release(self, mut pipe: File) {
        let file = self.path.with_extension("new");
        fs::write(&file, &self.tip).and_then(|()| fs::rename(&file, &self.path)).expect("it can be put back");
        pipe.write_all(self.tip.as_bytes()).expect("the call reads");
    }
}

fn signal(repository: &TestRepository, name: &str, pid: u32) {
    finish(program("kill", repository.path()).args([name, &pid.to_string()]));
}

#[test]
fn call_in_flight_is_answered_after_a_signal() {
    for name in ["-TERM", "-INT"] {
        let repository = project();
        let held = Held::new(&repository);
        let mut client = Client::start(repository.path());
        client.line(&call("git_mile.list", &json!({"entity": "milestone"})).to_string());
        let pipe = held.wait();
        signal(&repository, name, client.pid());
        held.release(pipe);
        let (answers, status) = client.wait();
        assert_eq!(answers.len(), 1, "{name}");
        assert_eq!(text(&answers[0])["items"][0]["id"], MILESTONE);
        assert_eq!(status.code(), Some(0), "{name}");
    }
}

#[test]
fn other_requests_are_served_while_a_call_takes_long() {
    let repository = project();
    let held = Held::new(&repository);
    let mut client = Client::start(repository.path());
    client.line(
        &json!({"jsonrpc": "2.0", "id": "slow", "method": "tools/call",
        "params": {"name": "git_mile.list", "arguments": {"entity": "issue"}}})
        .to_string(),
    );
    let pipe = held.wait();
    assert_eq!(client.request("ping", &json!({}))["result"], json!({}));
    held.release(pipe);
    assert_eq!(client.next()["id"], "slow");
}

#[test]
fn second_signal_does_not_wait() {
    let repository = project();
    let held = Held::new(&repository);
    let mut client = Client::start(repository.path());
    client.line(&call("git_mile.list", &json!({"entity": "issue"})).to_string());
    let pipe = held.wait();
    // A second signal before the first one is handled counts as the same.
    let pid = client.pid();
    let (rest, status) = thread::scope(|scope| {
        let ended = scope.spawn(|| client.wait());
        while !ended.is_finished() {
            let _ = program("kill", repository.path()).args(["-INT", &pid.to_string()]).output();
        }
        ended.join().expect("it ends")
    });
    assert!(rest.is_empty() && status.code() == Some(0), "{status}");
    drop(pipe);
}

#[test]
fn call_in_flight_over_http_is_answered_after_a_signal() {
    let repository = project();
    let held = Held::new(&repository);
    let mut served = Served::start(repository.path());
    let (status, answer) = thread::scope(|scope| {
        let answer = scope.spawn(|| served.post(&call("git_mile.list", &json!({"entity": "milestone"})), &[]));
        let pipe = held.wait();
        signal(&repository, "-TERM", served.pid());
        held.release(pipe);
        answer.join().expect("it is answered")
    });
    assert_eq!((status, &text(&answer)["items"][0]["id"]), (200, &json!(MILESTONE)));
    assert_eq!(served.wait().code(), Some(0));
}
