//! A commit message: a subject, a blank line, one operation per line. The subject is for people and never parsed.

/// The two parts of a message.
#[derive(Debug, PartialEq, Eq)]
pub struct CommitMessage<'a> {
    /// Summary for people.
    pub subject: &'a [u8],
    /// One operation per line; may be empty.
    pub body: &'a [u8],
}

/// Splits a message at its first blank line.
pub fn read_message(bytes: &[u8]) -> CommitMessage<'_> {
    let is_blank = |window: &[u8]| window == b"\n\n";
    match bytes.windows(2).position(is_blank) {
        Some(at) => CommitMessage { subject: &bytes[..at], body: &bytes[at + 2..] },
        None => CommitMessage { subject: bytes.trim_ascii_end(), body: b"" },
    }
}

/// Joins a subject and lines of operations.
pub fn write_message(subject: &str, lines: &[u8]) -> Vec<u8> {
    let words: String = subject.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let mut bytes = shorten(words.trim()).into_bytes();
    bytes.push(b'\n');
    if !lines.is_empty() {
        bytes.push(b'\n');
        bytes.extend_from_slice(lines);
    }
    bytes
}

// The subject is a log line; full titles are in the operations.
fn shorten(words: &str) -> String {
    const MAX_SUBJECT: usize = 120;
    if words.chars().count() <= MAX_SUBJECT {
        return words.to_owned();
    }
    let kept: String = words.chars().take(MAX_SUBJECT - 1).collect();
    format!("{}…", kept.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_reads_back() {
        let bytes = write_message("issue #1: close\n\n{\"forged\":1}", b"{}\n");
        assert_eq!(read_message(&bytes), CommitMessage { subject: b"issue #1: close  {\"forged\":1}", body: b"{}\n" });
    }

    #[test]
    fn a_message_without_operations_has_no_body() {
        assert_eq!(write_message("merge", b""), b"merge\n");
        assert_eq!(read_message(b"merge\n"), CommitMessage { subject: b"merge", body: b"" });
    }
}
