//! `cargo xtask bench`: builds and runs the benchmarks, a crate of its own with dependencies that no check needs.

use std::path::Path;

use xtask::command;

/// Runs the benchmarks; fails if a limit is exceeded.
pub(crate) fn run(root: &Path, arguments: &[String]) -> Result<(), String> {
    let mut bench = command::cargo(root, &["run", "--quiet", "--locked", "--package", "bench", "--"]);
    command::run(bench.args(arguments))
}
