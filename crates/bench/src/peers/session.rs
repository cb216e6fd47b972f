//! A session with an MCP server of any make: unlike ours, some print other lines, send notifications first, or need a
//! wrapper process.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// A server that does not end when its input is closed is ended after this time.
const END_TIMEOUT: Duration = Duration::from_secs(2);

/// A running server and its pipes.
pub(crate) struct Session {
    process: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    last_id: usize,
}

impl Session {
    /// Starts a server and waits for its answer to `initialize`.
    pub(crate) fn start(command: &mut Command) -> Result<Self, String> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn().map_err(|error| format!("cannot start {command:?}: {error}"))?;
        let input = process.stdin.take();
        let output = process.stdout.take().ok_or("the server has no output")?;
        let mut session = Self { process, input, output: BufReader::new(output), last_id: 7_000 };
        session.ask(
            "initialize",
            r#"{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}"#,
        )?;
        session.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)?;
        Ok(session)
    }

    /// Sends a request and returns the line with its response, which must not be an error.
    pub(crate) fn ask(&mut self, method: &str, params: &str) -> Result<String, String> {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#))?;
        loop {
            let mut line = String::new();
            let read = self.output.read_line(&mut line);
            if read.map_err(|error| format!("the server does not answer `{method}`: {error}"))? == 0 {
                return Err(format!("the server ended at `{method}`"));
            }
            if answers(&line, id) {
                return is_good(&line).map(|()| line);
            }
        }
    }

    fn send(&mut self, message: &str) -> Result<(), String> {
        let input = self.input.as_mut().ok_or("the input is closed")?;
        writeln!(input, "{message}").and_then(|()| input.flush()).map_err(|error| format!("cannot write: {error}"))
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        drop(self.input.take());
        let start = Instant::now();
        while matches!(self.process.try_wait(), Ok(None)) {
            if start.elapsed() > END_TIMEOUT {
                let _ = self.process.kill();
                let _ = self.process.wait();
                return;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Returns whether a line is the response with this id. The ids are numbers that no result contains.
fn answers(line: &str, id: usize) -> bool {
    let is_end = |after: &str| !after.starts_with(|letter: char| letter.is_ascii_digit());
    let found = |key: String| line.split(&key).skip(1).any(is_end);
    line.contains("\"jsonrpc\"") && (found(format!("\"id\":{id}")) || found(format!("\"id\": {id}")))
}

fn is_good(answer: &str) -> Result<(), String> {
    let is_bad = !answer.contains("\"result\"") || answer.contains("\"isError\":true");
    let shown: String = answer.chars().take(300).collect();
    if is_bad { Err(format!("the server answers {shown}")) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_response_to_a_request_answers_it() {
        assert!(answers(r#"{"jsonrpc":"2.0","id":7001,"result":{}}"#, 7001));
        assert!(answers(r#"{"result":{},"jsonrpc":"2.0","id":7001}"#, 7001));
        assert!(!answers(r#"{"jsonrpc":"2.0","id":70012,"result":{}}"#, 7001));
        assert!(!answers(r#"{"jsonrpc":"2.0","method":"notifications/message"}"#, 7001));
        assert!(!answers("Starting the server", 7001));
    }

    #[test]
    fn errors_are_told_from_results() {
        assert!(is_good(r#"{"jsonrpc":"2.0","id":1,"result":{"content":[]}}"#).is_ok());
        assert!(is_good(r#"{"jsonrpc":"2.0","id":1,"result":{"content":[],"isError":true}}"#).is_err());
        assert!(is_good(r#"{"jsonrpc":"2.0","id":1,"error":{"code":1}}"#).is_err());
    }
}
