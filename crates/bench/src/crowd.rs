//! Many concurrent clients of one HTTP server, each with its own persistent connection.
//!
//! One thread runs all clients, as in `pgbench`: they run on the same cores as the server, and leave it their time.

use std::io;
use std::time::{Duration, Instant};

use futures_util::future::try_join_all;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::runtime;
use tokio::time::timeout;

use super::talk::{INITIALIZE, is_good};

const RESPONSE_TIMEOUT: Duration = Duration::from_mins(2);
/// Maximum number of headers of a response.
const MAX_HEADERS: usize = 32;

/// Repeats a request on `n_clients` connections for `time`; returns the duration of each response.
pub(crate) fn asking(url: &str, request: &str, n_clients: usize, time: Duration) -> Result<Vec<Duration>, String> {
    let runtime = runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| format!("no event loop: {error}"))?.block_on(async {
        // All clients connect before any of them begins.
        let mut clients = try_join_all((0..n_clients).map(|_| Client::connect(url))).await?;
        let times = try_join_all(clients.iter_mut().map(|client| client.ask_for(request, time))).await?;
        Ok(times.concat())
    })
}

struct Client {
    stream: TcpStream,
    /// The request line and the headers of every request, without the length of its body.
    head: String,
    /// What was received and belongs to no response yet.
    received: Vec<u8>,
}

impl Client {
    async fn connect(url: &str) -> Result<Self, String> {
        let (authority, path) = parts(url).ok_or_else(|| format!("invalid address `{url}`"))?;
        let cannot = |error: io::Error| format!("cannot connect to {url}: {error}");
        let stream = TcpStream::connect(authority).await.map_err(cannot)?;
        stream.set_nodelay(true).map_err(cannot)?;
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: {authority}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2025-06-18\r\n"
        );
        let mut client = Self { stream, head, received: Vec::new() };
        let opened = client.ask(&client.request(INITIALIZE)).await?;
        if let Some(id) = opened.session {
            client.head.extend(["Mcp-Session-Id: ", &id, "\r\n"]);
        }
        Ok(client)
    }

    /// Returns the bytes of a request.
    fn request(&self, body: &str) -> String {
        format!("{}Content-Length: {}\r\n\r\n{body}", self.head, body.len())
    }

    async fn ask_for(&mut self, body: &str, time: Duration) -> Result<Vec<Duration>, String> {
        let request = self.request(body);
        let mut times = Vec::new();
        let start = Instant::now();
        while start.elapsed() < time {
            let asked = Instant::now();
            self.ask(&request).await?;
            times.push(asked.elapsed());
        }
        Ok(times)
    }

    /// Sends a request and waits for its response, which must not be an error.
    async fn ask(&mut self, request: &str) -> Result<Response, String> {
        timeout(RESPONSE_TIMEOUT, self.exchange(request)).await.map_err(|_| "the server does not answer")?
    }

    async fn exchange(&mut self, request: &str) -> Result<Response, String> {
        let failed = |error: io::Error| format!("a connection failed: {error}");
        self.stream.write_all(request.as_bytes()).await.map_err(failed)?;
        let response = loop {
            if let Some((response, length)) = Response::read(&self.received)? {
                self.received.drain(..length);
                break response;
            }
            if self.stream.read_buf(&mut self.received).await.map_err(failed)? == 0 {
                return Err("the server closed a connection".to_owned());
            }
        };
        if response.status == 200 {
            is_good(&response.body)?;
            return Ok(response);
        }
        Err(format!("{}: {}", response.status, response.body))
    }
}

struct Response {
    status: u16,
    session: Option<String>,
    body: String,
}

impl Response {
    /// Reads a response and its length in bytes; `None` if it is not complete.
    fn read(received: &[u8]) -> Result<Option<(Self, usize)>, String> {
        let invalid = |error: &dyn std::fmt::Display| format!("an invalid response: {error}");
        let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
        let mut head = httparse::Response::new(&mut headers);
        let parsed = head.parse(received).map_err(|error| invalid(&error))?;
        let httparse::Status::Complete(start) = parsed else { return Ok(None) };
        let header = |name: &str| {
            let found = head.headers.iter().find(|header| header.name.eq_ignore_ascii_case(name));
            found.map(|header| String::from_utf8_lossy(header.value).into_owned())
        };
        let (status, session) = (head.code.unwrap_or_default(), header("mcp-session-id"));
        let body = match header("content-length") {
            Some(length) => {
                let end = start + length.parse::<usize>().map_err(|error| invalid(&error))?;
                received.get(start..end).map(|body| (body.to_vec(), end))
            }
            None => chunks(received, start)?,
        };
        let complete = |(body, end): (Vec<u8>, usize)| {
            (Self { status, session, body: String::from_utf8_lossy(&body).into_owned() }, end)
        };
        Ok(body.map(complete))
    }
}

/// Reads a body in chunks from a position, and the position after it; `None` if it is not complete.
fn chunks(received: &[u8], mut at: usize) -> Result<Option<(Vec<u8>, usize)>, String> {
    let mut body = Vec::new();
    loop {
        let rest = received.get(at..).unwrap_or_default();
        let size = httparse::parse_chunk_size(rest).map_err(|_| "an invalid size of a chunk")?;
        let httparse::Status::Complete((n_before, size)) = size else { return Ok(None) };
        let size = usize::try_from(size).map_err(|_| "a chunk is too large")?;
        let start = at + n_before;
        let Some(chunk) = received.get(start..start + size) else { return Ok(None) };
        body.extend_from_slice(chunk);
        at = start + size + "\r\n".len();
        if received.len() < at {
            return Ok(None);
        }
        if size == 0 {
            return Ok(Some((body, at)));
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
    fn responses_are_read_when_they_are_complete() {
        let with_length = "HTTP/1.1 200 OK\r\ncontent-length: 3\r\nmcp-session-id: a1\r\n\r\none";
        let in_chunks = "HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n2\r\ntw\r\n1\r\no\r\n0\r\n\r\n";
        for (text, status, session, body) in [(with_length, 200, Some("a1"), "one"), (in_chunks, 404, None, "two")] {
            for cut in 0..text.len() {
                assert!(
                    Response::read(&text.as_bytes()[..cut]).expect("it is valid").is_none(),
                    "{cut} bytes of {text}"
                );
            }
            let received = format!("{text}HTTP/1.1 200");
            let (read, length) = Response::read(received.as_bytes()).expect("it is valid").expect("it is complete");
            assert_eq!((read.status, read.session.as_deref(), read.body.as_str()), (status, session, body));
            assert_eq!(length, text.len());
        }
        assert!(Response::read(b"SSH-2.0-OpenSSH_9\r\n").is_err());
    }

    #[test]
    fn address_has_a_host_and_a_path() {
        assert_eq!(parts("http://127.0.0.1:80/mcp/mile"), Some(("127.0.0.1:80", "/mcp/mile")));
        assert_eq!(parts("127.0.0.1:80"), None);
    }
}
