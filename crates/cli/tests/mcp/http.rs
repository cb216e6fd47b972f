//! The same dialect over HTTP: one POST, one JSON response, and loopback only.

use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use serde_json::{Value, json};

use crate::client::{MILESTONE, cairn, finish, program, project, text};

/// A server on its own port.
pub(crate) struct Served {
    process: Child,
    authority: String,
}

impl Served {
    /// Starts a server in a folder.
    pub(crate) fn start(folder: &std::path::Path) -> Self {
        Self::start_with(folder, &["--without-token", "--dialect", "mile"], "mile")
    }

    pub(crate) fn start_with(folder: &std::path::Path, options: &[&str], chosen: &str) -> Self {
        let mut process = cairn(folder)
            .args(["serve", "--addr", "127.0.0.1:0"])
            .args(options)
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut line = String::new();
        let errors = process.stderr.take().expect("it is piped");
        BufReader::new(errors).read_line(&mut line).expect("it says where");
        let end = format!("/mcp/{chosen}");
        let address = line.trim().strip_prefix("serving http://").and_then(|rest| rest.strip_suffix(&end));
        let authority = address.unwrap_or_else(|| panic!("{line}")).to_owned();
        Self { process, authority }
    }

    /// Sends a raw request, and returns status, head and body.
    fn send(&self, method: &str, headers: &[(&str, &str)], body: &str) -> (u16, String, String) {
        self.send_to("/mcp/mile", method, headers, body)
    }

    pub(crate) fn send_to(
        &self,
        path: &str,
        method: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> (u16, String, String) {
        let usual = [("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")];
        self.send_raw(path, method, &[&usual, headers].concat(), body)
    }

    /// Sends a request with only these headers and the required ones.
    pub(crate) fn send_raw(
        &self,
        path: &str,
        method: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> (u16, String, String) {
        let stream = TcpStream::connect(&self.authority).expect("it listens");
        let answer = testkit::http::send(stream, &self.authority, method, path, headers, body);
        (answer.status, answer.head.to_lowercase(), answer.body)
    }

    /// Sends a message and returns status and response.
    pub(crate) fn post(&self, message: &Value, headers: &[(&str, &str)]) -> (u16, Value) {
        let (status, _, body) = self.send("POST", headers, &message.to_string());
        (status, serde_json::from_str(&body).unwrap_or_default())
    }

    /// Returns the address, as `host:port`.
    pub(crate) fn authority(&self) -> &str {
        &self.authority
    }

    /// Returns the server's process id.
    pub(crate) fn pid(&self) -> u32 {
        self.process.id()
    }

    /// Waits for the exit of a server.
    pub(crate) fn wait(&mut self) -> std::process::ExitStatus {
        self.process.wait().expect("it ends")
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Returns a call of a tool.
pub(crate) fn call(name: &str, arguments: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}})
}

#[test]
fn dialect_answers_as_over_stdio() {
    let repository = project();
    let served = Served::start(repository.path());
    let hello = json!({"jsonrpc": "2.0", "id": "a", "method": "initialize"});
    let (status, answer) = served.post(&hello, &[]);
    assert_eq!((status, &answer["id"], &answer["result"]["protocolVersion"]), (200, &json!("a"), &json!("2024-11-05")));
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    assert_eq!(served.send("POST", &[], &initialized.to_string()).0, 202);
    let version = [("MCP-Protocol-Version", "2024-11-05")];
    let (_, answer) = served.post(&call("git_mile.list", &json!({"entity": "milestone"})), &version);
    assert_eq!(text(&answer)["items"][0]["id"], MILESTONE);
    for (message, code) in [
        (call("git_mile.list", &json!({})), -32600),
        (call("git_mile.list", &json!({"entity": "issue", "limit": 0})), -32602),
        (call("nothing", &json!({})), -32601),
        (json!({"jsonrpc": "2.0", "id": 1, "method": "shutdown"}), -32601),
        (json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call"}), -32602),
    ] {
        let (status, answer) = served.post(&message, &version);
        assert_eq!((status, &answer["error"]["code"]), (200, &json!(code)), "{message}");
    }
}

#[test]
fn malformed_request_is_refused_with_its_status() {
    let repository = project();
    let served = Served::start(repository.path());
    for (body, code) in [("", -32700), ("garbage", -32700), ("[]", -32600), ("{}", -32600)] {
        let (status, _, answer) = served.send("POST", &[], body);
        let answer: Value = serde_json::from_str(&answer).expect("JSON");
        assert_eq!((status, &answer["id"], &answer["error"]["code"]), (400, &Value::Null, &json!(code)), "{body}");
    }
    for method in ["GET", "DELETE", "PUT"] {
        let (status, head, _) = served.send(method, &[], "");
        assert_eq!(status, 405);
        assert!(head.lines().any(|line| line == "allow: post"), "{head}");
    }
    assert_eq!(served.send("POST", &[], &"x".repeat(4 * 1024 * 1024 + 1)).0, 413);
}

#[test]
fn modern_requests_follow_the_specification() {
    let repository = project();
    let served = Served::start(repository.path());
    let ask = |method: &str, mut params: Value, name: &[(&str, &str)]| {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        });
        let headers = [&[("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", method)], name].concat();
        served.post(&json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}), &headers)
    };
    let (status, answer) = ask("server/discover", json!({}), &[]);
    assert_eq!(status, 200, "{answer}");
    assert_eq!(answer["result"]["supportedVersions"], json!(["2024-11-05", "2026-07-28"]));
    let list = |name: &str, arguments: Value| {
        ask("tools/call", json!({"name": name, "arguments": arguments}), &[("Mcp-Name", name)])
    };
    let (status, answer) = list("git_mile.list", json!({"entity": "milestone"}));
    assert_eq!((status, &text(&answer)["items"][0]["id"]), (200, &json!(MILESTONE)));
    // Errors of a known tool are results that the model can read.
    let (status, answer) = list("git_mile.list", json!({"entity": "issue", "limit": 0}));
    assert_eq!((status, &text(&answer)["error"]["code"]), (200, &json!("-32602")));
    let (_, answer) = list("git_mile.close", json!({}));
    assert_eq!(answer["error"]["code"], -32602);
    let (status, answer) = ask("ping", json!({}), &[]);
    assert_eq!((status, &answer["error"]["code"]), (404, &json!(-32601)));
}

#[test]
fn pages_of_other_sites_are_kept_out() {
    let repository = project();
    let served = Served::start(repository.path());
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    let own = format!("http://{}", served.authority);
    assert_eq!(served.post(&ping, &[("Origin", &own)]).0, 200);
    for header in
        [("Origin", "http://evil.example"), ("Origin", "null"), ("Host", "evil.example"), ("Host", "127.0.0.1:1")]
    {
        assert_eq!(served.post(&ping, &[header]).0, 403, "{header:?}");
    }
}

#[test]
fn other_machines_are_not_served() {
    let repository = project();
    let output = cairn(repository.path()).args(["serve", "--addr", "0.0.0.0:0"]).output().expect("it starts");
    assert_eq!(output.status.code(), Some(2));
}

#[cfg(unix)]
#[test]
fn signal_ends_the_server_well() {
    let repository = project();
    let mut served = Served::start(repository.path());
    served.post(&json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}), &[]);
    finish(program("kill", repository.path()).args(["-TERM", &served.pid().to_string()]));
    assert_eq!(served.wait().code(), Some(0));
}

#[test]
fn every_dialect_has_its_path_and_the_chosen_one_is_plain() {
    let repository = project();
    let initialize = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}});
    for (options, chosen, plain) in
        [(&[][..], "cairn", "cairn"), (&["--dialect", "lazygit"], "lazygit", "lazygit-mcp-bridge")]
    {
        let served = Served::start_with(repository.path(), &[&["--without-token"], options].concat(), chosen);
        for (path, name) in [
            ("/mcp", plain),
            ("/mcp/cairn", "cairn"),
            ("/mcp/mile", "git-mile"),
            ("/mcp/lazygit", "lazygit-mcp-bridge"),
            ("/mcp/ultragit", "ultragit"),
            ("/mcp/quicksilver", "quicksilver-mcp"),
        ] {
            let (status, _, body) = served.send_to(path, "POST", &[], &initialize.to_string());
            assert_eq!(status, 200, "{path}: {body}");
            assert!(body.contains(&format!("\"name\":\"{name}\"")), "{path}: {body}");
        }
        assert_eq!(served.send_to("/mcp/nonsense", "POST", &[], &initialize.to_string()).0, 404);
    }
}
