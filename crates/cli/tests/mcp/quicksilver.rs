//! The `quicksilver` contract over HTTP and stdio: its examples, the order of its checks, its tasks and its statuses.

mod checks;
mod examples;
mod extended;
mod shared;
mod tasks;

use std::path::Path;

use serde_json::{Value, json};

use crate::client::run;
use crate::http::Served;

/// The token in the contract's examples.
const TOKEN: &str = "your-secret-token";
const PATH: &str = "/mcp/quicksilver";

const ACCEPT: (&str, &str) = ("Accept", "application/json, text/event-stream");
const JSON: (&str, &str) = ("Content-Type", "application/json");
const BEARER: (&str, &str) = ("Authorization", "Bearer your-secret-token");
const VERSION: (&str, &str) = ("MCP-Protocol-Version", "2025-06-18");

/// A server of the dialect, and a client with the headers of the contract.
struct Quick {
    served: Served,
}

impl Quick {
    fn start(folder: &Path) -> Self {
        Self::start_with(folder, &[])
    }

    fn start_with(folder: &Path, options: &[&str]) -> Self {
        Self::guarded(folder, &[&["--token", TOKEN], options].concat())
    }

    /// Starts one with the project's tokens.
    fn guarded(folder: &Path, options: &[&str]) -> Self {
        let options = [&["--dialect", "quicksilver"], options].concat();
        Self { served: Served::start_with(folder, &options, "quicksilver") }
    }

    /// Sends a request and returns status and response.
    fn ask(&self, method: &str, params: &Value) -> (u16, Value) {
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        self.post(&[ACCEPT, JSON, BEARER, VERSION], &message.to_string())
    }

    /// Sends a body with only these headers.
    fn post(&self, headers: &[(&str, &str)], body: &str) -> (u16, Value) {
        let (status, _, body) = self.served.send_raw(PATH, "POST", headers, body);
        (status, serde_json::from_str(&body).unwrap_or_default())
    }

    fn call(&self, name: &str, arguments: &Value) -> (u16, Value) {
        self.ask("tools/call", &json!({"name": name, "arguments": arguments}))
    }

    /// Calls a tool that must succeed, and returns its task.
    fn task(&self, name: &str, arguments: &Value) -> Value {
        let (status, answer) = self.call(name, arguments);
        assert_eq!((status, answer["result"].get("isError")), (200, None), "{name} {arguments}: {answer}");
        let changed = text(&answer["result"]["content"][0]);
        assert_eq!(changed["uri"], format!("quicksilver://tasks/{}", changed["task"]["id"]));
        changed["task"].clone()
    }

    /// Calls a tool that must fail, and returns status, code and message.
    fn fault(&self, name: &str, arguments: &Value) -> (u16, i64, String) {
        fault(&self.call(name, arguments))
    }

    /// Reads a resource that must exist.
    fn read(&self, uri: &str) -> Value {
        let (status, answer) = self.ask("resources/read", &json!({"uri": uri}));
        assert_eq!(status, 200, "{uri}: {answer}");
        text(&answer["result"]["contents"][0])
    }

    /// Creates a board with the command line and returns its number.
    fn board(folder: &Path, name: &str) -> u64 {
        let board = run(folder, &["new", "board", name, "--json"]);
        let board: Value = serde_json::from_str(&board).unwrap();
        board["number"].as_u64().unwrap()
    }
}

fn text(block: &Value) -> Value {
    serde_json::from_str(block["text"].as_str().unwrap_or_else(|| panic!("no text in {block}"))).unwrap()
}

fn fault((status, answer): &(u16, Value)) -> (u16, i64, String) {
    let error = &answer["error"];
    let told = (error["code"].as_i64(), error["data"].as_str());
    let (Some(code), Some(data)) = told else { panic!("no error in {answer}") };
    (*status, code, data.to_owned())
}
