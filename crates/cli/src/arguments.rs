//! All commands and flags, declared once; help, completions, man pages and the reference are generated from this.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::commands::{
    agents, annotate, assign, attach, board, check, comment, compat, completions, correct, create, demo, doctor, edit,
    export, hooks, import, inbox, init, items, label, lazygit, link, list, log, man, mcp, member, move_item, prime,
    ready, reasons, reference, reindex, search, serve, show, stats, sync, taiga, token, workflow,
};

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
    pub(crate) color: Colour,
    /// Log to stderr what is decided and why: `-v` for debug, `-vv` for trace; `CAIRN_LOG` selects by part.
    #[arg(short = 'v', action = clap::ArgAction::Count, global = true, help_heading = "Global options")]
    pub(crate) verbosity: u8,
}

/// When to colour the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Colour {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// What to do; each command says what it is for where its arguments are.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    #[command(visible_aliases = ["create", "add"])]
    New(create::Arguments),
    #[command(visible_alias = "ls")]
    List(list::Arguments),
    Show(show::Arguments),
    Edit(edit::Arguments),
    Comment(comment::Arguments),
    Attach(attach::Arguments),
    Label(label::Arguments),
    Move(move_item::Arguments),
    Start(items::Start),
    #[command(visible_alias = "done")]
    Close(items::Close),
    Assign(assign::Assign),
    Status(assign::Status),
    Reopen(items::Reopen),
    Delete(items::Delete),
    Link(link::Link),
    Unlink(link::Unlink),
    Ready(ready::Arguments),
    Search(search::Arguments),
    Log(log::Arguments),
    Sync(sync::Arguments),
    Member(member::Arguments),
    Workflow(workflow::Arguments),
    Export(export::Arguments),
    Import(import::Arguments),
    Init(init::Arguments),
    Doctor(doctor::Arguments),
    Reindex(reindex::Arguments),
    Stats(stats::Arguments),
    Context(reasons::Context),
    Read(reasons::Read),
    Deps(reasons::Deps),
    History(reasons::History),
    Summary(reasons::Summary),
    Annotate(annotate::Arguments),
    Flag(correct::Flag),
    Correct(correct::Correct),
    Check(check::Arguments),
    Hooks(hooks::Arguments),
    Inbox(inbox::Arguments),
    Lazygit(lazygit::Arguments),
    Taiga(taiga::Arguments),
    Prime(prime::Arguments),
    Agents(agents::Arguments),
    Mcp(mcp::Arguments),
    Board(board::Arguments),
    Serve(serve::Arguments),
    Token(token::Arguments),
    Compat(compat::Arguments),
    Demo(demo::Arguments),
    Completions(completions::Arguments),
    Man(man::Arguments),
    #[command(hide = true)]
    Reference(reference::Arguments),
}
