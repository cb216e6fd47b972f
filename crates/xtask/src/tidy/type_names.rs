//! Checks that a public type name means one thing: no two crates define the same one.

use std::collections::BTreeMap;

use super::{File, Finding, lexer};

/// Crates that are not part of the product, or speak the language of another system in a namespace of their own.
const EXEMPT: &[&str] = &["conformance", "taiga", "testkit", "xtask"];

/// Finds public types whose name another crate has for a type of its own.
pub(super) fn type_names_in_two_crates(files: &[File]) -> Vec<Finding> {
    let mut places: BTreeMap<&str, Vec<(&str, &File, usize)>> = BTreeMap::new();
    for file in files {
        let Some(crate_name) = file.crate_name().filter(|name| !EXEMPT.contains(name)) else { continue };
        for (number, code) in file.code().filter(|_| file.path.contains("/src/")) {
            if let Some(name) = defined(code) {
                places.entry(name).or_default().push((crate_name, file, number));
            }
        }
    }
    let mut findings = Vec::new();
    for (name, places) in places {
        let first = places[0].0;
        for (crate_name, file, number) in places.iter().filter(|(crate_name, ..)| *crate_name != first) {
            let problem = format!("`{crate_name}` and `{first}` both define a type `{name}`");
            findings.push(Finding::new(file, *number, problem, "qualify the name, or use one definition"));
        }
    }
    findings
}

/// Returns the type that a line defines for other crates.
fn defined(code: &str) -> Option<&str> {
    let rest = code.trim_start().strip_prefix("pub ")?;
    let mut words = lexer::words(rest);
    let is_type = matches!(words.next()?, "struct" | "enum" | "trait" | "type" | "union");
    // `$name` in a macro is not a name.
    words.next().filter(|name| is_type && name.starts_with(char::is_uppercase))
}

#[cfg(test)]
mod tests {
    use super::super::expect_findings;
    use super::*;

    #[test]
    fn same_name_in_two_crates_is_found() {
        expect_findings(
            type_names_in_two_crates,
            &[
                ("crates/a/src/lib.rs", "pub struct Page;\npub(crate) struct Kind;\n"),
                ("crates/b/src/lib.rs", "// pub struct Page;\npub enum Page {}\npub struct Kind;\n"),
                ("crates/taiga/src/lib.rs", "pub struct Page;\n"),
                ("crates/b/tests/it/main.rs", "pub struct Page;\n"),
            ],
            &["crates/b/src/lib.rs:2: `b` and `a` both define a type `Page`; qualify the name, or use one definition"],
        );
    }
}
