//! `cargo xtask generate`: files that are generated from the code, so that they cannot drift from it.
//!
//! With `--check` it writes nothing and fails if a file differs from the current output of its command.

use std::fs;
use std::path::Path;
use std::process::Command;

use xtask::{command, program, report};

/// A file of the repository and the command that prints its content.
struct Generated {
    path: &'static str,
    command: &'static [&'static str],
}

/// One line per generated file; `cairn` is the program built here.
const GENERATED: &[Generated] = &[
    Generated { path: "docs/reference/cli.md", command: &["cairn", "reference", "cli"] },
    Generated { path: "docs/reference/openapi.json", command: &["cairn", "reference", "openapi"] },
];

/// Writes the generated files, or with `--check` compares them.
pub(crate) fn run(root: &Path, arguments: &[String]) -> Result<(), String> {
    match arguments {
        [] => write(root, GENERATED),
        [flag] if flag == "--check" => check(root, GENERATED),
        _ => Err(format!("`generate` takes `--check` or nothing, not `{}`", arguments.join(" "))),
    }
}

/// Fails if a generated file is outdated or missing.
pub(crate) fn check_all(root: &Path) -> Result<(), String> {
    check(root, GENERATED)
}

fn write(root: &Path, table: &[Generated]) -> Result<(), String> {
    for (generated, text) in stale(root, table)? {
        let path = generated.path;
        let place = root.join(path);
        if let Some(folder) = place.parent() {
            fs::create_dir_all(folder).map_err(|error| format!("cannot make the folder of `{path}`: {error}"))?;
        }
        fs::write(&place, text).map_err(|error| format!("cannot write `{path}`: {error}"))?;
        report::answer(path);
    }
    Ok(())
}

fn check(root: &Path, table: &[Generated]) -> Result<(), String> {
    let stale = stale(root, table)?;
    if stale.is_empty() {
        report::note(&format!("generate: {} files, all current", table.len()));
        return Ok(());
    }
    let paths: Vec<String> = stale.iter().map(|(generated, _)| format!("`{}`", generated.path)).collect();
    let paths = paths.join(", ");
    Err(format!("stale: {paths}\nhint: run `cargo xtask generate` and commit the result"))
}

/// Returns the entries whose file is outdated, with the new text.
fn stale<'a>(root: &Path, table: &'a [Generated]) -> Result<Vec<(&'a Generated, String)>, String> {
    let mut stale = Vec::new();
    for generated in table {
        let made = make(root, generated)?;
        // A missing file, or one that is not text, is outdated too.
        let committed = fs::read_to_string(root.join(generated.path)).ok();
        if committed.as_ref() != Some(&made) {
            stale.push((generated, made));
        }
    }
    Ok(stale)
}

fn make(root: &Path, generated: &Generated) -> Result<String, String> {
    let path = generated.path;
    let mut command = match generated.command {
        ["cairn", arguments @ ..] => here(root, &program::build(root)?, arguments),
        [program, arguments @ ..] => here(root, Path::new(program), arguments),
        [] => return Err(format!("`{path}` has no command")),
    };
    let made = command::read(&mut command).map_err(|error| format!("cannot make `{path}`: {error}"))?;
    // An empty output means a broken generator.
    if made.trim().is_empty() {
        return Err(format!("cannot make `{path}`: its command printed nothing"));
    }
    Ok(made)
}

fn here(root: &Path, program: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(root);
    command
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    const TABLE: &[Generated] = &[Generated { path: "docs/made.md", command: &["git", "--version"] }];

    /// A temporary folder for a test.
    fn scratch(test: &str) -> PathBuf {
        let name = format!("xtask-generate-{test}-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn written_file_passes_the_check() {
        let root = scratch("written");
        write(&root, TABLE).unwrap();
        let text = fs::read_to_string(root.join("docs/made.md")).unwrap();
        assert!(text.starts_with("git version"), "{text}");
        assert_eq!(check(&root, TABLE), Ok(()));
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn missing_and_changed_files_fail_with_the_command_that_repairs_them() {
        let root = scratch("stale");
        let expected = "stale: `docs/made.md`\n\
                        hint: run `cargo xtask generate` and commit the result";
        assert_eq!(check(&root, TABLE), Err(expected.to_owned()));

        write(&root, TABLE).unwrap();
        fs::write(root.join("docs/made.md"), "edited by hand\n").unwrap();
        assert_eq!(check(&root, TABLE), Err(expected.to_owned()));
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn check_writes_nothing() {
        let root = scratch("nothing");
        check(&root, TABLE).unwrap_err();
        assert_eq!(fs::read_dir(&root).unwrap().count(), 0);
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn failing_and_silent_commands_are_named() {
        let root = scratch("failing");
        let failing = Generated { path: "a.md", command: &["git", "no-such-verb"] };
        let error = check(&root, &[failing]).unwrap_err();
        assert!(error.starts_with("cannot make `a.md`: `git no-such-verb` failed"));
        let silent = Generated { path: "a.md", command: &["git", "check-ref-format", "refs/heads/a"] };
        let error = check(&root, &[silent]).unwrap_err();
        assert_eq!(error, "cannot make `a.md`: its command printed nothing");
        fs::remove_dir_all(root).unwrap();
    }
}
