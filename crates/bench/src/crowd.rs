//! Many concurrent clients of one HTTP server, each with its own persistent connection.

use std::thread;
use std::time::{Duration, Instant};

use testkit::http::HttpConnection;

use super::talk::{INITIALIZE, is_good};

/// Repeats a request on `n_clients` connections for `time`; returns the duration of each response.
pub(crate) fn asking(url: &str, request: &str, n_clients: usize, time: Duration) -> Result<Vec<Duration>, String> {
    // All clients connect before any of them begins.
    let clients: Result<Vec<Client>, String> = (0..n_clients).map(|_| Client::connect(url)).collect();
    thread::scope(|scope| {
        let begin = |mut client: Client| scope.spawn(move || client.ask_for(request, time));
        let threads: Vec<_> = clients?.into_iter().map(begin).collect();
        let mut times = Vec::new();
        for thread in threads {
            times.extend(thread.join().map_err(|_| "a client broke down")??);
        }
        Ok(times)
    })
}

struct Client {
    connection: HttpConnection,
    path: String,
    /// The session id, if the server opened a session.
    session: Option<String>,
}

impl Client {
    fn connect(url: &str) -> Result<Self, String> {
        let (authority, path) = parts(url).ok_or_else(|| format!("invalid address `{url}`"))?;
        let connection = HttpConnection::open(authority, Duration::from_mins(2))
            .map_err(|error| format!("cannot connect to {url}: {error}"))?;
        let mut client = Self { connection, path: path.to_owned(), session: None };
        client.ask(INITIALIZE)?;
        Ok(client)
    }

    fn ask_for(&mut self, request: &str, time: Duration) -> Result<Vec<Duration>, String> {
        let mut times = Vec::new();
        let start = Instant::now();
        while start.elapsed() < time {
            let asked = Instant::now();
            self.ask(request)?;
            times.push(asked.elapsed());
        }
        Ok(times)
    }

    fn ask(&mut self, body: &str) -> Result<(), String> {
        let mut headers = vec![
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
            ("MCP-Protocol-Version", "2025-06-18"),
        ];
        headers.extend(self.session.iter().map(|id| ("Mcp-Session-Id", id.as_str())));
        let answer = self
            .connection
            .ask("POST", &self.path, &headers, body)
            .map_err(|error| format!("a connection failed: {error}"))?;
        self.session = answer.header("mcp-session-id").map(str::to_owned).or(self.session.take());
        if answer.status == 200 { is_good(&answer.body) } else { Err(format!("{}: {}", answer.status, answer.body)) }
    }
}

/// Splits a URL into host with port, and path.
fn parts(url: &str) -> Option<(&str, &str)> {
    let rest = url.strip_prefix("http://")?;
    Some(rest.split_at(rest.find('/')?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_has_a_host_and_a_path() {
        assert_eq!(parts("http://127.0.0.1:80/mcp/mile"), Some(("127.0.0.1:80", "/mcp/mile")));
        assert_eq!(parts("127.0.0.1:80"), None);
    }
}
