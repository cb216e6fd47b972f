//! Many concurrent clients of one HTTP server, each with its own persistent connection.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

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

/// A connection.
struct Client {
    stream: BufReader<TcpStream>,
    authority: String,
    path: String,
    /// The session id, if the server opened a session.
    session: Option<String>,
}

impl Client {
    fn connect(url: &str) -> Result<Self, String> {
        let (authority, path) = parts(url).ok_or_else(|| format!("invalid address `{url}`"))?;
        let stream = TcpStream::connect(authority).map_err(|error| format!("cannot connect to {url}: {error}"))?;
        let set = stream.set_nodelay(true).and_then(|()| stream.set_read_timeout(Some(Duration::from_mins(2))));
        set.map_err(|error| format!("cannot set the connection up: {error}"))?;
        let (authority, path) = (authority.to_owned(), path.to_owned());
        let mut client = Self { stream: BufReader::new(stream), authority, path, session: None };
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
        let session = self.session.as_ref().map_or_else(String::new, |id| format!("Mcp-Session-Id: {id}\r\n"));
        let request = format!(
            "POST {} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
            Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2025-06-18\r\n{session}\
            Content-Length: {}\r\n\r\n{body}",
            self.path,
            self.authority,
            body.len()
        );
        let cannot = |error: std::io::Error| format!("a connection failed: {error}");
        self.stream.get_mut().write_all(request.as_bytes()).map_err(cannot)?;
        let (status, answer) = self.answer().map_err(cannot)?;
        if status.starts_with("HTTP/1.1 200") { is_good(&answer) } else { Err(format!("{status}: {answer}")) }
    }

    fn answer(&mut self) -> std::io::Result<(String, String)> {
        let mut status = String::new();
        self.stream.read_line(&mut status)?;
        let mut length = None;
        loop {
            let mut line = String::new();
            if self.stream.read_line(&mut line)? == 0 {
                return Err(std::io::ErrorKind::UnexpectedEof.into());
            }
            let Some((name, value)) = line.split_once(':') else { break };
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.trim().parse().ok(),
                "mcp-session-id" => self.session = Some(value.trim().to_owned()),
                _ => {}
            }
        }
        let body = match length {
            Some(length) => self.bytes(length)?,
            None => self.chunks()?,
        };
        Ok((status.trim().to_owned(), String::from_utf8_lossy(&body).into_owned()))
    }

    fn bytes(&mut self, length: usize) -> std::io::Result<Vec<u8>> {
        let mut bytes = vec![0; length];
        self.stream.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    /// Reads a chunked body.
    fn chunks(&mut self) -> std::io::Result<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            let mut line = String::new();
            self.stream.read_line(&mut line)?;
            let length = usize::from_str_radix(line.trim(), 16).map_err(|_| std::io::ErrorKind::InvalidData)?;
            body.extend(self.bytes(length)?);
            self.bytes("\r\n".len())?;
            if length == 0 {
                return Ok(body);
            }
        }
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
