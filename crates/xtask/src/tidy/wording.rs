//! Checks of wording: limits have conventional names, and messages name the technical problem.

use super::{File, Finding, has_extension, lexer};

/// First words of limits with names that can be neither guessed nor searched for.
const VAGUE_WORDS: &[&str] = &[
    "DEEPEST",
    "GLANCE",
    "HELD",
    "HIGHEST",
    "LARGEST",
    "LONGEST",
    "MOST",
    "NARROWEST",
    "PATIENCE",
    "SHORTEST",
    "USUAL",
    "WIDEST",
];

/// Finds limits that are not named `MAX_…`, `MIN_…`, `DEFAULT_…`, `…_TIMEOUT` or `…_INTERVAL`.
pub(super) fn vague_limits(files: &[File]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files {
        for (number, code) in file.code() {
            let mut words = lexer::words(code).skip_while(|word| !matches!(*word, "const" | "static"));
            let Some(name) = words.nth(1) else { continue };
            let first = name.split('_').next().unwrap_or_default();
            if VAGUE_WORDS.contains(&first) {
                let problem = format!("the limit `{name}` has an unconventional name");
                findings.push(Finding::new(
                    file,
                    number,
                    problem,
                    "call it `MAX_…`, `DEFAULT_…`, `…_TIMEOUT` or `…_INTERVAL`",
                ));
            }
        }
    }
    findings
}

/// Finds messages of the form "`x` is no y".
pub(super) fn is_no_messages(files: &[File]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files.iter().filter(|file| is_product(&file.path)) {
        for (index, line) in file.text.lines().enumerate() {
            if !line.trim_start().starts_with("//") && says_is_no(line) {
                let remedy = "write \"unknown y `x` (expected: …)\", \"invalid y `x`\" or \"y not found: `x`\"";
                findings.push(Finding::new(file, index + 1, "a message says that something \"is no\" thing", remedy));
            }
        }
    }
    findings
}

/// Files whose texts are fixed by the contract of another tool.
const CONTRACT_TEXTS: &[&str] = &["crates/dialects/src/mile.rs", "crates/dialects/src/taiga/problems.rs"];

fn is_product(path: &str) -> bool {
    let is_source = path.starts_with("crates/") && path.contains("/src/") && has_extension(path, "rs");
    is_source && !path.ends_with("/wording.rs") && !CONTRACT_TEXTS.contains(&path)
}

fn says_is_no(line: &str) -> bool {
    let Some(start) = line.find('"') else { return false };
    line[start..].match_indices(" is no ").any(|(at, found)| {
        let (before, after) = (&line[start..start + at], &line[start + at + found.len()..]);
        !before.ends_with("there") && !after.starts_with("longer")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(found: fn(&[File]) -> Vec<Finding>, text: &str, n_findings: usize) {
        let file = File::new("crates/store/src/a.rs", text);
        assert_eq!(found(&[file]).len(), n_findings, "{text}");
    }

    #[test]
    fn limits_have_conventional_names() {
        check(vague_limits, "const MOST: usize = 3;\npub(crate) const LONGEST_LINE: usize = 4;\n", 2);
        check(vague_limits, "static USUAL_RATE: u8 = 1;\n", 1);
        check(vague_limits, "const MAX_LINE: usize = 3; // MOST\nlet most = MOSTLY;\n", 0);
    }

    #[test]
    fn messages_do_not_say_is_no() {
        check(is_no_messages, "format!(\"`{x}` is no status\")\n", 1);
        check(is_no_messages, "// a tag is no branch\n", 0);
        check(is_no_messages, "\"there is no commit yet, it is no longer here\"\n", 0);
    }
}
