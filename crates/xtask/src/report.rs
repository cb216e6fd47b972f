//! The only module of `xtask` that writes to the terminal: answers on stdout, everything else on stderr.
//!
//! A closed pipe (`cargo xtask ci --list | head -1`) must not fail a check, so write errors are ignored here and
//! nowhere else. Unit tests write nothing: a `FAILED` that a test provokes would appear in the log of a successful run.

use std::io::Write;

/// Writes one line of an answer to stdout.
pub fn answer(line: &str) {
    write_line(std::io::stdout().lock(), line);
}

/// Writes one line of progress to stderr.
pub fn note(line: &str) {
    write_line(std::io::stderr().lock(), line);
}

fn write_line(mut to: impl Write, line: &str) {
    if !cfg!(test) {
        let _ = writeln!(to, "{line}");
    }
}
