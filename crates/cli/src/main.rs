//! The `cairn` command: reads arguments, calls one verb, prints the answer, and says by its exit code how it went.

mod arguments;
mod commands;
mod editor;
mod fields;
mod input;
mod output;

use std::process::ExitCode;

use clap::Parser;

use arguments::Cli;
use output::Screen;

fn main() -> ExitCode {
    let cli = match Cli::try_parse_from(commands::label::spell_out(std::env::args_os())) {
        Ok(cli) => cli,
        Err(error) => return output::usage(&error),
    };
    let screen = Screen::new(&cli.global);
    match commands::run(&cli, &screen) {
        Ok(code) => code,
        Err(error) => screen.fail(&error),
    }
}
