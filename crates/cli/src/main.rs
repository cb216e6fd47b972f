//! The `cairn` command: reads arguments, calls one verb, prints the answer, and says by its exit code how it went.

mod arguments;
mod clients;
mod commands;
mod editor;
mod fields;
mod input;
mod output;

use std::ffi::OsString;
use std::process::ExitCode;

use app::Error;
use clap::Parser;

use arguments::{Cli, Global};
use commands::mile::{self, MileCli};
use output::Screen;

fn main() -> ExitCode {
    if mile::is_asked_for(std::env::args_os().next().as_deref()) {
        let words: Vec<OsString> = std::env::args_os().collect();
        return finish(&words, |cli: &MileCli| &cli.global, mile::run);
    }
    let words = commands::label::spell_out(std::env::args_os());
    finish(&words, |cli: &Cli| &cli.global, commands::run)
}

fn finish<T: Parser>(
    words: &[OsString],
    global: impl Fn(&T) -> &Global,
    run: impl Fn(&T, &Screen) -> Result<ExitCode, Error>,
) -> ExitCode {
    let cli = match T::try_parse_from(words) {
        Ok(cli) => cli,
        Err(error) => return output::usage(&error, words),
    };
    let screen = Screen::new(global(&cli));
    run(&cli, &screen).unwrap_or_else(|error| screen.fail(&error))
}
