//! A running server on a free port, stopped when dropped.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

/// A running server.
pub struct Served {
    process: Child,
    url: String,
}

impl Served {
    /// Starts a server without authentication, and waits until it prints its address.
    pub fn start(cairn: &mut Command, arguments: &[&str]) -> Result<Self, String> {
        Self::spawn(cairn.args(["serve", "--addr", "127.0.0.1:0", "--without-token"]).args(arguments))
    }

    /// Starts a server that prints its address on the first line of stderr.
    pub fn spawn(cairn: &mut Command) -> Result<Self, String> {
        cairn.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut process = cairn.spawn().map_err(|error| format!("cannot start {cairn:?}: {error}"))?;
        let mut said = String::new();
        if let Some(errors) = process.stderr.take() {
            let mut lines = BufReader::new(errors);
            lines.read_line(&mut said).map_err(|error| format!("cannot read what {cairn:?} says: {error}"))?;
            // Read to the end, or the server would block once the pipe is full.
            std::thread::spawn(move || lines.lines().count());
        }
        let url = url_in(&said).map(str::to_owned);
        let served = Self { process, url: url.clone().unwrap_or_default() };
        if url.is_some() { Ok(served) } else { Err(format!("{cairn:?} does not say where it serves: {said}")) }
    }

    /// Returns the id of the process.
    pub fn pid(&self) -> u32 {
        self.process.id()
    }

    /// Returns the URL of the server.
    pub fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn url_in(line: &str) -> Option<&str> {
    line.split_whitespace().find(|word| word.starts_with("http://"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_is_found_in_a_servers_output() {
        let said = "serving http://127.0.0.1:4711/mcp/mile\n";
        assert_eq!(url_in(said), Some("http://127.0.0.1:4711/mcp/mile"));
        assert_eq!(url_in("error: the port is taken\n"), None);
    }
}
