//! The only place in `xtask` that writes to the terminal: answers on stdout, everything else on stderr.
//!
//! A reader that went away (`cargo xtask ci --list | head -1`) is no reason to fail a check, so write
//! errors are ignored here and nowhere else. Unit tests write nothing: a `FAILED` that a test provokes on
//! purpose would stand in the log of a run that passed.

use std::io::Write;

/// Writes one line of an answer to stdout.
pub(crate) fn answer(line: &str) {
    write_line(std::io::stdout().lock(), line);
}

/// Writes one line about what is going on to stderr.
pub(crate) fn note(line: &str) {
    write_line(std::io::stderr().lock(), line);
}

fn write_line(mut to: impl Write, line: &str) {
    if !cfg!(test) {
        let _ = writeln!(to, "{line}");
    }
}
