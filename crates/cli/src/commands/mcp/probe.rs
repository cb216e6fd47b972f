//! Starts a server as a client would, and asks it who it is and what it offers. It is ended in every case.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::clients::entry::Launch;

/// How long a server may take to go once its input is closed, before it is ended.
const FAREWELL: Duration = Duration::from_secs(2);
/// More pages of tools than any server has; one that always names a next page must not keep us for ever.
const MOST_PAGES: usize = 100;

/// What a server said about itself.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) name: String,
    pub(super) version: String,
    pub(super) tools: Vec<String>,
}

/// Starts a server and asks. The error is in words for a person.
pub(super) fn ask(program: &Path, launch: &Launch, limit: Duration) -> Result<Answer, String> {
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
    answer.map_err(|problem| match last_words.lines().rfind(|line| !line.trim().is_empty()) {
        Some(line) => format!("{problem}; it said: {line}"),
        None => problem,
    })
}

struct Server {
    process: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    errors: Option<JoinHandle<String>>,
    limit: Duration,
    deadline: Instant,
}

impl Server {
    fn new(mut process: Child, limit: Duration) -> Self {
        let (sender, lines) = channel();
        if let Some(output) = process.stdout.take() {
            thread::spawn(move || {
                for line in BufReader::new(output).lines().map_while(Result::ok) {
                    if sender.send(line).is_err() {
                        break;
                    }
                }
            });
        }
        let errors = process.stderr.take().map(|mut errors| {
            thread::spawn(move || {
                let mut bytes = Vec::new();
                // What could be read before a failure is still worth showing.
                let _ = errors.read_to_end(&mut bytes);
                String::from_utf8_lossy(&bytes).into_owned()
            })
        });
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
        for id in 2..2 + MOST_PAGES {
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
            let left = self.deadline.saturating_duration_since(Instant::now());
            let line = self.lines.recv_timeout(left).map_err(|error| match error {
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
        // A server that is gone already has said why on its other streams.
        let _ = writeln!(input, "{message}").and_then(|()| input.flush());
        Ok(())
    }

    /// Ends the server and returns what it wrote on its standard error.
    fn end(mut self) -> String {
        drop(self.input.take());
        let deadline = Instant::now() + FAREWELL;
        // Its output closes when it goes.
        while self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())).is_ok() {}
        let _ = self.process.kill();
        let _ = self.process.wait();
        self.errors.take().and_then(|errors| errors.join().ok()).unwrap_or_default()
    }
}
