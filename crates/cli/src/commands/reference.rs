//! `cairn reference`: generated pages of the documentation.

use std::fmt::Write as _;
use std::process::ExitCode;

use clap::{Args, Command, CommandFactory, ValueEnum};

use crate::arguments::Cli;
use crate::help;
use crate::output::Ui;

/// Print pages of the reference.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Which page.
    page: Page,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Page {
    /// Every command and flag.
    Cli,
    /// The web API, in `OpenAPI`.
    Openapi,
}

pub(crate) fn run(arguments: &Arguments, ui: &Ui) -> ExitCode {
    match arguments.page {
        Page::Cli => ui.print(&cli_page()),
        Page::Openapi => ui.print(&format!("{:#}\n", web::openapi())),
    }
    ExitCode::SUCCESS
}

fn cli_page() -> String {
    let mut root = help::arrange(Cli::command()).term_width(100);
    root.build();
    let mut page = String::from("# The command line\n\nMade from the code by `cargo xtask generate`; do not edit.\n");
    section(&mut page, &mut root);
    page
}

fn section(page: &mut String, command: &mut Command) {
    let name = command.get_bin_name().unwrap_or("cairn").to_owned();
    let help = command.render_long_help().to_string();
    let trimmed: Vec<&str> = help.lines().map(str::trim_end).collect();
    let _ = write!(page, "\n## `{name}`\n\n```text\n{}\n```\n", trimmed.join("\n").trim());
    let mut children: Vec<Command> = command.get_subcommands().filter(|child| !child.is_hide_set()).cloned().collect();
    for child in children.iter_mut().filter(|child| child.get_name() != "help") {
        section(page, child);
    }
}
