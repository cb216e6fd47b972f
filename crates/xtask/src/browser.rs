//! `cargo xtask browser`: browser tests against the built server. The scenes and their expectations are in
//! `tests/browser`; screenshots are stored under `target/browser`.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{command, program};
use xtask::tools::chromium;
use xtask::tools::node::Node;

/// Runs all scenes, or those whose name contains the given word.
pub(crate) fn run(root: &Path, arguments: &[String]) -> Result<(), String> {
    let only = match arguments {
        [] => None,
        [word] => Some(word.as_str()),
        _ => return Err("`browser` takes a word of a scene's name, and nothing else".to_owned()),
    };
    play(root, &Programs::find_or_install(root)?, only)
}

/// Runs scenes with the given programs.
pub(crate) fn play(root: &Path, programs: &Programs, only: Option<&str>) -> Result<(), String> {
    let cairn = program::build(root)?;
    let mut node: Command = programs.node.command("node");
    node.arg(root.join("tests/browser/run.mjs")).args(only);
    node.env("CAIRN", cairn);
    node.env("CHROMIUM", &programs.chromium).env("BROWSER_PACKAGES", &programs.packages);
    node.env("BROWSER_SHOTS", root.join("target/browser"));
    command::run(&mut node)
}

/// The programs that run the browser tests.
pub(crate) struct Programs {
    node: Node,
    packages: PathBuf,
    chromium: PathBuf,
}

impl Programs {
    /// Finds or installs all of them; npm is required.
    pub(crate) fn find_or_install(root: &Path) -> Result<Self, String> {
        let chromium = chromium::find_or_install()?;
        let node = Node::find_or_install(root)?;
        Ok(Self { packages: node.packages(root, "tests/browser")?, node, chromium })
    }
}
