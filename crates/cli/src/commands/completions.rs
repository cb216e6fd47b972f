//! `cairn completions`.

use std::process::ExitCode;

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::arguments::Cli;
use crate::output::Ui;

/// Print completions for a shell.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn completions bash > ~/.local/share/bash-completion/completions/cairn
  cairn completions fish > ~/.config/fish/completions/cairn.fish")]
pub(crate) struct Arguments {
    /// The shell.
    shell: Shell,
}

pub(crate) fn run(arguments: &Arguments, ui: &Ui) -> ExitCode {
    let mut bytes = Vec::new();
    clap_complete::generate(arguments.shell, &mut Cli::command(), "cairn", &mut bytes);
    ui.raw(&bytes);
    ExitCode::SUCCESS
}
