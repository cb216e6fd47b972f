//! Servers of one database, each with a clone of its own, that tests start, kill and ask.

use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::sync::Mutex;
use std::time::Duration;

use serde_json::Value;
use testkit::{Cairn, TestRepository};

/// Generous on a loaded machine; a client that waits longer has found a server that hangs.
const READ_TIMEOUT: Duration = Duration::from_mins(2);

/// A server, running or not.
pub(crate) struct Server {
    pub(crate) cairn: Cairn,
    pub(crate) clone: PathBuf,
    url: String,
    running: Mutex<Option<Running>>,
}

struct Running {
    process: Child,
    authority: String,
}

impl Server {
    /// Prepares a server with a new clone.
    pub(crate) fn new(fixture: &TestRepository, name: &str, url: &str) -> Self {
        let clone = fixture.clone_beside(name, &[]);
        let cairn = Cairn::new(env!("CARGO_BIN_EXE_cairn"), &clone);
        Self { cairn, clone, url: url.to_owned(), running: Mutex::default() }
    }

    pub(crate) fn start(&self) {
        let mut command = self.cairn.command(&["serve", "--json", "--addr", "127.0.0.1:0", "--without-token"]);
        let mut process = command.env("CAIRN_DATABASE", &self.url).stderr(Stdio::inherit()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let said: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: `{line}`"));
        let authority = said["address"].as_str().unwrap().to_owned();
        *self.running.lock().unwrap() = Some(Running { process, authority });
    }

    pub(crate) fn kill(&self) {
        let running = self.running.lock().unwrap().take();
        if let Some(mut running) = running {
            running.process.kill().unwrap();
            running.process.wait().unwrap();
        }
    }

    /// Sends a request; `None` if the server does not run or did not answer.
    pub(crate) fn ask(&self, method: &str, path: &str, body: Option<&Value>) -> Option<(u16, Value)> {
        let authority = self.running.lock().unwrap().as_ref().map(|running| running.authority.clone())?;
        let mut stream = TcpStream::connect(&authority).ok()?;
        stream.set_read_timeout(Some(READ_TIMEOUT)).unwrap();
        let body = body.map(Value::to_string);
        let headers = [("Content-Type", "application/json")];
        testkit::http::begin(&mut stream, &authority, method, path, &headers, body.as_deref());
        // A server that is killed may have sent a part.
        let answer = testkit::http::try_finish(&mut stream)?;
        Some((answer.status, serde_json::from_str(&answer.body).ok()?))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Returns a repository with one commit of code.
pub(crate) fn with_code() -> TestRepository {
    let fixture = TestRepository::new();
    fixture.git(&["commit", "--quiet", "--allow-empty", "--message=code"]);
    fixture
}
