//! Checks `ARCHITECTURE.md` against the code: every module, type and function that it names must exist.

use std::collections::HashSet;

use super::{File, Finding, has_extension, lexer};

const PAGE: &str = "ARCHITECTURE.md";

/// Finds names in code spans of the page that are neither an identifier nor the name of a file or folder.
pub(super) fn unknown_names(files: &[File]) -> Vec<Finding> {
    let Some(page) = files.iter().find(|file| file.path == PAGE) else { return Vec::new() };
    let known = known_names(files);
    let mut findings = Vec::new();
    for (index, line) in page.text.lines().enumerate() {
        let spans = line.split('`').skip(1).step_by(2);
        for path in spans.filter(|span| is_path(span)) {
            if let Some(name) = path.split("::").find(|name| !known.contains(name)) {
                let problem = format!("nothing in the code is named `{name}`");
                findings.push(Finding::new(page, index + 1, problem, "use the present name"));
            }
        }
    }
    findings
}

/// Returns whether a code span is a path of Rust names; commands, file names, refs and environment variables are not.
fn is_path(span: &str) -> bool {
    span.chars().any(char::is_lowercase) && span.chars().all(|c| lexer::is_word(c) || c == ':')
}

fn known_names(files: &[File]) -> HashSet<&str> {
    let mut known = HashSet::new();
    for file in files.iter().filter(|file| file.path != PAGE) {
        known.extend(file.path.split('/').map(|part| part.split('.').next().unwrap_or_default()));
        known.extend(file.code().flat_map(|(_, code)| lexer::words(code)));
        // The scenes of the browser tests are cited too.
        if has_extension(&file.path, "mjs") {
            known.extend(lexer::words(&file.text));
        }
    }
    known
}

#[cfg(test)]
mod tests {
    use super::super::expect_findings;
    use super::*;

    #[test]
    fn name_without_code_is_found() {
        expect_findings(
            unknown_names,
            &[
                (
                    PAGE,
                    "The `store` has `git::wal`, `Store::write` and `git::gone`.\nRun `cargo xtask tidy` in `tests/`.\n",
                ),
                ("crates/store/src/git/wal.rs", "impl Store { fn write() {} } // gone\n"),
            ],
            &["ARCHITECTURE.md:1: nothing in the code is named `gone`; use the present name"],
        );
    }
}
