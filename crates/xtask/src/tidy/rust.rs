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

/// Crates whose functions no crate of the product calls.
const TOOLS: &[&str] = &["bench", "conformance", "testkit", "xtask"];

/// Finds functions with a `bool` parameter that other crates call: a reader of the call does not see what it means.
pub(super) fn flag_parameters(files: &[File]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let is_product = |file: &&File| file.crate_name().is_some_and(|name| !TOOLS.contains(&name));
    for file in rust_files(files).filter(|file| file.path.contains("/src/")).filter(is_product) {
        for (number, code) in file.code() {
            if !["pub fn ", "pub const fn ", "pub async fn "].iter().any(|start| code.trim_start().starts_with(start)) {
                continue;
            }
            let lines = file.code().skip(number - 1).map(|(_, code)| code);
            // A signature ends where its body begins; the result is not a parameter.
            let mut signature = String::new();
            for code in lines {
                signature.push_str(code);
                if code.contains(['{', ';']) {
                    break;
                }
            }
            let parameters = signature.split("->").next().unwrap_or_default();
            if parameters.split(": ").skip(1).any(|parameter| parameter.starts_with("bool")) {
                let remedy = "take an enum or a struct with named fields, or write two functions";
                findings.push(Finding::new(file, number, "a parameter is a `bool`", remedy));
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
    fn flag_of_a_public_function_is_found() {
        let text = "//! a\npub fn a(b: bool) {}\npub fn c(\n    d: u8,\n    e: bool,\n) {\n}\n\
                    fn f(g: bool) {}\npub(crate) fn h(i: bool) {}\npub fn j() -> bool { let k: bool = true; }\n\
                    pub fn l(m: &[u8]) -> (u8, bool) {}\n";
        expect_findings(
            flag_parameters,
            &[("crates/a/src/lib.rs", text), ("crates/a/tests/it/main.rs", text), ("crates/xtask/src/lib.rs", text)],
            &[
                "crates/a/src/lib.rs:2: a parameter is a `bool`; \
                 take an enum or a struct with named fields, or write two functions",
                "crates/a/src/lib.rs:3: a parameter is a `bool`; \
                 take an enum or a struct with named fields, or write two functions",
            ],
        );
    }

    #[test]
    fn ignoring_elsewhere_passes() {
        let text = "// #[ignore]\nlet ignore = \"#[ignore]\";\n#[arg(ignore_case)]\n";
        expect_findings(switched_off_tests, &[("a.rs", text)], &[]);
    }
}
