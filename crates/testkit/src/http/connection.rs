//! A persistent connection: one request after the other, each answer read to its end.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use super::HttpAnswer;

/// A connection that stays open between requests.
#[derive(Debug)]
pub struct HttpConnection {
    stream: BufReader<TcpStream>,
    authority: String,
}

impl HttpConnection {
    /// Connects to `host:port`.
    pub fn open(authority: &str, read_timeout: Duration) -> io::Result<Self> {
        let stream = TcpStream::connect(authority)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(read_timeout))?;
        Ok(Self { stream: BufReader::new(stream), authority: authority.to_owned() })
    }

    /// Sends a request with `Host` and `Content-Length` and reads the response. Fails if the server is gone.
    pub fn ask(&mut self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> io::Result<HttpAnswer> {
        let mut lines = vec![
            format!("{method} {path} HTTP/1.1"),
            format!("Host: {}", self.authority),
            format!("Content-Length: {}", body.len()),
        ];
        lines.extend(headers.iter().map(|(name, value)| format!("{name}: {value}")));
        self.stream.get_mut().write_all(format!("{}\r\n\r\n{body}", lines.join("\r\n")).as_bytes())?;
        self.answer()
    }

    fn answer(&mut self) -> io::Result<HttpAnswer> {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            self.line(&mut head)?;
        }
        let mut answer = HttpAnswer::read(&head);
        let body = match answer.header("content-length").map(str::parse) {
            Some(length) => self.bytes(length.map_err(|_| io::ErrorKind::InvalidData)?)?,
            None => self.chunks()?,
        };
        answer.body = String::from_utf8_lossy(&body).into_owned();
        Ok(answer)
    }

    fn line(&mut self, text: &mut String) -> io::Result<()> {
        if self.stream.read_line(text)? == 0 { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
    }

    fn bytes(&mut self, length: usize) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; length];
        self.stream.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    fn chunks(&mut self) -> io::Result<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            let mut line = String::new();
            self.line(&mut line)?;
            let length = usize::from_str_radix(line.trim(), 16).map_err(|_| io::ErrorKind::InvalidData)?;
            body.extend(self.bytes(length)?);
            self.bytes("\r\n".len())?;
            if length == 0 {
                return Ok(body);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::thread;

    use super::*;

    #[test]
    fn answers_of_known_and_unknown_length_are_read_to_their_end() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let authority = listener.local_addr().expect("it is bound").to_string();
        let server = thread::spawn(move || {
            let (stream, _) = listener.accept().expect("a client");
            let answers = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\none\
                           HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n2\r\ntw\r\n1\r\no\r\n0\r\n\r\n";
            let mut stream = BufReader::new(stream);
            stream.get_mut().write_all(answers.as_bytes()).expect("it reads");
            // Both requests are read: closing with unread bytes would reset the connection.
            let ends = stream.lines().map_while(Result::ok).filter(String::is_empty);
            assert_eq!(ends.take(2).count(), 2);
        });
        let mut connection = HttpConnection::open(&authority, Duration::from_secs(20)).expect("it listens");
        let mut ask = || connection.ask("GET", "/", &[], "").map(|answer| (answer.status, answer.body));
        assert_eq!(ask().expect("an answer"), (200, "one".to_owned()));
        assert_eq!(ask().expect("an answer"), (404, "two".to_owned()));
        server.join().expect("it ends");
        assert!(ask().is_err(), "the server is gone");
    }
}
