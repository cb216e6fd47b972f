//! `lazygit-mcp-bridge`: the command line under that program name, so that lazygit's custom commands and existing
//! client settings keep working.

use std::path::PathBuf;
use std::process::ExitCode;

use ::inbox::{LineChoice, Remark};
use app::Error;
use clap::{Args, Parser, Subcommand};

use super::mcp::{Choice, serve_dialect};
use super::{RepoPath, inbox};
use crate::arguments::Global;
use crate::output::Ui;

/// Review messages, from lazygit to an agent.
///
/// This is `cairn` under an older name; `cairn inbox --help` shows everything it can do.
#[derive(Debug, Parser)]
#[command(name = "lazygit-mcp-bridge", version, disable_help_subcommand = true, max_term_width = 100)]
pub(crate) struct BridgeCli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve the messages on standard input and output.
    Server(Choice),
    /// Send a message.
    Send(Send),
}

#[derive(Debug, Args)]
struct Send {
    /// The file.
    #[arg(long, value_name = "PATH")]
    file: String,
    /// The line, when there is one.
    #[arg(long, value_name = "N", default_value = "", hide_default_value = true)]
    line: LineChoice,
    /// What to say.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    comment: String,
}

impl BridgeCli {
    /// Returns whether this command starts a server.
    pub(super) fn starts_server(&self) -> bool {
        matches!(self.command, Command::Server(_))
    }
}

pub(crate) fn run(cli: &BridgeCli, ui: &Ui) -> Result<ExitCode, Error> {
    let place = RepoPath(cli.global.repo.clone().unwrap_or_else(|| PathBuf::from(".")));
    match &cli.command {
        Command::Server(choice) => serve_dialect("lazygit", choice, &place),
        Command::Send(Send { file, line, comment }) => {
            let remark = Remark {
                file: file.clone(),
                lines: *line,
                comment: comment.clone(),
                as_given: true,
                ..Remark::default()
            };
            inbox::send(&place, remark, ui)
        }
    }
}
