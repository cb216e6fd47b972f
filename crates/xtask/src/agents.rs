//! `cargo xtask agents`: an agent's work from the first call to another clone, with the official TypeScript SDK as the
//! agent, and the tokens that it pays. The scripts are in `tests/clients`; the limits in `token_table`.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::clients::Programs;
use xtask::{command, program, report, token_table};

/// The page with the table.
const PAGE: &str = "docs/benchmarks.md";

/// Plays the story and counts the tokens; fails if a limit is exceeded.
pub(crate) fn run(root: &Path, arguments: &[String]) -> Result<(), String> {
    let is_written = match arguments {
        [] => false,
        [word] if word == "--write" => true,
        [unknown, ..] => return Err(format!("`agents` takes `--write` or nothing, not `{unknown}`")),
    };
    let rows = play(root, &Programs::find_or_install(root)?)?;
    if is_written {
        let place = root.join(PAGE);
        let page = fs::read_to_string(&place).map_err(|error| format!("cannot read `{PAGE}`: {error}"))?;
        let page = token_table::replace(&page, &token_table::section(&rows));
        fs::write(&place, page).map_err(|error| format!("cannot write `{PAGE}`: {error}"))?;
    }
    Ok(())
}

/// Does the same with the given programs.
pub(crate) fn play(root: &Path, programs: &Programs) -> Result<Vec<token_table::TokenRow>, String> {
    program::build(root)?;
    report::note(command::read(&mut script(root, programs, "story.mjs"))?.trim_end());
    let rows = token_table::parse(&command::read(&mut script(root, programs, "tokens.mjs"))?)?;
    report::answer(token_table::section(&rows).trim());
    token_table::judge(&rows).map(|()| rows)
}

fn script(root: &Path, programs: &Programs, name: &str) -> Command {
    let mut command = programs.script(&root.join("tests/clients").join(name));
    let cairn = command::target(root).join(format!("debug/cairn{}", std::env::consts::EXE_SUFFIX));
    command.env("CAIRN", cairn).env("CLIENT_PACKAGES", programs.packages());
    command
}
