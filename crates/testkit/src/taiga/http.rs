//! The part of HTTP/1.1 that a client needs: requests and responses with a length, persistent connections.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use serde_json::Value;

/// A request as received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// `GET`, `POST`, …
    pub method: String,
    /// Path with a leading slash, without the query.
    pub path: String,
    /// Names and values, decoded.
    pub query: Vec<(String, String)>,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    /// Body; may be empty.
    pub body: Vec<u8>,
}

impl Request {
    /// Returns a header by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Returns the first value of a query parameter.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Returns the body as JSON; null if it is not JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// Reads the next request of a connection; `None` if the client has closed it.
    pub(super) fn read(connection: &mut BufReader<TcpStream>) -> io::Result<Option<Self>> {
        let mut line = String::new();
        if connection.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let mut words = line.split_whitespace();
        let (Some(method), Some(target)) = (words.next(), words.next()) else {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "not a request"));
        };
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let mut request = Self {
            method: method.to_owned(),
            path: decode(path),
            query: query.split('&').filter(|pair| !pair.is_empty()).map(decode_pair).collect(),
            headers: read_headers(connection)?,
            body: Vec::new(),
        };
        let length = request.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
        connection.take(length).read_to_end(&mut request.body)?;
        Ok(Some(request))
    }
}

fn read_headers(connection: &mut BufReader<TcpStream>) -> io::Result<Vec<(String, String)>> {
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        connection.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(':') else {
            return Ok(headers);
        };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
}

fn decode_pair(pair: &str) -> (String, String) {
    let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
    (decode(name), decode(&value.replace('+', " ")))
}

fn decode(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let escaped = (first == b'%').then(|| tail.get(..2)).flatten();
        let code = escaped.and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        bytes.push(code.unwrap_or(first));
        rest = if code.is_some() { &tail[2..] } else { tail };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// HTTP status.
    pub status: u16,
    /// Headers except for the length, which is added.
    pub headers: Vec<(String, String)>,
    /// Body; may be empty.
    pub body: Vec<u8>,
}

impl Answer {
    /// A JSON response.
    pub fn json(status: u16, body: &Value) -> Self {
        // As in the original, everything outside of ASCII is escaped.
        Self::with_type(status, "application/json", escape_non_ascii(&body.to_string()).into_bytes())
    }

    /// An HTML page.
    pub fn html(status: u16, title: &str) -> Self {
        let page = format!(
            "\n<!doctype html>\n<html lang=\"en\">\n<head>\n  <title>{title}</title>\n</head>\n<body>\n  \
             <h1>{title}</h1><p></p>\n</body>\n</html>\n"
        );
        Self::with_type(status, "text/html", page.into_bytes())
    }

    /// A response without a body.
    pub fn empty(status: u16) -> Self {
        Self { status, headers: Vec::new(), body: Vec::new() }
    }

    /// A response with any content type.
    pub fn with_type(status: u16, content_type: &str, body: Vec<u8>) -> Self {
        Self { status, headers: vec![("Content-Type".to_owned(), content_type.to_owned())], body }
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: &str, value: impl std::fmt::Display) -> Self {
        self.headers.push((name.to_owned(), value.to_string()));
        self
    }

    pub(super) fn write(&self, connection: &mut TcpStream) -> io::Result<()> {
        connection.write_all(&self.bytes())?;
        connection.flush()
    }

    /// Sends the response to a `HEAD` request.
    pub(super) fn write_head(&self, connection: &mut TcpStream) -> io::Result<()> {
        connection.write_all(&self.head())?;
        connection.flush()
    }

    /// Sends the response up to the middle of its body, or of its head if it has no body.
    pub(super) fn write_part(&self, connection: &mut TcpStream) -> io::Result<()> {
        let bytes = self.bytes();
        let end = if self.body.is_empty() { bytes.len() / 2 } else { bytes.len() - self.body.len().div_ceil(2) };
        connection.write_all(&bytes[..end])?;
        connection.flush()
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.head();
        bytes.extend(&self.body);
        bytes
    }

    fn head(&self) -> Vec<u8> {
        let mut bytes = format!("HTTP/1.1 {} Status\r\n", self.status).into_bytes();
        for (name, value) in &self.headers {
            bytes.extend(format!("{name}: {value}\r\n").into_bytes());
        }
        bytes.extend(format!("Content-Length: {}\r\n\r\n", self.body.len()).into_bytes());
        bytes
    }
}

fn escape_non_ascii(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter.is_ascii() {
            escaped.push(letter);
        } else {
            let mut units = [0; 2];
            escaped.extend(letter.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")));
        }
    }
    escaped
}
