//! A server of the built program, and raw requests to it.

use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;
use testkit::Cairn;
use testkit::http::{self, HttpAnswer};

use crate::served::Served;

/// Generous timeout for a loaded machine.
const READ_TIMEOUT: Duration = Duration::from_mins(1);

/// A server on its own port, stopped on drop, and the token of its requests.
pub(crate) struct Server {
    served: Served,
    token: String,
}

/// A response.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: String,
    raw: HttpAnswer,
}

impl Server {
    /// Serves a project to its owner.
    pub(crate) fn start(cairn: &Cairn) -> Self {
        let served = Served::start(cairn, &[]);
        let token = served.token.clone().unwrap();
        Self { served, token }
    }

    /// Serves a project to the owner of a token.
    pub(crate) fn start_for(cairn: &Cairn, token: &str) -> Self {
        Self { served: Served::start(cairn, &[]), token: token.to_owned() }
    }

    /// Sends a raw request.
    pub(crate) fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: Option<&str>) -> Answer {
        let raw = http::finish(&mut self.begin(method, path, headers, body));
        Answer { status: raw.status, body: raw.body.clone(), raw }
    }

    /// Sends a request and returns the stream of the response.
    pub(crate) fn begin(&self, method: &str, path: &str, headers: &[(&str, &str)], body: Option<&str>) -> TcpStream {
        let mut stream = TcpStream::connect(&self.served.authority).unwrap();
        stream.set_read_timeout(Some(READ_TIMEOUT)).unwrap();
        let bearer = format!("Bearer {}", self.token);
        let mut all = vec![("Authorization", bearer.as_str())];
        if body.is_some() && !headers.iter().any(|(name, _)| *name == "Content-Type") {
            all.push(("Content-Type", "application/json"));
        }
        all.extend(headers);
        http::begin(&mut stream, &self.served.authority, method, path, &all, body);
        stream
    }

    /// Sends a GET that must succeed.
    #[track_caller]
    pub(crate) fn get(&self, path: &str) -> Value {
        let answer = self.send("GET", path, &[], None);
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
        answer.json()
    }

    /// Sends JSON.
    pub(crate) fn write(&self, method: &str, path: &str, body: &Value) -> Answer {
        self.send(method, path, &[], Some(&body.to_string()))
    }

    /// Sends JSON with `If-Match`.
    pub(crate) fn write_if(&self, method: &str, path: &str, tag: &str, body: &Value) -> Answer {
        self.send(method, path, &[("If-Match", tag)], Some(&body.to_string()))
    }

    /// Stops the server and waits for its exit.
    #[cfg(unix)]
    pub(crate) fn stop(self) -> Option<i32> {
        self.served.finish().0.code()
    }
}

impl Answer {
    /// Returns a header; empty if absent.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.raw.header(name).unwrap_or_default()
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Checks that this is a problem document with this detail, and returns it.
    #[track_caller]
    pub(crate) fn problem(&self, status: u16, detail: &str) -> Value {
        let problem = self.any_problem(status);
        assert_eq!(testkit::redact(problem["detail"].as_str().unwrap()), detail);
        problem
    }

    /// Checks that this is a problem document with any detail, and returns it.
    #[track_caller]
    pub(crate) fn any_problem(&self, status: u16) -> Value {
        assert_eq!((self.status, self.header("content-type")), (status, "application/problem+json"), "{self:?}");
        let problem = self.json();
        assert_eq!((problem["status"].as_u64(), &problem["type"]), (Some(status.into()), &"about:blank".into()));
        problem
    }
}

/// A listener for events.
pub(crate) struct Listener {
    lines: BufReader<TcpStream>,
}

/// A received event.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Heard {
    pub(crate) event: String,
    pub(crate) id: String,
    pub(crate) data: Value,
}

impl Listener {
    pub(crate) fn start(server: &Server, last: Option<&str>) -> Self {
        let headers: Vec<(&str, &str)> = last.map(|last| ("Last-Event-ID", last)).into_iter().collect();
        let mut lines = BufReader::new(server.begin("GET", "/api/events", &headers, None));
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert_ne!(lines.read_line(&mut head).unwrap(), 0, "{head}");
        }
        let is_stream = head.lines().any(|line| line == "content-type: text/event-stream");
        assert!(head.starts_with("HTTP/1.1 200") && is_stream, "{head}");
        Self { lines }
    }

    /// Waits for the next event; `None` if the server closes the stream.
    pub(crate) fn next(&mut self) -> Option<Heard> {
        let mut heard = Heard::default();
        loop {
            let mut line = String::new();
            if self.lines.read_line(&mut line).unwrap() == 0 {
                return None;
            }
            // Chunk sizes and comments are skipped: neither has a field name.
            match line.trim_end().split_once(": ") {
                Some(("event", event)) => event.clone_into(&mut heard.event),
                Some(("id", id)) => id.clone_into(&mut heard.id),
                Some(("data", data)) => heard.data = serde_json::from_str(data).unwrap(),
                _ if line.trim().is_empty() && !heard.event.is_empty() => return Some(heard),
                _ => {}
            }
        }
    }
}
