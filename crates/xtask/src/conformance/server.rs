//! A server that runs while the suite asks it, and says on its first line where.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};

/// A server of ours.
pub(super) struct Server {
    process: Child,
    origin: String,
}

impl Server {
    /// Starts it; the line may come on either output.
    pub(super) fn start(command: &mut Command) -> Result<Self, String> {
        let failed = |error: std::io::Error| format!("cannot start the server: {error}");
        let (reader, writer) = std::io::pipe().map_err(failed)?;
        let errors = writer.try_clone().map_err(failed)?;
        let process = command.stdin(Stdio::null()).stdout(writer).stderr(errors).spawn().map_err(failed)?;
        // The command holds the ends that the server writes to, and the line would never end.
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut server = Self { process, origin: String::new() };
        let mut output = BufReader::new(reader);
        let mut line = String::new();
        output.read_line(&mut line).map_err(failed)?;
        let url = line.trim().strip_prefix("serving ").and_then(|url| url.split_once("/mcp"));
        let (origin, _) = url.ok_or_else(|| format!("the server does not say where it is: {line}"))?;
        origin.clone_into(&mut server.origin);
        // What it says later must not fill the pipe.
        std::thread::spawn(move || output.read_to_end(&mut Vec::new()));
        Ok(server)
    }

    /// Returns where a path of it is.
    pub(super) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.origin)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It has no state, and nothing waits for it.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
