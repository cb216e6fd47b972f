//! Runs other programs: prints the command line, and converts failures to messages.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Returns the cargo that runs us, so that every step uses the same toolchain.
pub fn cargo(root: &Path, arguments: &[&str]) -> Command {
    let program = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    command.args(arguments).current_dir(root);
    // Build scripts, such as that of `ring`, run again when these change: a build started here must not differ from one
    // started in a shell, or each builds anew what the other has built.
    for (name, _) in env::vars_os() {
        if name.to_str().is_some_and(|name| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")) {
            command.env_remove(name);
        }
    }
    command
}

/// Returns cargo's target folder.
pub fn target(root: &Path) -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |path| root.join(path))
}

/// Runs a program with its output on the terminal.
pub fn run(command: &mut Command) -> Result<(), String> {
    let shown = show(command);
    crate::report::note(&format!("$ {shown}"));
    let status = command.status().map_err(|error| format!("cannot start `{shown}`: {error}"))?;
    if status.success() {
        return Ok(());
    }
    Err(format!("`{shown}` failed: {status}"))
}

/// Runs a program and returns its stdout; its stderr goes to the terminal.
pub fn read(command: &mut Command) -> Result<String, String> {
    let shown = show(command);
    let output =
        command.stderr(Stdio::inherit()).output().map_err(|error| format!("cannot start `{shown}`: {error}"))?;
    if !output.status.success() {
        return Err(format!("`{shown}` failed: {}", output.status));
    }
    String::from_utf8(output.stdout).map_err(|error| format!("the output of `{shown}` is not UTF-8: {error}"))
}

/// Returns the command line for display, with the program's name instead of its path.
fn show(command: &Command) -> String {
    let name = Path::new(command.get_program()).file_name().unwrap_or(command.get_program());
    let words = std::iter::once(name).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

/// Returns the workspace's folder, determined at run time: a binary that was built before the clone was moved must not
/// check the old path.
pub fn workspace_root() -> Result<PathBuf, String> {
    let manifest_dir = env::var_os("CARGO_MANIFEST_DIR")
        .ok_or("`CARGO_MANIFEST_DIR` is not set\nhint: run this as `cargo xtask TASK`")?;
    let root = Path::new(&manifest_dir).ancestors().nth(2);
    Ok(root.expect("a crate lies two folders below the root").to_path_buf())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failed_program_is_named_with_its_arguments() {
        let error = read(Command::new("git").args(["no-such-verb"])).unwrap_err();
        assert!(error.starts_with("`git no-such-verb` failed:"), "{error}");
    }

    #[test]
    fn missing_program_is_named() {
        let error = run(&mut Command::new("no-such-program")).unwrap_err();
        assert!(error.starts_with("cannot start `no-such-program`:"), "{error}");
    }
}
