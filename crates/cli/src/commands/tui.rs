//! `cairn tui`.

use std::io::{IsTerminal, stdin, stdout};
use std::process::ExitCode;
use std::sync::Arc;

use app::{Env, Error, Project};
use clap::Args;
use inbox::Inbox;

use super::RepoPath;
use crate::editor::UserEditor;

/// Show the board, lists, the inbox and annotations in the terminal.
///
/// Keys are those of lazygit; `?` lists them. The screen follows what others write.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn tui
  cairn -C ../shop tui")]
pub(crate) struct Arguments {}

pub(super) fn run(place: &RepoPath) -> Result<ExitCode, Error> {
    place.check()?;
    // Notices on stderr would be written over the screen.
    let project = Project::open(place.path(), Env::default(), Arc::new(|_| {}))?;
    let inbox = Inbox::open(place.path(), Env::default())?;
    if !stdin().is_terminal() || !stdout().is_terminal() {
        return Err(Error::invalid("`cairn tui` needs a terminal").hint("`cairn list` prints to pipes"));
    }
    tui::run(tui::Interface::new(project, inbox)?, &UserEditor)?;
    Ok(ExitCode::SUCCESS)
}
