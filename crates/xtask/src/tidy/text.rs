//! Checks of the text of any file: white space, machine-specific paths, `TODO` comments without an issue.

use super::{File, Finding, has_extension, is_data, lexer};

/// Finds carriage returns, tabs, trailing white space and a missing final newline.
pub(super) fn whitespace(files: &[File]) -> Vec<Finding> {
    let ours = files.iter().filter(|file| !is_data(&file.path));
    ours.flat_map(whitespace_of).collect()
}

fn whitespace_of(file: &File) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (number, line) in numbered(&file.text) {
        let problem = if line.ends_with('\r') {
            Some("the line ends in CRLF")
        } else if line.ends_with(char::is_whitespace) {
            Some("whitespace at the end of the line")
        } else {
            None
        };
        if let Some(problem) = problem {
            findings.push(Finding::new(file, number, problem, "remove it"));
        }
        if line.contains('\t') {
            let remedy = "indent with spaces, write `\\t` in strings";
            findings.push(Finding::new(file, number, "a tab", remedy));
        }
    }
    if !file.text.is_empty() && !file.text.ends_with('\n') {
        let number = file.text.lines().count();
        let problem = "no newline at the end of the file";
        findings.push(Finding::new(file, number, problem, "add one"));
    }
    findings
}

/// Top-level folders of machine-specific paths.
const MACHINE_FOLDERS: &[&str] = &["home", "root", "work", "Users"];

/// Finds machine-specific absolute paths.
pub(super) fn machine_paths(files: &[File]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files {
        for (number, line) in numbered(&file.text) {
            if let Some(path) =
                MACHINE_FOLDERS.iter().map(|folder| format!("/{folder}/")).find(|path| names_absolute(line, path))
            {
                let problem = format!("`{path}…` is a path of one machine");
                let remedy = "write it relative to the repository or to `~`";
                findings.push(Finding::new(file, number, problem, remedy));
            }
        }
    }
    findings
}

/// Returns whether the line contains the path, not as the tail of a longer path or URL.
fn names_absolute(line: &str, path: &str) -> bool {
    line.match_indices(path).any(|(start, _)| {
        let before = line[..start].chars().next_back();
        before.is_none_or(|c| !lexer::is_word(c) && !".-~})>*".contains(c))
    })
}

/// Finds `TODO` comments without an issue.
pub(super) fn todo_without_issue(files: &[File]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files {
        for (number, comment) in comments(file) {
            if let Some(marker) = open_promise(comment) {
                let problem = format!("`{marker}` without an issue");
                let remedy = "write `TODO(#n)` with the issue's number, or do it now";
                findings.push(Finding::new(file, number, problem, remedy));
            }
        }
    }
    findings
}

fn comments(file: &File) -> Vec<(usize, &str)> {
    if file.is_rust() {
        let lines = file.rust.iter().enumerate();
        return lines.map(|(index, line)| (index + 1, line.comment.as_str())).collect();
    }
    let has_hash_comments = has_extension(&file.path, "toml") || file.path == "justfile" || file.path == ".ci/run";
    if !has_hash_comments {
        return Vec::new();
    }
    numbered(&file.text).filter_map(|(number, line)| Some((number, &line[line.find('#')?..]))).collect()
}

/// Returns the marker in a comment without `(#n)`. In backticks it is only mentioned.
fn open_promise(comment: &str) -> Option<&'static str> {
    const MARKERS: &[&str] = &["TODO", "FIXME", "XXX"];
    MARKERS.iter().copied().find(|marker| {
        comment.match_indices(marker).any(|(start, _)| {
            let before = comment[..start].chars().next_back();
            let after = &comment[start + marker.len()..];
            let is_marker = before.is_none_or(|c| !lexer::is_word(c) && c != '`') && !after.starts_with(lexer::is_word);
            is_marker && !(*marker == "TODO" && names_issue(after))
        })
    })
}

fn names_issue(after: &str) -> bool {
    let number = after.strip_prefix("(#").and_then(|rest| rest.split_once(')'));
    number.is_some_and(|(number, _)| number.parse::<u64>().is_ok())
}

/// Returns the lines with their numbers; carriage returns are kept, because a check looks for them.
fn numbered(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.split_terminator('\n').enumerate();
    lines.map(|(index, line)| (index + 1, line))
}

#[cfg(test)]
mod tests {
    use super::super::expect_findings;
    use super::*;

    #[test]
    fn stray_whitespace_is_found() {
        expect_findings(
            whitespace,
            &[("a.md", "good\nblank \ncrlf\r\n\ttab\nno newline")],
            &[
                "a.md:2: whitespace at the end of the line; remove it",
                "a.md:3: the line ends in CRLF; remove it",
                "a.md:4: a tab; indent with spaces, write `\\t` in strings",
                "a.md:5: no newline at the end of the file; add one",
            ],
        );
    }

    #[test]
    fn data_keeps_its_whitespace() {
        let path = "crates/a/tests/fixtures/b.txt";
        expect_findings(whitespace, &[(path, "a \r\n\tb")], &[]);
    }

    #[test]
    fn path_of_one_machine_is_found() {
        let text = format!("ok\nsee /{0}/me/file\n\"/{0}/x\"\n", "home");
        let found = |line| {
            format!(
                "a.md:{line}: `/{}/…` is a path of one machine; \
                 write it relative to the repository or to `~`",
                "home"
            )
        };
        expect_findings(machine_paths, &[("a.md", &text)], &[&found(2), &found(3)]);
    }

    #[test]
    fn longer_path_or_address_is_no_machine_path() {
        let text = format!("docs/{0}/a https://example.org/{0}/a ~/{0}/a {{dir}}/{1}/a\n", "home", "root");
        expect_findings(machine_paths, &[("a.md", &text)], &[]);
    }

    #[test]
    fn promise_without_issue_is_found() {
        let remedy = "write `TODO(#n)` with the issue's number, or do it now";
        expect_findings(
            todo_without_issue,
            &[("a.rs", "a(); // TODO: later\n// FIXME(#3)\n"), ("Cargo.toml", "# TODO(soon)\n")],
            &[
                &format!("Cargo.toml:1: `TODO` without an issue; {remedy}"),
                &format!("a.rs:1: `TODO` without an issue; {remedy}"),
                &format!("a.rs:2: `FIXME` without an issue; {remedy}"),
            ],
        );
    }

    #[test]
    fn promise_with_issue_and_talk_about_promises_pass() {
        let text = "// TODO(#12): later\n// a `TODO` is\nlet a = \"TODO\"; // TODOS\n";
        expect_findings(todo_without_issue, &[("a.rs", text)], &[]);
    }
}
