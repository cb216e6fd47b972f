//! Checks of single Rust files: header, length, disabled tests.

use super::{File, Finding, lexer};

const MAX_LINES: usize = 1000;

/// Finds files without a `//!` header.
pub(super) fn missing_module_doc(files: &[File]) -> Vec<Finding> {
    let silent = rust_files(files).filter(|file| !file.text.starts_with("//!"));
    silent
        .map(|file| {
            let problem = "the file does not start with `//!`";
            let remedy = "say in one to five lines what it is for and what it must never do";
            Finding::new(file, 1, problem, remedy)
        })
        .collect()
}

/// Finds files that are too long.
pub(super) fn too_long(files: &[File]) -> Vec<Finding> {
    let long = rust_files(files).filter(|file| file.rust.len() > MAX_LINES);
    long.map(|file| {
        let n_lines = file.rust.len();
        let problem = format!("{n_lines} lines, more than {MAX_LINES}");
        Finding::new(file, MAX_LINES + 1, problem, "move the second idea out")
    })
    .collect()
}

/// Finds tests that are disabled or that pass on any panic.
pub(super) fn switched_off_tests(files: &[File]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in rust_files(files) {
        for (number, code) in file.code() {
            let Some((_, attribute)) = code.split_once("#[") else {
                continue;
            };
            for word in lexer::words(attribute) {
                let remedy = match word {
                    "ignore" => "assert today's behaviour and note it",
                    "should_panic" => "assert the error or the message",
                    _ => continue,
                };
                findings.push(Finding::new(file, number, format!("`{word}`"), remedy));
            }
        }
    }
    findings
}

fn rust_files(files: &[File]) -> impl Iterator<Item = &File> {
    files.iter().filter(|file| file.is_rust())
}

#[cfg(test)]
mod tests {
    use super::super::expect_findings;
    use super::*;

    #[test]
    fn file_without_module_doc_is_found() {
        expect_findings(
            missing_module_doc,
            &[("a.rs", "//! Says it.\n"), ("b.rs", "\n//! Says it too late.\n"), ("c.md", "no Rust\n")],
            &["b.rs:1: the file does not start with `//!`; \
                 say in one to five lines what it is for and what it must never do"],
        );
    }

    #[test]
    fn file_over_a_thousand_lines_is_found() {
        expect_findings(
            too_long,
            &[("a.rs", &"a();\n".repeat(MAX_LINES)), ("b.rs", &"a();\n".repeat(MAX_LINES + 1))],
            &["b.rs:1001: 1001 lines, more than 1000; move the second idea out"],
        );
    }

    #[test]
    fn switched_off_test_is_found() {
        expect_findings(
            switched_off_tests,
            &[("a.rs", "#[test]\n#[ignore = \"slow\"]\n#[cfg_attr(windows, ignore)]\n#[should_panic]\n")],
            &[
                "a.rs:2: `ignore`; assert today's behaviour and note it",
                "a.rs:3: `ignore`; assert today's behaviour and note it",
                "a.rs:4: `should_panic`; assert the error or the message",
            ],
        );
    }

    #[test]
    fn ignoring_elsewhere_passes() {
        let text = "// #[ignore]\nlet ignore = \"#[ignore]\";\n#[arg(ignore_case)]\n";
        expect_findings(switched_off_tests, &[("a.rs", text)], &[]);
    }
}
