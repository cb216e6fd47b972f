//! The `cairn` command: parses arguments, calls one verb, prints the result, and sets the exit code.

mod agents;
mod arguments;
mod clients;
mod commands;
mod completion;
mod editor;
mod fields;
mod help;
mod input;
mod lazy;
mod lazygit;
mod output;
mod taiga_setup;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use app::Error;
use clap::Parser;
use clap::error::ErrorKind;

use arguments::{Cli, Global};
use commands::bridge::{self, BridgeCli};
use commands::mile::{self, MileCli};
use commands::ultragit::{self, UltragitCli};
use output::Ui;

fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().collect();
    match program_name(&words).as_deref().map(clients::program::behaves_as) {
        Some("git-mile") => finish(&words, |cli: &MileCli| &cli.global, mile::run),
        Some("ultragit") => finish(&words, |cli: &UltragitCli| &cli.global, ultragit::run),
        Some("lazygit-mcp-bridge") => finish(&words, |cli: &BridgeCli| &cli.global, bridge::run),
        _ if let Some(shell) = completion::requesting_shell() => completion::run(&shell, &words),
        _ => {
            let words = commands::label::spell_out(help::spell_out(words).into_iter());
            finish(&words, |cli: &Cli| &cli.global, commands::run)
        }
    }
}

/// Returns the name under which the program was started; some names select another tool.
fn program_name(words: &[OsString]) -> Option<String> {
    let stem = Path::new(words.first()?).file_stem()?;
    Some(stem.to_string_lossy().into_owned())
}

fn finish<T: Parser>(
    words: &[OsString],
    global: impl Fn(&T) -> &Global,
    run: impl Fn(&T, &Ui) -> Result<ExitCode, Error>,
) -> ExitCode {
    let cli = match T::try_parse_from(words) {
        Ok(cli) => cli,
        Err(error) => return output::usage(&arranged(&T::command(), error, words), words),
    };
    match Ui::new(global(&cli)) {
        Ok(ui) => ui.finish(run(&cli, &ui)),
        Err(error) => Ui::plain(global(&cli)).fail(&error),
    }
}

/// Renders help again in our own layout.
fn arranged(program: &clap::Command, error: clap::Error, words: &[OsString]) -> clap::Error {
    let is_help = matches!(
        error.kind(),
        ErrorKind::DisplayHelp | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand
    );
    if !is_help || program.get_name() != "cairn" {
        return error;
    }
    help::arrange(program.clone()).try_get_matches_from(words).err().unwrap_or(error)
}
