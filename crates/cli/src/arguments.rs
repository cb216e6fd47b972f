//! All commands and flags, declared once; help, completions, man pages and the reference are generated from this.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::commands::{
    agents, annotate, assign, attach, board, check, comment, compat, completions, correct, create, database, demo,
    doctor, edit, export, hooks, import, inbox, init, items, label, lazygit, link, list, log, man, mcp, member,
    move_item, prime, ready, reasons, reference, reindex, search, serve, show, stats, sync, taiga, template, token,
    tui, undo, view, workflow,
};
use crate::lazy::Lazy;

/// A project's memory inside its git repository: work, reasons and conversation.
///
/// Work is kept as an operation log under one git ref. It needs no server, works offline, and travels with
/// `cairn sync`; two clones never conflict.
#[derive(Debug, Parser)]
#[command(name = "cairn", version, disable_help_subcommand = true, infer_subcommands = false, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

impl Cli {
    /// Returns the program with the arguments of all commands, which are otherwise declared when a command is used.
    pub(crate) fn full_command() -> clap::Command {
        let mut program = <Self as clap::CommandFactory>::command();
        program.build();
        program
    }

    /// Returns the dialect to serve over stdio; `None` for any other command.
    pub(crate) fn served_dialect(&self) -> Option<&str> {
        match &self.command {
            Some(Command::Mcp(mcp)) => mcp.served_dialect(),
            _ => None,
        }
    }
}

/// What every command takes.
#[derive(Debug, Clone, Args)]
pub(crate) struct Global {
    /// Work in the repository at PATH instead of the one here.
    #[arg(short = 'C', long = "repo", value_name = "PATH", global = true, help_heading = "Global options")]
    pub(crate) repo: Option<PathBuf>,
    /// Print JSON, as described in docs/reference/json.md.
    #[arg(long, global = true, help_heading = "Global options")]
    pub(crate) json: bool,
    /// Whether to color the output.
    #[arg(long, value_name = "WHEN", default_value = "auto", global = true, help_heading = "Global options")]
    pub(crate) color: Color,
    /// Log decisions and their reasons to stderr: `-v` for debug, `-vv` for trace; `CAIRN_LOG` selects by module.
    #[arg(short = 'v', action = clap::ArgAction::Count, global = true, help_heading = "Global options")]
    pub(crate) verbosity: u8,
}

/// When to color the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The command; each is documented with its arguments. The arguments of a command are lazy, so that the others do not
/// pay for them.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    #[command(visible_aliases = ["create", "add"])]
    New(Lazy<create::Arguments>),
    #[command(visible_alias = "ls")]
    List(Lazy<list::Arguments>),
    Show(Lazy<show::Arguments>),
    Edit(Lazy<edit::Arguments>),
    Comment(Lazy<comment::Arguments>),
    Attach(Lazy<attach::Arguments>),
    Label(Lazy<label::Arguments>),
    Move(Lazy<move_item::Arguments>),
    Start(Lazy<items::Start>),
    #[command(visible_alias = "done")]
    Close(Lazy<items::Close>),
    Assign(Lazy<assign::Assign>),
    Status(Lazy<assign::Status>),
    Reopen(Lazy<items::Reopen>),
    Delete(Lazy<items::Delete>),
    Link(Lazy<link::Link>),
    Unlink(Lazy<link::Unlink>),
    Ready(Lazy<ready::Arguments>),
    Search(Lazy<search::Arguments>),
    Undo(Lazy<undo::Arguments>),
    View(Lazy<view::Arguments>),
    Template(Lazy<template::Arguments>),
    Log(Lazy<log::Arguments>),
    Sync(Lazy<sync::Arguments>),
    Member(Lazy<member::Arguments>),
    Workflow(Lazy<workflow::Arguments>),
    Export(Lazy<export::Arguments>),
    Import(Lazy<import::Arguments>),
    Init(Lazy<init::Arguments>),
    Doctor(Lazy<doctor::Arguments>),
    Database(Lazy<database::Arguments>),
    Reindex(Lazy<reindex::Arguments>),
    Stats(Lazy<stats::Arguments>),
    Context(Lazy<reasons::Context>),
    Read(Lazy<reasons::Read>),
    Deps(Lazy<reasons::Deps>),
    History(Lazy<reasons::History>),
    Summary(Lazy<reasons::Summary>),
    Annotate(Lazy<annotate::Annotate>),
    Flag(Lazy<correct::Flag>),
    Correct(Lazy<correct::Correct>),
    Check(Lazy<check::Arguments>),
    Hooks(Lazy<hooks::Arguments>),
    Inbox(Lazy<inbox::Arguments>),
    Lazygit(Lazy<lazygit::Arguments>),
    Taiga(Lazy<taiga::Arguments>),
    Prime(Lazy<prime::Arguments>),
    Agents(Lazy<agents::Arguments>),
    Mcp(Lazy<mcp::Arguments>),
    Board(Lazy<board::Arguments>),
    Tui(Lazy<tui::Arguments>),
    Serve(Lazy<serve::Arguments>),
    Token(Lazy<token::Arguments>),
    Compat(Lazy<compat::Arguments>),
    Demo(Lazy<demo::Arguments>),
    Completions(Lazy<completions::Arguments>),
    Man(Lazy<man::Arguments>),
    #[command(hide = true)]
    Reference(Lazy<reference::Arguments>),
}
