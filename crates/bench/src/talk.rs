//! A session with `cairn mcp start`, line by line: measures the server without the overhead of a client library.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// The first request of a client.
pub(crate) const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}"#;
/// The cheapest request.
pub(crate) const PING: &str = r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#;
/// A page of issues.
pub(crate) const LIST: &str = r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"git_mile.list","arguments":{"entity":"issue","limit":20}}}"#;

pub(crate) const CREATE: &str = r#"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"create_task","arguments":{"title":"Keep the stale cache of the login page","priority":2}}}"#;

/// A page of tasks and boards.
pub(crate) const PAGE: &str = r#"{"jsonrpc":"2.0","id":4,"method":"resources/list"}"#;

/// A running server and its pipes.
pub(crate) struct Talk {
    process: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    line: String,
}

impl Talk {
    /// Starts a server from a prepared command.
    pub(crate) fn start(command: &mut Command) -> Result<Self, String> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn().map_err(|error| format!("cannot start {command:?}: {error}"))?;
        let input = process.stdin.take();
        let output = process.stdout.take().ok_or("the server has no output")?;
        Ok(Self { process, input, output: BufReader::new(output), line: String::new() })
    }

    /// Sends a request and waits for its response, which must not be an error.
    pub(crate) fn ask(&mut self, request: &str) -> Result<(), String> {
        let input = self.input.as_mut().ok_or("the input is closed")?;
        let sent = writeln!(input, "{request}").and_then(|()| input.flush());
        self.line.clear();
        let read = sent.and_then(|()| self.output.read_line(&mut self.line));
        let n_bytes = read.map_err(|error| format!("the server does not answer `{request}`: {error}"))?;
        if n_bytes == 0 { Err(format!("the server ended at `{request}`")) } else { is_good(&self.line) }
    }

    /// Waits for a notification with this method.
    pub(crate) fn hear(&mut self, method: &str) -> Result<(), String> {
        loop {
            self.line.clear();
            let read = self.output.read_line(&mut self.line);
            if read.map_err(|error| format!("the server says nothing: {error}"))? == 0 {
                return Err("the server ended".to_owned());
            }
            if self.line.contains(method) {
                return Ok(());
            }
        }
    }

    /// Returns the resident memory in KiB, where the system reports it.
    pub(crate) fn resident(&self) -> Option<u64> {
        resident_in(&fs::read_to_string(format!("/proc/{}/status", self.process.id())).ok()?)
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        drop(self.input.take());
        let _ = self.process.wait();
    }
}

/// Fails if a response is an error or a failed tool result.
pub(crate) fn is_good(answer: &str) -> Result<(), String> {
    let is_bad =
        answer.contains("\"error\":{") || answer.contains("\"isError\":true") || !answer.contains("\"result\"");
    if is_bad { Err(format!("the server answers {answer}")) } else { Ok(()) }
}

/// Reads the resident memory in KiB from `/proc/PID/status`.
pub(crate) fn resident_in(status: &str) -> Option<u64> {
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_told_from_results() {
        assert!(is_good(r#"{"jsonrpc":"2.0","id":2,"result":{}}"#).is_ok());
        assert!(is_good(r#"{"id":2,"result":{"content":[],"isError":true}}"#).is_err());
        assert!(is_good(r#"{"id":2,"error":{"code":-32601,"message":"no"}}"#).is_err());
        assert!(is_good("").is_err());
    }

    #[test]
    fn memory_is_read_from_its_line() {
        assert_eq!(resident_in("VmPeak:\t 99 kB\nVmRSS:\t   12345 kB\n"), Some(12_345));
        assert_eq!(resident_in("Name:\tcairn\n"), None);
    }
}
