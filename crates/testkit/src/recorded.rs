//! Recorded files that other parts of the project read too, so they cannot be `.snap` files of `insta`.

use std::fs;
use std::path::Path;

/// Returns whether `cargo insta` runs the tests, so that recorded output is updated instead of compared.
pub fn is_updating() -> bool {
    std::env::var("INSTA_UPDATE").is_ok_and(|mode| mode != "no")
}

/// Compares a text with a recorded file, or updates the file when `cargo insta` runs the tests.
#[track_caller]
pub fn check_recorded(path: &Path, found: &str) {
    if is_updating() {
        fs::write(path, found).unwrap_or_else(|error| panic!("cannot write {}: {error}", path.display()));
        return;
    }
    let expected = fs::read_to_string(path).unwrap_or_default();
    let n_same = found.lines().zip(expected.lines()).take_while(|(found, expected)| found == expected).count();
    let line = |text: &str| text.lines().nth(n_same).unwrap_or("(end of file)").to_owned();
    assert!(
        found == expected,
        "{}:{}\n- {}\n+ {}\nhint: `just accept` records it again; read the diff then",
        path.display(),
        n_same + 1,
        line(&expected),
        line(found),
    );
}
