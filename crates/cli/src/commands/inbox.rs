//! `cairn inbox`.

mod at;
mod print;
mod watch;

use std::path::Path;
use std::process::ExitCode;

use app::{Env, Error};
use clap::{Args, Subcommand};
use inbox::{Inbox, LineChoice, MenuScope, MessageFilter, Remark};
use model::message::MessageKind;

use super::RepoPath;
use crate::input;
use crate::output::Ui;
use at::RemarkTarget;

/// Send review messages about code to the agent and read its replies.
///
/// A remark is about a file, or lines of it. It waits in the repository until an agent asks for it, survives
/// restarts, and says so when the code has changed since.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn inbox send --file src/main.rs --line 42 --comment 'Handle the error here.'
  git diff src/main.rs | cairn inbox send --stdin-hunk --kind question --comment 'Why twice?'
  cairn inbox list
  cairn inbox watch")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Send(Send),
    Draft(Draft),
    Submit(Submit),
    Discard(Discard),
    List(List),
    Show(Show),
    Check(Check),
    Reply(Reply),
    Resolve(Resolve),
    Watch(Watch),
    Files(Files),
    Lines(Lines),
    Menu(Menu),
    #[command(hide = true)]
    Mark(Mark),
}

/// Send a review message.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn inbox send --file src/main.rs --line 42-57 --comment 'Split this.'
  cairn inbox send --file src/main.rs --kind note < remark.md
  git diff | cairn inbox send --stdin-hunk --comment 'Is this used?' --kind question")]
pub(crate) struct Send {
    #[command(flatten)]
    remark: RemarkArguments,
    /// Send all drafts together with it.
    #[arg(long)]
    drafts: bool,
}

/// Save a review message as a draft; `submit` sends all drafts.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn inbox draft --file src/main.rs --line 42 --comment 'Name this.'
  cairn inbox submit")]
pub(crate) struct Draft {
    #[command(flatten)]
    remark: RemarkArguments,
}

/// A remark.
#[derive(Debug, Args)]
pub(crate) struct RemarkArguments {
    /// The file, from here or from the top of the repository; `COMMIT:PATH` is the file as a commit has it.
    #[arg(long, value_name = "PATH", required_unless_present_any = ["stdin_hunk", "at"], allow_hyphen_values = true)]
    file: Option<String>,
    /// The line or lines: `42`, `42-57`, `old:42` for a line that was removed; `all` is the whole file.
    #[arg(long, value_name = "LINES", default_value = "all", allow_hyphen_values = true)]
    line: LineChoice,
    /// The lines and the file in one word, as `menu` prints them: `42:src/main.rs`; `drafts` sends all drafts.
    #[arg(long, value_name = "LINES:PATH", conflicts_with_all = ["file", "line", "commit", "stdin_hunk"])]
    #[arg(allow_hyphen_values = true)]
    at: Option<RemarkTarget>,
    /// The text; read from standard input if omitted.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    comment: Option<String>,
    /// Take the kind from the beginning of the text: `?` is a question, `!` a note. The sign is removed.
    #[arg(long, conflicts_with = "kind")]
    kind_from_comment: bool,
    /// The kind of message: `fix`, `question` or `note`.
    #[arg(long, value_name = "KIND", default_value = "fix")]
    kind: MessageKind,
    /// The commit you look at; the work tree when it is left out.
    #[arg(long, value_name = "COMMIT", allow_hyphen_values = true)]
    commit: Option<String>,
    /// Find the file and the lines in a diff on standard input.
    #[arg(long, requires = "comment")]
    stdin_hunk: bool,
}

/// Send drafts, all at once.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn inbox submit
  cairn inbox submit 3f9a1c")]
pub(crate) struct Submit {
    /// The drafts to send; all if none is given.
    ids: Vec<String>,
}

/// Discard a draft.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  cairn inbox discard 3f9a1c")]
pub(crate) struct Discard {
    /// The draft: its id, or the first or last characters of it.
    id: String,
}

/// Show one message with its code and replies.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  cairn inbox show 3f9a1c")]
pub(crate) struct Show {
    /// The message: its id, or the first or last characters of it.
    id: String,
}

/// List the unresolved messages.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn inbox list
  cairn inbox list --all --json")]
pub(crate) struct List {
    /// Resolved messages too.
    #[arg(long)]
    all: bool,
}

/// Take the pending messages as an agent does: they count as delivered once printed.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  cairn inbox check --json")]
pub(crate) struct Check {}

/// Reply to a message.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn inbox reply 3f9a1c 'Fixed in 8e0d4b2.'
  git show --stat | cairn inbox reply 3f9a1c")]
pub(crate) struct Reply {
    /// The message.
    id: String,
    /// The text; read from standard input if omitted.
    #[arg(allow_hyphen_values = true)]
    text: Option<String>,
    /// The author, if it is not you.
    #[arg(long, value_name = "NAME")]
    author: Option<String>,
}

/// Resolve a message.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn inbox resolve 3f9a1c
  cairn inbox resolve 3f9a1c --comment 'Good.'")]
pub(crate) struct Resolve {
    /// The message.
    id: String,
    /// A final comment.
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true, allow_hyphen_values = true)]
    comment: String,
    /// The author, if it is not you.
    #[arg(long, value_name = "NAME")]
    author: Option<String>,
}

/// Print messages and replies as they arrive, until Ctrl-C.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn inbox watch
  cairn inbox watch --json")]
pub(crate) struct Watch {}

/// Print changed files, to choose one from.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn inbox files
  cairn inbox files --commit HEAD~2")]
pub(crate) struct Files {
    /// List the files that this commit changed, as `COMMIT:PATH`; by default those of the work tree.
    #[arg(long, value_name = "COMMIT", allow_hyphen_values = true)]
    commit: Option<String>,
    /// Print this file first, if it exists; may be given several times.
    #[arg(long, value_name = "PATH", allow_hyphen_values = true)]
    first: Vec<String>,
}

/// Remember a line, to offer it first for the next remark on the file.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  cairn inbox mark src/main.rs 42")]
pub(crate) struct Mark {
    /// The file.
    file: String,
    /// The line.
    line: u32,
}

/// Print the changed lines of a file, to choose one from.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn inbox lines src/main.rs
  cairn inbox lines src/main.rs --commit HEAD~2")]
pub(crate) struct Lines {
    /// The file; `COMMIT:PATH` for the lines that a commit changed.
    file: String,
    /// Show the lines that this commit changed; by default those of the work tree.
    #[arg(long, value_name = "COMMIT", allow_hyphen_values = true)]
    commit: Option<String>,
}

/// Print a diff line by line, to choose a line from: its value for `--at`, a sign and the text, between tabs.
///
/// The first line is the one marked in an editor, or the first changed one.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn inbox menu src
  cairn inbox menu --commit HEAD~2
  cairn inbox menu HEAD~2:src/main.rs --rest")]
pub(crate) struct Menu {
    /// Files and folders, also as `COMMIT:PATH`; all changed files if omitted.
    #[arg(value_name = "PATH")]
    places: Vec<String>,
    /// What this commit changed; what changed in the work tree when it is left out.
    #[arg(long, value_name = "COMMIT", allow_hyphen_values = true)]
    commit: Option<String>,
    /// Print the other changed files after these.
    #[arg(long)]
    rest: bool,
}

pub(super) fn run(arguments: &Arguments, place: &RepoPath, ui: &Ui) -> Result<ExitCode, Error> {
    place.check()?;
    let inbox = Inbox::open(&place.0, Env::default())?;
    match &arguments.verb {
        Verb::Send(Send { remark, .. }) | Verb::Draft(Draft { remark }) if remark.at == Some(RemarkTarget::Drafts) => {
            remark.check_empty()?;
            print::confirmed(ui, &inbox, "sent to the agent", &inbox.submit(&[])?.items)?;
        }
        Verb::Send(Send { remark, drafts }) if remark.at.is_some() => {
            let remark = remark.remark(&inbox, place)?;
            let sent = if *drafts { inbox.send_with_drafts(&remark)?.items } else { vec![inbox.send(&remark)?] };
            print::confirmed(ui, &inbox, "sent to the agent", &sent)?;
        }
        Verb::Draft(Draft { remark }) if remark.at.is_some() => {
            let draft = inbox.draft(&remark.remark(&inbox, place)?)?;
            print::confirmed(ui, &inbox, "saved as a draft", &[draft])?;
        }
        Verb::Send(Send { remark, drafts: true }) => {
            print::submitted(ui, &inbox.send_with_drafts(&remark.remark(&inbox, place)?)?);
        }
        Verb::Send(Send { remark, .. }) => {
            print::changed_message(ui, "sent", &inbox.send(&remark.remark(&inbox, place)?)?);
        }
        Verb::Draft(Draft { remark }) => {
            print::changed_message(ui, "drafted", &inbox.draft(&remark.remark(&inbox, place)?)?);
        }
        Verb::Submit(submit) => print::submitted(ui, &inbox.submit(&submit.ids)?),
        Verb::Discard(draft) => print::changed_message(ui, "discarded", &inbox.discard(&draft.id)?),
        Verb::List(list) => {
            print::list(
                ui,
                &inbox.list_with_drafts(if list.all { MessageFilter::All } else { MessageFilter::Unresolved })?,
            );
            print::unreadable(ui, &inbox.unreadable()?);
        }
        Verb::Show(show) => print::message(ui, &inbox.show(&show.id)?),
        Verb::Check(_) => check(&inbox, ui)?,
        Verb::Reply(reply) => print::changed_message(ui, "answered", &reply.run(&inbox)?),
        Verb::Resolve(resolve) => {
            inbox.check_sent(&resolve.id)?;
            let resolved = inbox.resolve(&resolve.id, &resolve.comment, resolve.author.as_deref())?;
            print::changed_message(ui, "resolved", &resolved);
        }
        Verb::Watch(_) => watch::run(&inbox, ui)?,
        Verb::Files(files) => {
            let first: Vec<String> = files.first.iter().map(|file| from_here(place, file)).collect();
            print::files(ui, &inbox.files(files.commit.as_deref(), &first)?);
        }
        Verb::Mark(mark) => inbox.mark(&from_here(place, &mark.file), mark.line)?,
        Verb::Lines(lines) => {
            let file = from_here(place, &lines.file);
            print::lines(ui, &inbox.lines(&file, lines.commit.as_deref())?);
        }
        Verb::Menu(menu) => {
            let places = menu.places.iter().map(|file| from_here(place, file)).collect();
            let scope = MenuScope { places, commit: menu.commit.clone(), rest: menu.rest };
            print::menu(ui, &inbox.menu(&scope)?, print::n_drafts(&inbox)?);
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Sends one remark, for the `lazygit-mcp-bridge` command line.
pub(super) fn send(place: &RepoPath, remark: Remark, ui: &Ui) -> Result<ExitCode, Error> {
    place.check()?;
    let inbox = Inbox::open(&place.0, Env::default())?;
    let file = from_here(place, &remark.file);
    print::changed_message(ui, "sent", &inbox.send(&Remark { file, ..remark })?);
    Ok(ExitCode::SUCCESS)
}

impl RemarkArguments {
    fn remark(&self, inbox: &Inbox, place: &RepoPath) -> Result<Remark, Error> {
        let (file, lines) = match &self.at {
            Some(RemarkTarget::RemarkPlace(spot)) => (Some(spot.file.as_str()), spot.lines),
            _ => (self.file.as_deref(), self.line),
        };
        let remark = Remark {
            file: file.map(|file| from_here(place, file)).unwrap_or_default(),
            lines,
            comment: String::new(),
            kind: self.kind,
            commit: self.commit.clone(),
            author: None,
            as_given: false,
        };
        let comment = match &self.comment {
            Some(comment) => comment.clone(),
            None if input::is_piped() => input::read_pipe()?,
            None => {
                return Err(Error::invalid("the comment is missing").hint("give it with `--comment`, or pipe it in"));
            }
        };
        let (kind, comment) = if self.kind_from_comment { at::signed(&comment) } else { (self.kind, comment) };
        let remark = Remark { comment, kind, ..remark };
        if self.stdin_hunk { inbox.about(remark, &input::read_pipe()?) } else { Ok(remark) }
    }
}

impl RemarkArguments {
    /// Fails if there is a comment, where nothing says what it is about.
    fn check_empty(&self) -> Result<(), Error> {
        if self.comment.as_deref().is_none_or(|comment| comment.trim().is_empty()) {
            return Ok(());
        }
        Err(Error::invalid("the comment names no line").hint("leave it empty to send the drafts"))
    }
}

impl Reply {
    fn run(&self, inbox: &Inbox) -> Result<inbox::view::MessageView, Error> {
        let text = match &self.text {
            Some(text) => text.clone(),
            None if input::is_piped() => input::read_pipe()?,
            None => return Err(Error::invalid("the text is missing").hint("give it after the id, or pipe it in")),
        };
        inbox.check_sent(&self.id)?;
        inbox.reply(&self.id, &text, self.author.as_deref())
    }
}

fn check(inbox: &Inbox, ui: &Ui) -> Result<(), Error> {
    let delivered = inbox.take()?;
    // If printing fails, the messages stay undelivered.
    print::checked(ui, &delivered.messages).map_err(|error| {
        Error::unavailable(format!("cannot write the output: {error}")).hint("no message was delivered")
    })?;
    delivered.done((Env::default().now)())
}

/// Converts a file path relative to the working directory into one relative to the repository root. A link is not
/// resolved: git tracks the link.
fn from_here(place: &RepoPath, file: &str) -> String {
    let here = place.0.join(file);
    let is_here = Path::new(file).is_relative() && here.symlink_metadata().is_ok();
    let absolute = || Some(here.parent()?.canonicalize().ok()?.join(here.file_name()?));
    let found = if is_here { absolute() } else { None };
    found.and_then(|path| path.to_str().map(str::to_owned)).unwrap_or_else(|| file.to_owned())
}
