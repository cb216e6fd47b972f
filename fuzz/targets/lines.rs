//! The way in of a server on standard input, on any bytes: never a panic, one verdict for each line, and the same ones
//! however the bytes arrive.

#![no_main]

use mcp::fuzzing::verdicts;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let whole = verdicts(&[bytes]);
    let n_lines = bytes.split(|byte| *byte == b'\n').count();
    // The last line has no end, and is none when nothing stands there.
    let is_last_empty = bytes.is_empty() || bytes.ends_with(b"\n");
    assert_eq!(whole.len(), n_lines - usize::from(is_last_empty));
    let single: Vec<&[u8]> = bytes.chunks(1).collect();
    assert_eq!(verdicts(&single), whole);
    assert_eq!(verdicts(&pieces(bytes)), whole);
});

/// Cuts bytes in pieces of sizes that follow from the bytes.
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
