//! `cairn completions`.

use std::process::ExitCode;

use clap::Args;
use clap_complete::Shell;

use crate::completion;
use crate::output::Ui;

/// Print the completion script of a shell.
///
/// The script asks this program for values: kinds, items with their titles, statuses, labels, people, milestones,
/// boards, messages, files, functions and types.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn completions bash > ~/.local/share/bash-completion/completions/cairn
  cairn completions fish > ~/.config/fish/completions/cairn.fish
  cairn completions zsh > ~/.zfunc/_cairn   # with `fpath+=~/.zfunc` before `compinit` in ~/.zshrc")]
pub(crate) struct Arguments {
    /// The shell.
    shell: Shell,
}

pub(crate) fn run(arguments: &Arguments, ui: &Ui) -> ExitCode {
    ui.raw(&completion::script(arguments.shell));
    ExitCode::SUCCESS
}
