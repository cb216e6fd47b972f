//! Builds the program that checks run.

use std::env;
use std::path::{Path, PathBuf};

use crate::command;

/// Builds the program and returns its path.
///
/// In CI the tests were built before, with the features that they need of the dependencies. The same selection again is
/// there already; any other one would build tokio and everything above it once more.
pub fn build(root: &Path) -> Result<PathBuf, String> {
    build_package(root, "git-cairn", "cairn")
}

/// Builds the optimized program and returns its path.
pub fn build_release(root: &Path) -> Result<PathBuf, String> {
    command::run(&mut command::cargo(root, &["build", "--release", "--locked", "--package", "git-cairn"]))?;
    Ok(command::target(root).join("release").join(format!("cairn{}", env::consts::EXE_SUFFIX)))
}

/// Builds the servers that the conformance suite expects, and returns the path of their program.
pub fn build_fixtures(root: &Path) -> Result<PathBuf, String> {
    build_package(root, "conformance", "conformance")
}

fn build_package(root: &Path, package: &str, name: &str) -> Result<PathBuf, String> {
    let selection: &[&str] = if is_ci() { &["--workspace", "--all-targets"] } else { &["--package", package] };
    command::run(&mut command::cargo(root, &[&["build", "--locked"], selection].concat()))?;
    Ok(command::target(root).join("debug").join(format!("{name}{}", env::consts::EXE_SUFFIX)))
}

/// Returns whether a CI service runs this; every one sets `CI`.
pub fn is_ci() -> bool {
    env::var_os("CI").is_some_and(|value| !value.is_empty() && value != "false")
}
