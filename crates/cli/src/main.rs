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
    let words = commands::label::spell_out(std::env::args_os());
    let cli = match Cli::try_parse_from(&words) {
        Ok(cli) => cli,
        Err(error) => return output::usage(&error, &words),
    };
    let screen = Screen::new(&cli.global);
    match commands::run(&cli, &screen) {
        Ok(code) => code,
        Err(error) => screen.fail(&error),
    }
}
