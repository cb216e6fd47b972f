//! Code to annotate and to review: a file to which each commit adds a function.

use std::fmt::Write as _;
use std::io::{self, Write};

pub(crate) const FILE: &str = "src/work.rs";

/// Functions of the file, and commits.
pub(crate) const N_FUNCTIONS: usize = 400;

/// Writes the commits as a stream for `git fast-import`.
pub(crate) fn write(to: &mut impl Write) -> io::Result<()> {
    let mut text = String::new();
    for n in 1..=N_FUNCTIONS {
        let _ = write!(text, "pub fn step_{n}(input: &str) -> usize {{\n    input.len() * {n}\n}}\n\n");
        let message = format!("Add step {n}\n");
        let seconds = 1_760_000_000 + n * 600;
        write!(
            to,
            "commit refs/heads/main\ncommitter Ada Byron <ada@example.org> {seconds} +0000\ndata {}\n{message}",
            message.len()
        )?;
        if n == 1 {
            writeln!(to, "from refs/heads/main^0")?;
        }
        write!(to, "M 100644 inline {FILE}\ndata {}\n{text}\n", text.len())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_commit_adds_a_function() {
        let mut bytes = Vec::new();
        write(&mut bytes).unwrap();
        let stream = String::from_utf8(bytes).unwrap();
        assert_eq!(stream.matches("\nM 100644 inline src/work.rs\n").count(), N_FUNCTIONS);
        let (_, last) = stream.rsplit_once("\ndata ").unwrap();
        assert_eq!(last.matches("pub fn step_").count(), N_FUNCTIONS);
    }
}
