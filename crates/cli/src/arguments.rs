//! Every command and flag, declared once; help, completions, man pages and the reference are made from this.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::commands::{
    comment, completions, create, demo, doctor, edit, init, items, label, link, list, log, man, member, ready,
    reference, reindex, search, show, stats, sync, transfer, workflow,
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
    pub(crate) command: Command,
}

/// What every command takes.
#[derive(Debug, Clone, Args)]
pub(crate) struct Global {
    /// Work in the repository at PATH instead of the one here.
    #[arg(short = 'C', long = "repo", value_name = "PATH", global = true, help_heading = "Global options")]
    pub(crate) repo: Option<PathBuf>,
    /// Print JSON, in the shapes that docs/reference/json.md describes.
    #[arg(long, global = true, help_heading = "Global options")]
    pub(crate) json: bool,
    /// Whether to colour the output.
    #[arg(long, value_name = "WHEN", default_value = "auto", global = true, help_heading = "Global options")]
    pub(crate) color: Colour,
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

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Make an item: an issue, a task, a story, an epic, a milestone or a board.
    New(create::Arguments),
    /// List items.
    #[command(visible_alias = "ls")]
    List(list::Arguments),
    /// Show items with their comments and links.
    Show(show::Arguments),
    /// Change fields of items, or title and description in your editor.
    Edit(edit::Arguments),
    /// Say something on an item.
    Comment(comment::Arguments),
    /// Add and remove labels: `cairn label 42 +bug -later`.
    Label(label::Arguments),
    /// Take items up: in progress, begun today, assigned to you.
    Start(items::Start),
    /// Close items.
    Close(items::Close),
    /// Open items again, also deleted ones.
    Reopen(items::Reopen),
    /// Delete items; `cairn reopen` brings them back.
    Delete(items::Delete),
    /// Link an item to another one or to code.
    Link(link::Link),
    /// Take a link away.
    Unlink(link::Unlink),
    /// Show what can be taken up now, most urgent first.
    Ready(ready::Arguments),
    /// Find items by words in titles, descriptions, comments and labels.
    Search(search::Arguments),
    /// Tell what happened, in the project or to one item.
    Log(log::Arguments),
    /// Share the work with a remote: fetch, merge, push.
    Sync(sync::Arguments),
    /// Show, add and remove the people of the project.
    Member(member::Arguments),
    /// Show and change the statuses of each kind of item.
    Workflow(workflow::Arguments),
    /// Write the whole log down as JSON lines.
    Export(transfer::Export),
    /// Read an export back, or make items from JSON lines.
    Import(transfer::Import),
    /// Tell git to fetch the work along and to carry annotations; optional.
    Init(init::Arguments),
    /// Look for what is wrong and say what to do.
    Doctor(doctor::Arguments),
    /// Throw the index away and build it anew; never needed, never harmful.
    Reindex(reindex::Arguments),
    /// Count items, operations and people.
    Stats(stats::Arguments),
    /// Walk through the main job in a throw-away repository.
    Demo(demo::Arguments),
    /// Print completions for a shell.
    Completions(completions::Arguments),
    /// Print the manual page, or write all of them to a folder.
    Man(man::Arguments),
    /// Print reference pages as Markdown.
    #[command(hide = true)]
    Reference(reference::Arguments),
}
