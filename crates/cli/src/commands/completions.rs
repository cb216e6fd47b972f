//! `cairn completions`.

use std::process::ExitCode;

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::arguments::Cli;
use crate::output::Screen;

/// Print completions for a shell.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn completions bash > ~/.local/share/bash-completion/completions/cairn
  cairn completions fish > ~/.config/fish/completions/cairn.fish")]
pub(crate) struct Arguments {
    /// The shell.
    shell: Shell,
}

pub(crate) fn run(arguments: &Arguments, screen: &Screen) -> ExitCode {
    let mut bytes = Vec::new();
    clap_complete::generate(arguments.shell, &mut Cli::command(), "cairn", &mut bytes);
    screen.raw(&bytes);
    ExitCode::SUCCESS
}
