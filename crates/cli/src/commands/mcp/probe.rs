//! Starts a server as a client would, and queries its name and tools. The process is always ended.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::clients::entry::Launch;

/// Time for a server to exit after its input is closed, before it is killed.
const EXIT_TIMEOUT: Duration = Duration::from_secs(2);
/// More pages than any server has; protects against a server that always returns a next page.
const MAX_PAGES: usize = 100;

/// The server's description of itself.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) name: String,
    pub(super) version: String,
    pub(super) tools: Vec<String>,
}

/// Starts a server and queries it. The error is a text for the user.
pub(super) fn query_server(program: &Path, launch: &Launch, limit: Duration) -> Result<Answer, String> {
    let mut command = Command::new(program);
    command.args(&launch.args).envs(launch.env.iter().map(|(name, value)| (name, value)));
    if let Some(folder) = &launch.folder {
        command.current_dir(folder);
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let process = command.spawn().map_err(|error| format!("cannot be started: {error}"))?;
    let mut server = Server::new(process, limit);
    let answer = server.introduce_and_list();
    let last_words = server.end();
    answer.map_err(|problem| if last_words.is_empty() { problem } else { format!("{problem}; it said: {last_words}") })
}

struct Server {
    process: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    errors: Receiver<String>,
    limit: Duration,
    deadline: Instant,
}

impl Server {
    fn new(mut process: Child, limit: Duration) -> Self {
        // Both streams are drained by threads: a full pipe would block the server.
        let lines = lines_of(process.stdout.take());
        let errors = lines_of(process.stderr.take());
        let input = process.stdin.take();
        Self { process, input, lines, errors, limit, deadline: Instant::now() + limit }
    }

    fn introduce_and_list(&mut self) -> Result<Answer, String> {
        let hello = json!({
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "cairn mcp doctor", "version": env!("CARGO_PKG_VERSION")},
        });
        let hello = self.request(1, "initialize", &hello)?;
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        let words = |key: &str| hello["serverInfo"][key].as_str().unwrap_or("unknown").to_owned();
        Ok(Answer { name: words("name"), version: words("version"), tools: self.list()? })
    }

    fn list(&mut self) -> Result<Vec<String>, String> {
        let mut names = Vec::new();
        let mut params = json!({});
        for id in 2..2 + MAX_PAGES {
            let page = self.request(id, "tools/list", &params)?;
            let tools = page["tools"].as_array().ok_or("lists no tools")?;
            names.extend(tools.iter().filter_map(|tool| tool["name"].as_str()).map(str::to_owned));
            match page["nextCursor"].as_str() {
                Some(cursor) => params = json!({"cursor": cursor}),
                None => break,
            }
        }
        Ok(names)
    }

    fn request(&mut self, id: usize, method: &str, params: &Value) -> Result<Value, String> {
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        loop {
            let line = until(&self.lines, self.deadline).map_err(|error| match error {
                RecvTimeoutError::Timeout => format!("does not answer within {} s", self.limit.as_secs()),
                RecvTimeoutError::Disconnected => format!("ends without answering `{method}`"),
            })?;
            let mut message: Value = serde_json::from_str(&line)
                .map_err(|_| "writes something that is not JSON on its standard output".to_owned())?;
            if message["id"] != id {
                continue;
            }
            return match message.get_mut("result") {
                Some(result) => Ok(result.take()),
                None => Err(format!("refuses `{method}`: {}", message["error"]["message"])),
            };
        }
    }

    fn send(&mut self, message: &Value) -> Result<(), String> {
        let input = self.input.as_mut().ok_or("takes no input")?;
        // A write error is ignored: a server that has exited explains why on its other streams.
        let _ = writeln!(input, "{message}").and_then(|()| input.flush());
        Ok(())
    }

    /// Ends the server and returns the last line of its stderr.
    fn end(mut self) -> String {
        drop(self.input.take());
        // Its output closes when it exits. A child process may keep the other end open longer.
        let deadline = Instant::now() + EXIT_TIMEOUT;
        while until(&self.lines, deadline).is_ok() {}
        let _ = self.process.kill();
        let _ = self.process.wait();
        let deadline = Instant::now() + EXIT_TIMEOUT;
        let mut last = String::new();
        while let Ok(line) = until(&self.errors, deadline) {
            if !line.trim().is_empty() {
                last = line;
            }
        }
        last
    }
}

fn until(lines: &Receiver<String>, deadline: Instant) -> Result<String, RecvTimeoutError> {
    lines.recv_timeout(deadline.saturating_duration_since(Instant::now()))
}

/// Reads lines in the background until the stream or the receiver is closed.
fn lines_of(stream: Option<impl Read + Send + 'static>) -> Receiver<String> {
    let (sender, lines) = channel();
    if let Some(stream) = stream {
        thread::spawn(move || {
            let mut lines = BufReader::new(stream).split(b'\n').map_while(Result::ok);
            while lines.next().is_some_and(|line| sender.send(String::from_utf8_lossy(&line).into_owned()).is_ok()) {}
        });
    }
    lines
}
