//! `cairn mcp install`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use app::{Error, ErrorKind};
use clap::Args;
use clap::builder::PossibleValuesParser;
use dialects::DialectEntry;
use serde::Serialize;

use super::doctor::served_dialect;
use super::start::dialect_names;
use crate::clients::edit::{self, EditError};
use crate::clients::entry::{Launch, is_remote};
use crate::clients::folders::Folders;
use crate::clients::settings::{Change, Settings};
use crate::clients::{self, CLIENTS, Client, diff, program};
use crate::commands::RepoPath;
use crate::commands::agents::InstallMode;
use crate::output::{GOOD, Ui, safe};

/// The additional value of `--client`.
const ALL: &str = "all";

/// Add this server to the settings of an MCP client.
///
/// Only the bytes of our own entry change; comments, order and layout of the rest stay. Running it twice changes nothing.
/// A file that cannot be parsed is not changed.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn mcp install                       # Claude Code, in this repository's .mcp.json
  cairn mcp install --detect --print      # what would change for every client found here
  cairn mcp install --client cursor --client codex --global
  cairn mcp install --client vscode -- --read-only
  cairn mcp install --client vscode --remove")]
#[expect(clippy::struct_excessive_bools, reason = "they are switches of a command line")]
pub(crate) struct Install {
    /// Which client; may be given several times. `all` is the same as `--detect`.
    #[arg(long = "client", value_name = "CLIENT", value_parser = PossibleValuesParser::new(names(&[ALL])))]
    clients: Vec<String>,
    /// Every client found on this machine.
    #[arg(long)]
    detect: bool,
    /// Use your own settings instead of the repository's.
    #[arg(long)]
    global: bool,
    /// Write to this file, in the format of `--client`.
    #[arg(long, value_name = "PATH", conflicts_with_all = ["global", "detect"])]
    config: Option<PathBuf>,
    /// The dialect to serve; by default the one that `--name` names, else `cairn`.
    #[arg(long, value_name = "NAME", value_parser = dialect_names())]
    dialect: Option<String>,
    /// The name of the server in the client's settings; the contract's own name if omitted.
    #[arg(long, value_parser = server_name)]
    name: Option<String>,
    /// Print what would change, and write nothing.
    #[arg(long)]
    print: bool,
    /// Remove the entry.
    #[arg(long)]
    remove: bool,
    /// More options for `cairn mcp start`, after `--`.
    #[arg(last = true, value_name = "OPTION")]
    options: Vec<String>,
}

/// A server entry to write.
pub(crate) struct Server {
    /// The name of the entry.
    pub(crate) name: String,
    /// The name under which this program is started.
    pub(crate) program: &'static str,
    /// The arguments that start the server.
    pub(crate) words: Vec<String>,
    /// The dialect it serves.
    pub(crate) dialect: &'static DialectEntry,
    /// The repository it serves.
    pub(crate) repository: PathBuf,
    /// Whether the arguments must name the repository; otherwise the working directory does.
    pub(crate) names_repository: bool,
    /// Whether its tool names contain dots, which some clients reject.
    pub(crate) has_dots: bool,
}

/// A client and the settings file to change.
pub(crate) struct Target {
    /// The client.
    pub(crate) client: &'static Client,
    /// The file.
    pub(crate) path: PathBuf,
    /// The root of the work tree, if the file belongs to the repository.
    pub(crate) project: Option<PathBuf>,
}

/// A change to an entry.
pub(crate) enum Task {
    /// Write it.
    Write(Server),
    /// Remove it, by name.
    Remove(String),
}

#[derive(Debug, Serialize)]
struct Report {
    changes: Vec<Row>,
    written: bool,
}

#[derive(Debug, Serialize)]
struct Row {
    client: &'static str,
    path: String,
    outcome: InstallOutcome,
    diff: String,
    advice: Option<&'static str>,
}

/// What happened to an entry in a client's settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum InstallOutcome {
    Unchanged,
    Added,
    Updated,
    Removed,
    Absent,
}

pub(super) fn run(arguments: &Install, place: &RepoPath, ui: &Ui) -> Result<ExitCode, Error> {
    let targets = arguments.targets(place)?;
    let words = arguments.words();
    let dialect = served_dialect("cairn", &words)
        .map_err(|problem| Error::invalid(problem).hint("`cairn mcp start --help` says what may follow `--`"))?;
    let name = arguments.entry_name(dialect)?;
    let task = if arguments.remove {
        Task::Remove(name)
    } else {
        let repository = repository(place)?;
        Task::Write(Server {
            name,
            program: "cairn",
            words,
            dialect,
            repository,
            names_repository: true,
            has_dots: true,
        })
    };
    apply_changes(&targets, &task, InstallMode::of(arguments.print), ui)
}

/// Registers the server as the `ultragit` contract specifies: in the repository's `.mcp.json`, in a given file, or in
/// the settings of Claude Desktop, which starts servers in any folder and so needs the path of the repository.
pub(in crate::commands) fn install_ultragit(
    config: Option<&Path>,
    global: bool,
    place: &RepoPath,
    ui: &Ui,
) -> Result<ExitCode, Error> {
    let client = clients::find(if global { "claude-desktop" } else { "claude-code" })
        .ok_or_else(|| Error::invalid("this client is not known"))?;
    let (root, is_repository) = match repository(place) {
        // The contract installs in any folder; the server reports a missing repository when it is called.
        Err(error) if error.kind == ErrorKind::NotARepository => {
            ui.note(&format!("warning: {error}; the server needs a repository there"));
            (plain(&place.0)?, false)
        }
        root => (root?, true),
    };
    let (path, project) = match (config, global) {
        (Some(path), _) => (path.to_owned(), None),
        (None, true) => (client.user_file(&Folders::of_environment()?), None),
        (None, false) => {
            let top = if is_repository { work_tree(place)? } else { root.clone() };
            (top.join(".mcp.json"), Some(top))
        }
    };
    let server = Server {
        name: "ultragit".to_owned(),
        program: "ultragit",
        words: vec!["mcp".to_owned(), "start".to_owned()],
        dialect: super::find("ultragit")?,
        repository: root,
        names_repository: global,
        has_dots: false,
    };
    apply_changes(&[Target { client, path, project }], &Task::Write(server), InstallMode::Write, ui)
}

/// Changes the settings of clients, or shows the changes. All of them are planned before the first is written.
pub(crate) fn apply_changes(targets: &[Target], task: &Task, mode: InstallMode, ui: &Ui) -> Result<ExitCode, Error> {
    let mut changes = Vec::new();
    for target in targets {
        changes.push((target, target.settings()?.plan(|text| edited(target, task, text))?));
    }
    if mode == InstallMode::Write {
        for (target, change) in &mut changes {
            *change = target.settings()?.change(|text| edited(target, task, text))?;
        }
    }
    let rows = changes.iter().map(|(target, change)| row(target, task, change)).collect::<Result<_, _>>()?;
    print(ui, &Report { changes: rows, written: mode == InstallMode::Write }, task);
    Ok(ExitCode::SUCCESS)
}

impl Install {
    fn targets(&self, place: &RepoPath) -> Result<Vec<Target>, Error> {
        let clients = self.chosen()?;
        match (&self.config, &clients[..]) {
            (None, clients) => clients.iter().map(|client| self.target(client, place)).collect(),
            (Some(path), [client]) => Ok(vec![Target { client, path: path.clone(), project: None }]),
            (Some(_), _) => Err(Error::invalid("`--config` is one file; say for which one client, with `--client`")),
        }
    }

    /// Returns the arguments that start the server.
    fn words(&self) -> Vec<String> {
        let named = self.name.as_deref().and_then(dialects::try_find_named).filter(|_| !self.options_name_dialect());
        let dialect = self.dialect.as_deref().or_else(|| named.filter(|found| !is_ours(found)).map(|found| found.name));
        let dialect = dialect.map(|dialect| ["--dialect".to_owned(), dialect.to_owned()]);
        let start = ["mcp".to_owned(), "start".to_owned()];
        start.into_iter().chain(dialect.into_iter().flatten()).chain(self.options.clone()).collect()
    }

    fn options_name_dialect(&self) -> bool {
        self.options.iter().any(|word| word == "--dialect" || word.starts_with("--dialect="))
    }

    /// Returns the name of the entry. An entry with the name of a contract must start the server of that contract.
    fn entry_name(&self, dialect: &DialectEntry) -> Result<String, Error> {
        let Some(name) = &self.name else { return Ok((dialect.server_name)().to_owned()) };
        match dialects::try_find_named(name).filter(|named| !is_ours(named) && named.name != dialect.name) {
            None => Ok(name.clone()),
            Some(named) => Err(Error::invalid(format!(
                "`{name}` is the name of the `{}` server, and this entry would start `{}`",
                named.name, dialect.name
            ))
            .hint("leave `--name` or `--dialect` out, or choose another name")),
        }
    }

    fn chosen(&self) -> Result<Vec<&'static Client>, Error> {
        if self.detect || self.clients.iter().any(|name| name == ALL) {
            let folders = Folders::of_environment()?;
            let found: Vec<_> = CLIENTS.iter().filter(|client| client.is_here(&folders)).collect();
            if found.is_empty() {
                return Err(Error::not_found("no MCP client found on this machine")
                    .hint(format!("name one with `--client`: {}", names(&[]).join(", "))));
            }
            return Ok(found);
        }
        if self.clients.is_empty() {
            return Ok(CLIENTS.iter().take(1).collect());
        }
        let is_named = |client: &&Client| self.clients.iter().any(|name| name == client.name);
        Ok(CLIENTS.iter().filter(is_named).collect())
    }

    fn target(&self, client: &'static Client, place: &RepoPath) -> Result<Target, Error> {
        let root = if self.global || !client.has_project_file() { None } else { Some(work_tree(place)?) };
        let file = root.as_deref().and_then(|root| client.project_file(root));
        Ok(match file {
            Some(path) => Target { client, path, project: root },
            None => Target { client, path: client.user_file(&Folders::of_environment()?), project: None },
        })
    }
}

impl Server {
    /// Returns the command that a client should run.
    fn launch(&self, client: &Client) -> Result<Launch, Error> {
        let (program, path) = match program::path_as(self.program) {
            Some(path) => (self.program, path),
            None => ("cairn", program::path_as_cairn()?),
        };
        let is_known = program::find(program).is_some_and(|found| found == path);
        let command = if is_known && !client.is_graphical { program.to_owned() } else { text_of(&path)? };
        let folder = text_of(&self.repository)?;
        let mut args = self.words.clone();
        if program != self.program {
            args.extend(["--dialect".to_owned(), self.dialect.name.to_owned()]);
        }
        if self.names_repository {
            args.extend(["--repo".to_owned(), folder.clone()]);
        }
        if client.needs_underscores && self.has_dots {
            args.extend(["--tool-names".to_owned(), "underscore".to_owned()]);
        }
        Ok(Launch { command, args, folder: Some(folder), env: Vec::new() })
    }
}

impl Target {
    fn settings(&self) -> Result<Settings, Error> {
        match &self.project {
            Some(root) => Settings::in_work_tree(root, &self.path),
            None => Settings::at(&self.path),
        }
    }
}

/// Returns whether this is our own dialect, whose name is also the program's and so does not identify an entry.
pub(super) fn is_ours(dialect: &DialectEntry) -> bool {
    dialect.name == "cairn"
}

impl Task {
    fn name(&self) -> &str {
        match self {
            Self::Write(server) => &server.name,
            Self::Remove(name) => name,
        }
    }
}

fn edited(target: &Target, task: &Task, text: &str) -> Result<String, Error> {
    let client = target.client;
    let refused = |error: EditError| refusal(&target.path, &error);
    let container = client.container(text).map_err(refused)?;
    let path = [container, &[task.name()]].concat();
    match task {
        Task::Write(server) => {
            let members = client.members(container, &server.launch(client)?);
            edit::set(client.syntax, text, &path, &members, is_remote).map_err(refused)
        }
        Task::Remove(_) => edit::remove(client.syntax, text, &path).map_err(refused),
    }
}

/// Returns the error for a file that is not changed.
pub(super) fn refusal(path: &Path, error: &EditError) -> Error {
    Error::conflict(format!("`{}` was not changed: {error}", path.display()))
        .hint("correct the file there and run the same command again, or name another file with `--config`")
}

fn row(target: &Target, task: &Task, change: &Change) -> Result<Row, Error> {
    let before = change.before.as_deref().unwrap_or_default();
    let container = target.client.container(before).map_err(|error| refusal(&target.path, &error))?;
    let path = [container, &[task.name()]].concat();
    let was_there = edit::get(target.client.syntax, before, &path).is_ok_and(|entry| entry.is_some());
    let outcome = match (task, change.is_one(), was_there) {
        (Task::Write(_), false, _) => InstallOutcome::Unchanged,
        (Task::Write(_), true, false) => InstallOutcome::Added,
        (Task::Write(_), true, true) => InstallOutcome::Updated,
        (Task::Remove(_), true, _) => InstallOutcome::Removed,
        (Task::Remove(_), false, _) => InstallOutcome::Absent,
    };
    let is_one = change.is_one();
    let is_served = matches!(outcome, InstallOutcome::Added | InstallOutcome::Updated);
    Ok(Row {
        client: target.client.name,
        path: target.path.display().to_string(),
        outcome,
        diff: if is_one { diff::unified(&target.path, change.before.as_deref(), &change.after) } else { String::new() },
        advice: target.client.advice(target.project.is_some()).filter(|_| is_served),
    })
}

fn print(ui: &Ui, report: &Report, task: &Task) {
    if ui.json {
        ui.data(report);
        return;
    }
    let name = safe(task.name());
    for row in &report.changes {
        let title = clients::find(row.client).map_or(row.client, |client| client.title);
        let path = safe(&row.path);
        if !report.written && !row.diff.is_empty() {
            ui.print(&crate::output::safe_block(&row.diff));
            continue;
        }
        match row.outcome {
            InstallOutcome::Unchanged => ui.line(&format!("already installed: `{name}` in `{path}`, for {title}")),
            InstallOutcome::Absent => ui.line(&format!("not installed: `{path}` has no `{name}`, for {title}")),
            InstallOutcome::Added => ui.line(&format!("{GOOD}added{GOOD:#} `{name}` to `{path}`, for {title}")),
            InstallOutcome::Updated => ui.line(&format!("{GOOD}updated{GOOD:#} `{name}` in `{path}`, for {title}")),
            InstallOutcome::Removed => ui.line(&format!("{GOOD}removed{GOOD:#} `{name}` from `{path}`, for {title}")),
        }
        if let Some(advice) = row.advice {
            ui.note(advice);
        }
    }
}

/// Returns the folder of a project's settings.
fn work_tree(place: &RepoPath) -> Result<PathBuf, Error> {
    place.check()?;
    let root = app::locate(&place.0)?.work_tree.ok_or_else(|| {
        Error::invalid("this repository is bare: it has no folder for project settings")
            .hint("install for yourself with `--global`, or name a file with `--config`")
    })?;
    plain(&root)
}

/// Returns the repository to serve: the root of the work tree, or the git directory if it is bare.
fn repository(place: &RepoPath) -> Result<PathBuf, Error> {
    place.check()?;
    let location = app::locate(&place.0)?;
    plain(&location.work_tree.unwrap_or(location.git_dir))
}

/// Returns an absolute path, without the `\\?\` prefix of Windows.
fn plain(path: &Path) -> Result<PathBuf, Error> {
    let full = path
        .canonicalize()
        .map_err(|error| Error::unavailable(format!("cannot find `{}`: {error}", path.display())))?;
    Ok(full.to_str().and_then(|text| text.strip_prefix(r"\\?\")).map(PathBuf::from).unwrap_or(full))
}

fn text_of(path: &Path) -> Result<String, Error> {
    path.to_str()
        .map(str::to_owned)
        .ok_or_else(|| Error::invalid(format!("`{}` is not UTF-8, and settings can hold nothing else", path.display())))
}

/// Returns the values of `--client`.
pub(super) fn names(more: &[&'static str]) -> Vec<&'static str> {
    CLIENTS.iter().map(|client| client.name).chain(more.iter().copied()).collect()
}

/// Validates a server name: only characters that every client accepts.
pub(super) fn server_name(text: &str) -> Result<String, String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if (1..=64).contains(&text.len()) && text.chars().all(is_plain) {
        return Ok(text.to_owned());
    }
    Err("a name is 1 to 64 letters, digits, `-` or `_`".to_owned())
}
