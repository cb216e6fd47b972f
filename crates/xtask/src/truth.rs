//! `cargo xtask truth`: annotates functions of published code at old commits, and checks the program's answers at the
//! newest one. The scripts in `tests/truth` determine independently what became of each function.

use std::path::Path;
use std::process::Command;

use crate::{command, program};
use xtask::tools::system;

/// Runs 300 annotations in ten packages of seven languages; `--short` is for CI. Other arguments are passed to the
/// script.
pub(crate) fn run(root: &Path, arguments: &[String]) -> Result<(), String> {
    needs()?;
    check(root, arguments)
}

/// Installs missing programs, or says which are missing.
pub(crate) fn needs() -> Result<(), String> {
    let ask = || command::read(Command::new("ctags").arg("--version"));
    let version = ask().or_else(|_| system::install("universal-ctags", &["universal-ctags"]).and_then(|()| ask()))?;
    if !version.contains("Universal Ctags") {
        return Err("`ctags` is not universal-ctags (Debian: universal-ctags)".to_owned());
    }
    command::read(Command::new("python3").arg("--version")).map(|_| ())
}

/// Runs the check with the installed programs.
pub(crate) fn check(root: &Path, arguments: &[String]) -> Result<(), String> {
    let cairn = program::build(root)?;
    let target = command::target(root);
    let mut python = Command::new("python3");
    python.arg(root.join("tests/truth/run.py"));
    python.arg("--program").arg(cairn);
    python.arg("--work").arg(target.join("truth"));
    command::run(python.args(arguments).env("PYTHONDONTWRITEBYTECODE", "1"))
}
