//! Checks of wording: limits have conventional names, identifiers American spelling, and messages name the technical
//! problem.

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

/// Words of which the name of a duration has one, so that it says what the duration is for.
const DURATION_WORDS: &[&str] = &[
    "AGE",
    "BACKOFF",
    "DEFAULT",
    "DELAY",
    "INTERVAL",
    "LEASE",
    "LIFETIME",
    "MAX",
    "MIN",
    "PAUSE",
    "RESOLUTION",
    "TIME",
    "TIMEOUT",
];
/// Durations whose name is their value.
const UNITS: &[&str] = &["MS", "SECOND", "MINUTE", "HOUR", "DAY"];

/// Finds constants that are documented as a maximum or a minimum, or are a duration, but not named like one.
pub(super) fn limits_by_meaning(files: &[File]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files.iter().filter(|file| file.path.contains("/src/")) {
        for (index, line) in file.rust.iter().enumerate() {
            let Some((name, type_name)) = constant(&line.code) else { continue };
            let doc = file.rust[..index].iter().rev().take_while(|line| line.comment.starts_with("///")).last();
            let doc = doc.map_or("", |line| line.comment.trim_start_matches(['/', ' ']));
            let is_limit = ["MAX_", "MIN_"].iter().any(|prefix| name.starts_with(prefix))
                || ["_LIMIT", "_TIMEOUT", "_INTERVAL"].iter().any(|suffix| name.ends_with(suffix));
            if (doc.starts_with("Maximum ") || doc.starts_with("Minimum ")) && !is_limit {
                let problem = format!("`{name}` is a limit by its comment, not by its name");
                findings.push(Finding::new(file, index + 1, problem, "call it `MAX_…` or `MIN_…`"));
            }
            let says_what = name.split('_').any(|word| DURATION_WORDS.contains(&word)) || UNITS.contains(&name);
            if type_name == "Duration" && !says_what {
                let problem = format!("the duration `{name}` does not say what it is for");
                let remedy = "call it `…_TIMEOUT`, `…_INTERVAL`, `…_PAUSE` or `…_TIME`";
                findings.push(Finding::new(file, index + 1, problem, remedy));
            }
        }
    }
    findings
}

/// Returns the name and the type of the constant that a line declares.
fn constant(code: &str) -> Option<(&str, &str)> {
    let mut words = lexer::words(code).skip_while(|word| !matches!(*word, "const" | "static")).skip(1);
    let name =
        words.next().filter(|name| name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_'))?;
    Some((name, words.next()?))
}

/// Metaphors that stood for terms of the field, with these terms. A metaphor can be neither guessed nor searched for.
const METAPHORS: &[(&str, &str)] = &[
    ("absorb", "ingest"),
    ("absorber", "ingest"),
    ("ambient", "env"),
    ("asker", "source, user"),
    ("birth", "creation"),
    ("bury", "delete"),
    ("deed", "event"),
    ("desk", "context"),
    ("door", "authentication, interface"),
    ("errand", "request"),
    ("glance", "snapshot"),
    ("guest", "principal"),
    ("household", "prefix"),
    ("ladder", "scale"),
    ("lender", "pool"),
    ("mend", "repair"),
    ("seat", "author"),
    ("shelf", "visibility"),
    ("whereabouts", "location"),
    ("wish", "patch"),
    ("witness", "audit hook"),
];

/// Finds types, functions, modules and constants that are named by a metaphor.
pub(super) fn metaphors(files: &[File]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files {
        for (number, code) in file.code() {
            let keywords = ["struct", "enum", "trait", "type", "mod", "fn", "const", "static"];
            let name = lexer::words(code).skip_while(|word| !keywords.contains(word)).nth(1).unwrap_or_default();
            let words = parts(name);
            if let Some((word, term)) = METAPHORS.iter().find(|(word, _)| words.iter().any(|part| part == word)) {
                let problem = format!("`{name}` is named by the metaphor \"{word}\"");
                findings.push(Finding::new(file, number, problem, format!("use the term of the field: {term}")));
            }
        }
    }
    findings
}

/// Returns the words of an identifier, in lower case.
fn parts(name: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut is_after_lower = false;
    for c in name.chars() {
        if c == '_' || (is_after_lower && c.is_uppercase()) {
            parts.push(String::new());
        }
        if c != '_' {
            parts.last_mut().expect("it begins with one").extend(c.to_lowercase());
        }
        is_after_lower = c.is_lowercase();
    }
    parts
}

/// Parts of words in British spelling.
const BRITISH: &[&str] = &[
    "behaviour",
    "capitalis",
    "centre",
    "colour",
    "favour",
    "honour",
    "initialis",
    "misspelt",
    "neighbour",
    "normalis",
    "organis",
    "prioritis",
    "recognis",
    "serialis",
    "summaris",
    "synchronis",
];

/// Finds identifiers in British spelling: a search for one spelling must find all.
pub(super) fn british_identifiers(files: &[File]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files {
        for (number, code) in file.code() {
            let is_british = |word: &&str| BRITISH.iter().any(|part| word.to_lowercase().contains(part));
            if let Some(word) = lexer::words(code).find(is_british) {
                let problem = format!("`{word}` has British spelling");
                findings.push(Finding::new(file, number, problem, "spell identifiers as git, cargo and HTTP do"));
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
    fn limits_and_durations_are_named_by_their_meaning() {
        check(limits_by_meaning, "/// Maximum number of tries.\nconst TRIES: usize = 3;\n", 1);
        check(limits_by_meaning, "/// Maximum number\n/// of tries.\npub(crate) const TRIES: usize = 3;\n", 1);
        check(limits_by_meaning, "/// Maximum number of tries.\nconst MAX_TRIES: usize = 3;\n", 0);
        check(limits_by_meaning, "/// Minimum length.\nconst LENGTH_LIMIT: usize = 3;\n", 0);
        check(limits_by_meaning, "const FRESH: Duration = Duration::ZERO;\n", 1);
        check(limits_by_meaning, "const CACHE_LIFETIME: Duration = A;\nconst SECOND: Duration = B;\n", 0);
    }

    #[test]
    fn identifiers_have_american_spelling() {
        check(british_identifiers, "fn read_colour(a: Neighbours) {}\n", 1);
        check(british_identifiers, "let color = \"colour\"; // its colour\n", 0);
    }

    #[test]
    fn metaphors_are_found_in_names_only() {
        check(metaphors, "pub struct PlanDesk;\nfn look_at_door() {}\nconst WITNESS: u8 = 1;\nmod shelf;\n", 4);
        check(metaphors, "struct Desktop; // a desk\nlet door = \"door\";\nfn amend() {}\n", 0);
    }

    #[test]
    fn messages_do_not_say_is_no() {
        check(is_no_messages, "format!(\"`{x}` is no status\")\n", 1);
        check(is_no_messages, "// a tag is no branch\n", 0);
        check(is_no_messages, "\"there is no commit yet, it is no longer here\"\n", 0);
    }
}
