//! `cargo xtask tidy`: project rules that neither rustc nor clippy can check.
//!
//! Each check is a pure function from the files that git would commit to findings, so each is tested on a few inline
//! lines. Nothing here changes a file.

mod architecture;
mod commits;
mod fences;
mod layout;
mod lexer;
mod manifests;
mod rust;
mod text;
mod type_names;
mod wording;

use std::fmt;
use std::fs;
use std::path::Path;
use std::process::Command;

use xtask::{command, report};

use crate::fuzz;
use lexer::Line;

type Check = fn(&[File]) -> Vec<Finding>;

const CHECKS: &[Check] = &[
    text::whitespace,
    text::machine_paths,
    text::todo_without_issue,
    rust::missing_module_doc,
    rust::too_long,
    rust::switched_off_tests,
    rust::flag_parameters,
    layout::vague_names,
    layout::mod_rs,
    layout::undeclared_modules,
    layout::several_test_binaries,
    layout::decision_numbers,
    architecture::unknown_names,
    fences::names_outside_their_fence,
    fences::print_lints_switched_off,
    manifests::upward_dependencies,
    manifests::fenced_dependencies,
    manifests::unused_dependencies,
    manifests::unused_workspace_dependencies,
    type_names::type_names_in_two_crates,
    wording::vague_limits,
    wording::limits_by_meaning,
    wording::british_identifiers,
    wording::metaphors,
    wording::is_no_messages,
];

/// Checks all tracked and untracked files that are not ignored.
pub(crate) fn run(root: &Path, arguments: &[String]) -> Result<(), String> {
    if let Some(unknown) = arguments.first() {
        return Err(format!("`tidy` takes no argument, not `{unknown}`"));
    }
    let files = read_files(root)?;
    let mut findings: Vec<Finding> = CHECKS.iter().flat_map(|check| check(&files)).collect();
    findings.sort();
    for finding in &findings {
        report::answer(&finding.to_string());
    }
    fuzz::check_lock_file(root)?;
    commits::check_newest(root)?;
    let n_files = files.len();
    match findings.len() {
        0 => {
            report::note(&format!("tidy: {n_files} files, nothing found"));
            Ok(())
        }
        n_findings => Err(format!("tidy: {n_files} files, findings: {n_findings}")),
    }
}

/// A violation of a rule.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Finding {
    path: String,
    line: usize,
    problem: String,
    remedy: String,
}

impl Finding {
    fn new(file: &File, line: usize, problem: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { path: file.path.clone(), line, problem: problem.into(), remedy: remedy.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, line, problem, remedy } = self;
        write!(f, "{path}:{line}: {problem}; {remedy}")
    }
}

/// A text file, with its path from the root, separated by `/`.
struct File {
    path: String,
    text: String,
    /// The lines of a Rust file, with comments and strings separated from the code; empty for any other file.
    rust: Vec<Line>,
}

impl File {
    fn new(path: &str, text: &str) -> Self {
        let mut file = Self { path: path.to_owned(), text: text.to_owned(), rust: Vec::new() };
        if file.is_rust() {
            file.rust = lexer::lines(text);
        }
        file
    }

    fn is_rust(&self) -> bool {
        has_extension(&self.path, "rs") && !is_data(&self.path)
    }

    /// Returns the code of each line with its number.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        self.rust.iter().enumerate().map(|(index, line)| (index + 1, line.code.as_str()))
    }

    /// Returns the folder's name under `crates/`, if the file is in a crate.
    fn crate_name(&self) -> Option<&str> {
        let (name, _) = self.path.strip_prefix("crates/")?.split_once('/')?;
        Some(name)
    }
}

/// Returns whether the file is test data, which must stay byte for byte.
fn is_data(path: &str) -> bool {
    const DATA_FOLDERS: &[&str] = &["fixtures", "golden", "seeds", "snapshots", "transcripts", "vendor"];
    has_extension(path, "snap") || path.split('/').any(|part| DATA_FOLDERS.contains(&part))
}

fn has_extension(path: &str, extension: &str) -> bool {
    Path::new(path).extension().is_some_and(|found| found == extension)
}

/// Reads the files that git tracks or would add; files that are not UTF-8 are left out.
fn read_files(root: &Path) -> Result<Vec<File>, String> {
    let listing = command::read(Command::new("git").current_dir(root).args([
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
        "--deduplicate",
    ]))?;
    let mut files = Vec::new();
    for path in listing.split_terminator('\0') {
        let place = root.join(path);
        // A tracked file may be deleted in the work tree, or be a link to a folder.
        if !place.is_file() {
            continue;
        }
        let bytes = fs::read(&place).map_err(|error| format!("cannot read `{path}`: {error}"))?;
        if let Ok(text) = String::from_utf8(bytes)
            && !text.contains('\0')
        {
            files.push(File::new(path, &text));
        }
    }
    Ok(files)
}

/// Runs one check on inline files and compares its findings, one per line.
#[cfg(test)]
fn expect_findings(check: Check, files: &[(&str, &str)], expected: &[&str]) {
    let files: Vec<File> = files.iter().map(|(path, text)| File::new(path, text)).collect();
    let mut findings = check(&files);
    findings.sort();
    let found: Vec<String> = findings.iter().map(ToString::to_string).collect();
    assert_eq!(found, expected);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_files_are_not_read_as_rust() {
        assert!(File::new("crates/a/src/lib.rs", "fn a() {}").is_rust());
        assert!(!File::new("crates/a/tests/fixtures/b.rs", "fn a() {}").is_rust());
        assert!(!File::new("README.md", "").is_rust());
    }

    #[test]
    fn finding_reads_as_a_place_a_problem_and_a_remedy() {
        let finding = Finding::new(&File::new("a.rs", ""), 3, "it is wrong", "repair it");
        assert_eq!(finding.to_string(), "a.rs:3: it is wrong; repair it");
    }
}
