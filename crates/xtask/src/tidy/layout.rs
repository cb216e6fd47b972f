//! Checks of the file layout: names, undeclared modules, test binaries, numbers of decisions.

use std::path::Path;

use super::{File, Finding, is_data, lexer};

/// Finds files and folders with a vague name.
pub(super) fn vague_names(files: &[File]) -> Vec<Finding> {
    const VAGUE: &[&str] = &["common", "util", "utils", "helper", "helpers", "misc"];
    let mut findings = Vec::new();
    for file in files.iter().filter(|file| !is_data(&file.path)) {
        let stems = file.path.split('/').filter_map(|part| part.split('.').next());
        if let Some(stem) = stems.into_iter().find(|stem| VAGUE.contains(stem)) {
            let problem = format!("`{stem}` says nothing");
            findings.push(Finding::new(file, 1, problem, "name it after what it does"));
        }
    }
    findings
}

pub(super) fn mod_rs(files: &[File]) -> Vec<Finding> {
    let found = files.iter().filter(|file| file.is_rust() && file.path.ends_with("/mod.rs"));
    found
        .map(|file| {
            let folder = file.path.trim_end_matches("/mod.rs");
            let remedy = format!("rename it to `{folder}.rs`");
            Finding::new(file, 1, "a `mod.rs`", remedy)
        })
        .collect()
}

/// The folders under `tests/` that are test binaries. `mcp` measures the memory of servers under load, which concurrent
/// tests would distort; `terminal` needs programs that not every machine has; `faults` keeps all cores busy for a
/// minute, or longer in a soak test.
const TEST_BINARIES: &[&str] = &["faults", "it", "mcp", "terminal"];

/// Finds files under `src/` and the test binaries that no module declares: rustc never compiles them, so their tests
/// never run.
pub(super) fn undeclared_modules(files: &[File]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files.iter().filter(|file| file.is_rust()) {
        let Some((parents, module)) = parents(&file.path) else {
            continue;
        };
        let mut present = files.iter().filter(|other| parents.contains(&other.path));
        if !present.any(|parent| declares(parent, module)) {
            let parents = parents.join("` or `");
            let remedy = format!("add `mod {module};` to `{parents}`");
            findings.push(Finding::new(file, 1, "no module declares this file", remedy));
        }
    }
    findings
}

/// Returns the files that may declare this one and its module name; `None` for crate roots.
fn parents(path: &str) -> Option<(Vec<String>, &str)> {
    let (folder, name) = path.rsplit_once('/')?;
    let module = name.strip_suffix(".rs")?;
    let mut roots = TEST_BINARIES.iter().map(|name| format!("/tests/{name}"));
    let is_top = folder.ends_with("/src") || roots.clone().any(|root| folder.ends_with(&root));
    let is_module = is_top || folder.contains("/src/") || roots.any(|root| folder.contains(&format!("{root}/")));
    let is_root = is_top && ["main", "lib"].contains(&module);
    if !is_module || is_root || folder.ends_with("/src/bin") {
        return None;
    }
    let parents = if is_top {
        vec![format!("{folder}/lib.rs"), format!("{folder}/main.rs")]
    } else {
        vec![format!("{folder}.rs")]
    };
    Some((parents, module))
}

fn declares(parent: &File, module: &str) -> bool {
    parent.code().any(|(_, code)| {
        let mut words = lexer::words(code).skip_while(|word| *word != "mod");
        words.next().is_some() && words.next() == Some(module) && code.trim_end().ends_with(';')
    })
}

/// Finds integration tests outside of `tests/it/main.rs`: each would be another binary to link.
pub(super) fn several_test_binaries(files: &[File]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files.iter().filter(|file| file.is_rust()) {
        let Some((_, rest)) = file.path.split_once("/tests/") else {
            continue;
        };
        let in_src = file.path.contains("/src/");
        let in_binary = rest.split_once('/').is_some_and(|(folder, _)| TEST_BINARIES.contains(&folder));
        if !in_src && !in_binary {
            let problem = "a test binary of its own";
            let remedy = "move it under `tests/it/` and declare it in `tests/it/main.rs`";
            findings.push(Finding::new(file, 1, problem, remedy));
        }
    }
    findings
}

/// Finds gaps, duplicates and unnumbered files in `docs/decisions/`.
pub(super) fn decision_numbers(files: &[File]) -> Vec<Finding> {
    let mut decisions: Vec<&File> = files
        .iter()
        .filter(|file| Path::new(&file.path).parent() == Some(Path::new("docs/decisions")))
        .filter(|file| !file.path.ends_with("/README.md"))
        .collect();
    decisions.sort_by_key(|file| &file.path);
    let mut findings = Vec::new();
    let mut expected = 1;
    for file in decisions {
        let name = file.path.trim_start_matches("docs/decisions/");
        match number(name) {
            None => {
                let problem = "not named `NNNN-title.md`";
                let remedy = "number it after the last decision";
                findings.push(Finding::new(file, 1, problem, remedy));
            }
            Some(found) if found != expected => {
                let problem = format!("decision {found:04} where {expected:04} should be");
                let remedy = "number decisions without gaps or doubles";
                findings.push(Finding::new(file, 1, problem, remedy));
                expected = found + 1;
            }
            Some(_) => expected += 1,
        }
    }
    findings
}

fn number(name: &str) -> Option<u32> {
    let (digits, title) = name.strip_suffix(".md")?.split_once('-')?;
    let is_number = digits.len() == 4 && digits.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number || title.is_empty() {
        return None;
    }
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::super::expect_findings;
    use super::*;

    #[test]
    fn vague_name_is_found() {
        expect_findings(
            vague_names,
            &[("crates/a/src/utils.rs", ""), ("crates/a/src/common/b.rs", ""), ("crates/a/src/commonly.rs", "")],
            &[
                "crates/a/src/common/b.rs:1: `common` says nothing; name it after what it does",
                "crates/a/src/utils.rs:1: `utils` says nothing; name it after what it does",
            ],
        );
    }

    #[test]
    fn mod_rs_is_found() {
        expect_findings(
            mod_rs,
            &[("crates/a/src/b/mod.rs", ""), ("crates/a/src/mod_rs.rs", "")],
            &["crates/a/src/b/mod.rs:1: a `mod.rs`; rename it to `crates/a/src/b.rs`"],
        );
    }

    #[test]
    fn undeclared_file_is_found() {
        expect_findings(
            undeclared_modules,
            &[
                ("crates/a/src/lib.rs", "pub(crate) mod b;\n// mod c;\n"),
                ("crates/a/src/b.rs", "mod d;\n"),
                ("crates/a/src/b/d.rs", ""),
                ("crates/a/src/b/e.rs", ""),
                ("crates/a/src/c.rs", ""),
                ("crates/a/tests/it/main.rs", "mod f;\n"),
                ("crates/a/tests/it/f.rs", ""),
                ("crates/a/tests/it/g.rs", ""),
            ],
            &[
                "crates/a/src/b/e.rs:1: no module declares this file; \
                 add `mod e;` to `crates/a/src/b.rs`",
                "crates/a/src/c.rs:1: no module declares this file; \
                 add `mod c;` to `crates/a/src/lib.rs` or `crates/a/src/main.rs`",
                "crates/a/tests/it/g.rs:1: no module declares this file; \
                 add `mod g;` to `crates/a/tests/it/lib.rs` or `crates/a/tests/it/main.rs`",
            ],
        );
    }

    #[test]
    fn second_test_binary_is_found() {
        expect_findings(
            several_test_binaries,
            &[("crates/a/tests/b.rs", ""), ("crates/a/tests/it/main.rs", ""), ("crates/a/tests/fixtures/c.rs", "")],
            &["crates/a/tests/b.rs:1: a test binary of its own; \
                 move it under `tests/it/` and declare it in `tests/it/main.rs`"],
        );
    }

    #[test]
    fn gaps_and_doubles_in_decisions_are_found() {
        let remedy = "number decisions without gaps or doubles";
        expect_findings(
            decision_numbers,
            &[
                ("docs/decisions/0001-a.md", ""),
                ("docs/decisions/0003-b.md", ""),
                ("docs/decisions/0003-c.md", ""),
                ("docs/decisions/0004-d.md", ""),
                ("docs/decisions/README.md", ""),
                ("docs/decisions/later.md", ""),
            ],
            &[
                &format!("docs/decisions/0003-b.md:1: decision 0003 where 0002 should be; {remedy}"),
                &format!("docs/decisions/0003-c.md:1: decision 0003 where 0004 should be; {remedy}"),
                "docs/decisions/later.md:1: not named `NNNN-title.md`; \
                 number it after the last decision",
            ],
        );
    }
}
