//! A running server, and a raw HTTP client.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ExitStatus};
use std::thread::JoinHandle;

use serde_json::{Value, json};
use testkit::Cairn;

/// A server on its own port, stopped on drop.
pub(crate) struct Served {
    process: Child,
    pub(crate) authority: String,
    /// The token generated for the run.
    pub(crate) token: Option<String>,
    errors: Option<JoinHandle<String>>,
}

/// A response.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// In lower case.
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Served {
    /// Starts a server on a loopback address, and waits for its address.
    pub(crate) fn start(cairn: &Cairn, options: &[&str]) -> Self {
        Self::start_at(cairn, "127.0.0.1:0", options)
    }

    pub(crate) fn start_at(cairn: &Cairn, address: &str, options: &[&str]) -> Self {
        let words = [&["serve", "--json", "--addr", address], options].concat();
        Self::spawn(&mut cairn.command(&words))
    }

    /// Starts a server that prints its address on the first line.
    pub(crate) fn spawn(command: &mut std::process::Command) -> Self {
        let mut process = command.spawn().expect("it starts");
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let mut errors = process.stderr.take().unwrap();
        let errors = std::thread::spawn(move || {
            let mut text = String::new();
            let _ = errors.read_to_string(&mut text);
            text
        });
        let Ok(said) = serde_json::from_str::<Value>(&line) else {
            let _ = process.kill();
            panic!("it says `{line}`: {}", errors.join().unwrap());
        };
        let authority = said["address"].as_str().unwrap().to_owned();
        let token = said["token"].as_str().map(str::to_owned);
        Self { process, authority, token, errors: Some(errors) }
    }

    /// Sends a request, with a token if given, and reads the response to its end.
    pub(crate) fn ask(&self, method: &str, path: &str, token: Option<&str>) -> Answer {
        let bearer = token.map(|token| format!("Bearer {token}"));
        let headers: Vec<(&str, &str)> = bearer.iter().map(|value| ("Authorization", value.as_str())).collect();
        self.send(method, path, &headers, "")
    }

    /// Sends a message to a dialect.
    pub(crate) fn post(&self, path: &str, token: Option<&str>, message: &Value) -> Answer {
        let bearer = token.map(|token| format!("Bearer {token}"));
        let mut headers = vec![
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
            ("MCP-Protocol-Version", "2025-06-18"),
        ];
        headers.extend(bearer.iter().map(|value| ("Authorization", value.as_str())));
        self.send("POST", path, &headers, &message.to_string())
    }

    /// Calls a tool of the `cairn` dialect in one request.
    pub(crate) fn tool(&self, token: Option<&str>, name: &str, arguments: &Value) -> Answer {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        });
        let params = json!({"name": name, "arguments": arguments, "_meta": meta});
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let bearer = token.map(|token| format!("Bearer {token}"));
        let mut headers = vec![
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
            ("MCP-Protocol-Version", "2026-07-28"),
            ("Mcp-Method", "tools/call"),
            ("Mcp-Name", name),
        ];
        headers.extend(bearer.iter().map(|value| ("Authorization", value.as_str())));
        self.send("POST", "/mcp/cairn", &headers, &message.to_string())
    }

    /// Sends a request with these headers.
    pub(crate) fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let stream = TcpStream::connect(&self.authority).expect("it listens");
        converse(stream, &self.authority, method, path, headers, body)
    }

    pub(crate) fn pid(&self) -> u32 {
        self.process.id()
    }

    /// Waits for the exit of a server.
    pub(crate) fn wait(mut self) -> ExitStatus {
        self.process.wait().unwrap()
    }

    /// Stops the server, and returns its exit status and stderr.
    pub(crate) fn finish(mut self) -> (ExitStatus, String) {
        let status = std::process::Command::new("kill").args(["-TERM", &self.pid().to_string()]).status().unwrap();
        assert!(status.success());
        let status = self.process.wait().unwrap();
        (status, self.errors.take().unwrap().join().unwrap())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Starts a server that must fail; returns its exit code and stderr. If it starts after all, it is killed.
pub(crate) fn refused(cairn: &Cairn, words: &[&str]) -> (Option<i32>, String) {
    let mut process = cairn.command(words).spawn().expect("it starts");
    let mut said = String::new();
    let mut lines = BufReader::new(process.stderr.take().unwrap());
    while lines.read_line(&mut said).unwrap() > 0 {
        if said.contains("serving") || said.contains("the board is at") {
            let _ = process.kill();
        }
    }
    (process.wait().unwrap().code(), said)
}

/// Sends a request over a connection and reads the response to its end.
pub(crate) fn converse(
    stream: impl Read + Write,
    authority: &str,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> Answer {
    let answer = testkit::http::send(stream, authority, method, path, headers, body);
    Answer { status: answer.status, head: answer.head.to_lowercase(), body: answer.body }
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let line = self.head.lines().find(|line| line.starts_with(&format!("{name}:")))?;
        line.split_once(": ").map(|(_, value)| value.trim())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("{self:?}"))
    }
}
