//! Splits the bytes of a PostgreSQL client into messages.

use std::io::{BufReader, Read};
use std::net::TcpStream;

/// Length of a request for TLS or for encryption, the only startup message of this length; another one follows it.
const NEGOTIATION_LENGTH: usize = 8;

/// Reads messages from a connection.
pub(super) struct MessageReader<'a> {
    stream: BufReader<&'a TcpStream>,
    is_started: bool,
}

impl<'a> MessageReader<'a> {
    pub(super) fn new(stream: &'a TcpStream) -> Self {
        Self { stream: BufReader::new(stream), is_started: false }
    }

    /// Returns the next message as it was sent; `None` at the end of the connection.
    ///
    /// A message has a type, a length that counts itself, and a content; startup messages have no type.
    pub(super) fn next_message(&mut self) -> Option<Vec<u8>> {
        let n_type = usize::from(self.is_started);
        let mut message = vec![0; n_type + 4];
        self.stream.read_exact(&mut message).ok()?;
        let length = u32::from_be_bytes(message[n_type..].try_into().ok()?) as usize;
        let n_head = message.len();
        message.resize(n_type + length.max(4), 0);
        self.stream.read_exact(&mut message[n_head..]).ok()?;
        self.is_started |= length != NEGOTIATION_LENGTH;
        Some(message)
    }
}

/// Returns whether a message contains a text, in any case.
pub(super) fn contains(message: &[u8], text: &str) -> bool {
    text.is_empty() || message.windows(text.len()).any(|part| part.eq_ignore_ascii_case(text.as_bytes()))
}
