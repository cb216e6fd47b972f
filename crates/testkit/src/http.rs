//! A raw HTTP client: requests are sent byte for byte as given, and responses are read to their end.

mod connection;

use std::io::{Read, Write};

pub use connection::HttpConnection;

/// A response.
#[derive(Debug, Clone)]
pub struct HttpAnswer {
    /// Status.
    pub status: u16,
    /// Status line and headers.
    pub head: String,
    /// Body.
    pub body: String,
}

/// Sends a request over a connection. `Connection: close` and, unless given, `Host` and `Content-Length` are added.
///
/// A server that refuses a request may close the connection before it has read everything, so errors are ignored: the
/// answer shows what happened.
pub fn begin(
    stream: &mut impl Write,
    authority: &str,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: Option<&str>,
) {
    let has = |name: &str| headers.iter().any(|(given, _)| given.eq_ignore_ascii_case(name));
    let mut lines = vec![format!("{method} {path} HTTP/1.1"), "Connection: close".to_owned()];
    if !has("Host") {
        lines.push(format!("Host: {authority}"));
    }
    if let Some(body) = body.filter(|_| !has("Content-Length")) {
        lines.push(format!("Content-Length: {}", body.len()));
    }
    lines.extend(headers.iter().map(|(name, value)| format!("{name}: {value}")));
    let text = format!("{}\r\n\r\n{}", lines.join("\r\n"), body.unwrap_or_default());
    let _ = stream.write_all(text.as_bytes()).and_then(|()| stream.flush());
}

/// Reads a response to the end of the connection.
#[track_caller]
pub fn finish(stream: &mut impl Read) -> HttpAnswer {
    let mut bytes = Vec::new();
    // A request that was refused early is cut off.
    let _ = stream.read_to_end(&mut bytes);
    HttpAnswer::read(&String::from_utf8_lossy(&bytes))
}

/// Reads a response to the end of the connection; `None` if the server ended before its head was complete.
pub fn try_finish(stream: &mut impl Read) -> Option<HttpAnswer> {
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    HttpAnswer::try_read(&String::from_utf8_lossy(&bytes))
}

/// Sends a request over a connection and reads the response.
#[track_caller]
pub fn send(
    mut stream: impl Read + Write,
    authority: &str,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> HttpAnswer {
    begin(&mut stream, authority, method, path, headers, Some(body));
    finish(&mut stream)
}

impl HttpAnswer {
    #[track_caller]
    fn read(text: &str) -> Self {
        Self::try_read(text).unwrap_or_else(|| panic!("no answer: {text}"))
    }

    fn try_read(text: &str) -> Option<Self> {
        let (head, body) = text.split_once("\r\n\r\n")?;
        let status = head.split(' ').nth(1)?.parse().ok()?;
        Some(Self { status, head: head.to_owned(), body: body.to_owned() })
    }

    /// Returns a header; `None` if it is absent.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().skip(1).filter_map(|line| line.split_once(':'));
        lines.find(|(own, _)| own.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    #[test]
    fn a_request_is_sent_verbatim() {
        let mut sent = Vec::new();
        begin(&mut sent, "here:1", "POST", "/a", &[("X-B", "c")], Some("body"));
        let expected =
            "POST /a HTTP/1.1\r\nConnection: close\r\nHost: here:1\r\nContent-Length: 4\r\nX-B: c\r\n\r\nbody";
        assert_eq!(String::from_utf8_lossy(&sent), expected);
        let mut sent = Vec::new();
        begin(&mut sent, "here:1", "GET", "/", &[("host", "there")], None);
        assert_eq!(String::from_utf8_lossy(&sent), "GET / HTTP/1.1\r\nConnection: close\r\nhost: there\r\n\r\n");
    }

    #[test]
    fn an_answer_has_a_status_headers_and_a_body() {
        let answer = finish(&mut Cursor::new(b"HTTP/1.1 404 Not Found\r\nContent-Type: a/B\r\n\r\nno: body"));
        assert_eq!((answer.status, answer.header("content-type"), answer.header("no")), (404, Some("a/B"), None));
        assert_eq!(answer.body, "no: body");
    }
}
