//! The line reader of a server on standard input with arbitrary bytes: no panic, one verdict per line, and the same
//! verdicts however the bytes are split.

#![no_main]

use mcp::fuzzing::verdicts;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let whole = verdicts(&[bytes]);
    let n_lines = bytes.split(|byte| *byte == b'\n').count();
    // The last line has no line end; if it is empty, it does not count.
    let is_last_empty = bytes.is_empty() || bytes.ends_with(b"\n");
    assert_eq!(whole.len(), n_lines - usize::from(is_last_empty));
    let single: Vec<&[u8]> = bytes.chunks(1).collect();
    assert_eq!(verdicts(&single), whole);
    assert_eq!(verdicts(&pieces(bytes)), whole);
});

/// Splits bytes into pieces whose sizes are derived from the bytes.
fn pieces(mut bytes: &[u8]) -> Vec<&[u8]> {
    let mut pieces = Vec::new();
    while let Some(first) = bytes.first() {
        let size = usize::from(first % 13 + 1).min(bytes.len());
        let (piece, rest) = bytes.split_at(size);
        pieces.push(piece);
        bytes = rest;
    }
    pieces
}
